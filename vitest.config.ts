import { defineConfig } from 'vitest/config';

const conditions = ['source', 'node', 'import', 'module', 'default'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/**/*.test.ts'],
    isolate: false,
    // Most of them wait for processes of their own, also where there are two cores.
    maxWorkers: 2,
    // These have a `source` condition of their own, which Node follows to TypeScript it cannot read.
    server: { deps: { inline: [/\/@modelcontextprotocol\/client\//, /\/eventsource/] } },
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
