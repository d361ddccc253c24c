import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['source', 'node', 'import', 'module', 'default'] },
  ssr: { resolve: { conditions: ['source', 'node', 'import', 'module', 'default'] } },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/rules/**'],
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
