/** What a file is, by its first bytes: a name may lie, a header seldom does. */
export type FileKind =
  | { readonly kind: 'text'; readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be'; readonly bomBytes: number }
  | { readonly kind: 'image'; readonly mediaType: string }
  | { readonly kind: 'binary'; readonly name: string };

/** How many bytes from the start `kindOf` wants to see. */
export const HEAD_BYTES = 8_192;

const IMAGES: readonly (readonly [mediaType: string, header: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
];

const BINARIES: readonly (readonly [name: string, header: RegExp])[] = [
  ['PDF document', /^%PDF-/],
  ['zip archive', /^PK(\x03\x04|\x05\x06)/],
  ['gzip archive', /^\x1f\x8b/],
  ['zstd archive', /^\x28\xb5\x2f\xfd/],
  ['xz archive', /^\xfd7zXZ\0/],
  ['bzip2 archive', /^BZh[1-9]1AY/],
  ['SQLite database', /^SQLite format 3\0/],
  ['ELF program', /^\x7fELF/],
  ['Windows program', /^MZ[^]{58}[^]{2}\0\0/],
  ['WebAssembly module', /^\0asm/],
  ['Java class', /^\xca\xfe\xba\xbe/],
  ['audio file', /^(ID3|fLaC|OggS|RIFF[^]{4}WAVE)/],
  ['video file', /^([^]{4}ftyp|\x1aE\xdf\xa3)/],
  ['font', /^(wOF[F2]|OTTO|\0\x01\0\0)/],
  ['icon', /^\0\0\x01\0/],
];

/** The kind of a file by its first bytes. Anything without a NUL byte that no header names is text. */
export function kindOf(head: Uint8Array): FileKind {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { kind: 'text', encoding: 'utf-8', bomBytes: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { kind: 'text', encoding: 'utf-16le', bomBytes: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { kind: 'text', encoding: 'utf-16be', bomBytes: 2 };
  const header = Buffer.from(head.subarray(0, 64)).toString('latin1');
  const image = IMAGES.find(([, pattern]) => pattern.test(header));
  if (image) return { kind: 'image', mediaType: image[0] };
  const binary = BINARIES.find(([, pattern]) => pattern.test(header));
  if (binary) return { kind: 'binary', name: binary[0] };
  return head.includes(0) ? { kind: 'binary', name: 'binary file' } : { kind: 'text', encoding: 'utf-8', bomBytes: 0 };
}

/** Bytes as people read them. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`;
}
