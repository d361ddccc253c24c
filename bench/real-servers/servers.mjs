// Servers from npm that need no key and no network: the package, how it is started, and one call. `FOLDER` stands for the folder they
// work in, a repository with a file in it.
export const SERVERS = [
  {
    name: 'everything',
    package: '@modelcontextprotocol/server-everything@2026.8.31',
    tool: 'echo',
    input: { message: 'hello' },
    says: /hello/,
  },
  {
    name: 'filesystem',
    package: '@modelcontextprotocol/server-filesystem@2026.8.31',
    args: ['FOLDER'],
    tool: 'list_directory',
    input: { path: 'FOLDER' },
    says: /a\.js/,
  },
  {
    name: 'memory',
    package: '@modelcontextprotocol/server-memory@2026.8.31',
    env: { MEMORY_FILE_PATH: 'FOLDER/memory.jsonl' },
    tool: 'create_entities',
    input: { entities: [{ name: 'Ada', entityType: 'person', observations: ['writes programs'] }] },
    says: /Ada/,
  },
  {
    name: 'thinking',
    package: '@modelcontextprotocol/server-sequential-thinking@2026.8.31',
    tool: 'sequentialthinking',
    input: { thought: 'first', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
    says: /thoughtNumber/,
  },
  { name: 'git', package: '@cyanheads/git-mcp-server@2.15.3', tool: 'git_status', input: { path: 'FOLDER' }, says: /a\.js/ },
  { name: 'eslint', package: '@eslint/mcp@0.3.13', tool: 'lint-files', input: { filePaths: ['FOLDER/a.js'] }, says: /a\.js/ },
  { name: 'drawio', package: '@drawio/mcp@1.6.1', tool: 'list_pages', input: { path: 'FOLDER/a.drawio' }, says: /First/ },
  {
    name: 'code-runner',
    package: 'mcp-server-code-runner@0.1.8',
    tool: 'run-code',
    input: { code: 'console.log(6 * 7)', languageId: 'javascript' },
    says: /42/,
  },
  {
    name: 'mastra-docs',
    package: '@mastra/mcp-docs-server@1.2.27',
    tool: 'getMastraHelp',
    input: { projectPath: 'FOLDER' },
    says: /mastra/i,
  },
  {
    name: 'tasks',
    package: '@kazuph/mcp-taskmanager@1.1.1',
    tool: 'request_planning',
    input: { originalRequest: 'try it', tasks: [{ title: 'one', description: 'the only one' }] },
    says: /req-/,
  },
];
