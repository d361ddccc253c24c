declare module 'pegboard' {
  interface Contributions {
    /** Folders the host works in beside its own, absolute: servers that ask for roots are told of them. */
    readonly 'mcp.root': readonly string[];
  }
}

/** Where folders are offered that servers are told of as roots. */
export const ROOT_POINT = 'mcp.root';
