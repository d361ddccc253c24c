import { describe, expect, test } from 'vitest';

import { coreComplaints, fileNameComplaints, lengthComplaints } from './budget-checks.ts';
import { givenNames, nameComplaints, stateComplaints, terminalComplaints, worldComplaints } from './code-checks.ts';
import { importComplaints, levelComplaints, type Complaint } from './layer-checks.ts';
import { LONG_FILES } from './layer-tables.data.ts';
import { declaredPackages, sourceFiles } from './repository.ts';
import { codeLines, importsOf, type SourceFile } from './source-text.ts';

const declared = {
  runtime: new Set(['minisearch', 'commander', 'yaml', '@modelcontextprotocol/client']),
  all: new Set(['vitest', 'minisearch', '@modelcontextprotocol/client']),
};

/** One file with the given code, as the checks see it. */
function file(path: string, ...lines: string[]): readonly SourceFile[] {
  return [{ path, text: lines.join('\n') }];
}

const imports = (path: string, ...lines: string[]) => importComplaints(file(path, ...lines), declared);

describe('the tree as it is', () => {
  const files = sourceFiles();
  test('R1 R2 R3 R5 imports only what its part may import', () => {
    expect(importComplaints(files, declaredPackages())).toEqual([]);
  });
  test('R4 values flow down inside core', () => {
    expect(levelComplaints(files)).toEqual([]);
  });
  test('R5 touches the terminal in cli/ only', () => {
    expect(terminalComplaints(files)).toEqual([]);
  });
  test('R6 has no name of a tool, plugin or model in core', () => {
    expect(nameComplaints(files)).toEqual([]);
  });
  test('R7 looks at the world in core/host-options.ts only', () => {
    expect(worldComplaints(files)).toEqual([]);
  });
  test('keeps no value that changes at the top of a file', () => {
    expect(stateComplaints(files)).toEqual([]);
  });
  test('keeps its budgets and its file names', () => {
    expect([...lengthComplaints(files), ...coreComplaints(files), ...fileNameComplaints(files)]).toEqual([]);
  });
  test('has no more long files than it had', () => {
    expect(Object.keys(LONG_FILES)).toEqual([]);
  });
});

describe('imports, broken on purpose', () => {
  const broken: readonly (readonly [string, string, string, string])[] = [
    ['core importing a sibling', 'core/host.ts', "import { mcp } from '../mcp/index.ts';", 'Core knows none of its plugins'],
    ['core importing its own surface', 'core/host.ts', "import { mcp } from 'pegboard/mcp';", 'Use a relative path'],
    ['core importing a package', 'core/tool.ts', "import { z } from 'zod';", 'Core has no packages'],
    ['a package of search/ beside it', 'core/pool.ts', "import MiniSearch from 'minisearch';", 'Core has no packages'],
    ['core taking a piece of kit that is not for it', 'core/tool.ts', "import { a } from './kit/jsonc.ts';", 'path-rules and workspace'],
    ['kit knowing core', 'core/kit/jsonc.ts', "import { causeText } from '../errors.ts';", 'knows nothing of the rest'],
    ['kit with a package that is not its own', 'core/kit/jsonc.ts', "import { parse } from 'yaml';", 'has no claim'],
    [
      'a plugin reaching into core',
      'builtin-plugins/files/read.ts',
      "import { defineTool } from '../../core/tool.ts';",
      'Import "pegboard"',
    ],
    ['a plugin reaching into its neighbour', 'builtin-plugins/files/read.ts', "import { a } from '../search/index.ts';", 'through a point'],
    [
      'a plugin importing a sibling by its public name',
      'builtin-plugins/files/read.ts',
      "import { mcp } from 'pegboard/mcp';",
      'siblings meet at points',
    ],
    [
      'an example plugin doing so',
      'examples/demo/plugins/notes/index.js',
      "import { mcp } from 'pegboard/mcp';",
      'siblings meet at points',
    ],
    ['a plugin with a package nobody declared', 'mcp/names.ts', "const { a } = await import('left-pad');", 'not among the dependencies'],
    [
      'the protocol outside mcp/',
      'builtin-plugins/files/read.ts',
      "import type { Tool } from '@modelcontextprotocol/client';",
      'Only mcp/ knows it',
    ],
    ['arguments outside cli/', 'mcp/index.ts', "import { Command } from 'commander';", 'Only cli/ knows it'],
    ['a prompt outside cli/', 'core/asker.ts', "import { createInterface } from 'node:readline/promises';", 'Only cli/ knows it'],
    ['cli reaching past the public names', 'cli/main.ts', "export * from '../core/host.ts';", 'Import the public name'],
    ['what is shipped needing what is not', 'test/support/fake-server.ts', "import { test } from 'vitest';", 'not among the dependencies'],
    ['a name without its ending', 'core/host.ts', "import { a } from './tool';", 'Write the ending'],
    ['a Node module without node:', 'core/host.ts', "import { join } from 'path';", 'Write "node:path"'],
  ];
  test.each(broken)('says so: %s', (_what, path, line, sentence) => {
    const complaints = imports(path, '// a comment first', line);
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toContain(`${path}:2 imports`);
    expect(complaints[0]).toContain(sentence);
  });

  test('says nothing of what may be imported', () => {
    expect([
      ...imports('core/search/index.ts', "import MiniSearch from 'minisearch';", "import { byCodeUnit } from '../registry.ts';"),
      ...imports('core/kit/frontmatter.ts', "import { parse } from 'yaml';", "import { x } from './jsonc.ts';"),
      ...imports('builtin-plugins/index.ts', "import { files } from './files/index.ts';", "import { definePlugin } from 'pegboard';"),
      ...imports('mcp/connect.ts', "import { Client } from '@modelcontextprotocol/client';", "import { jsonSchema } from 'pegboard/kit';"),
      ...imports('cli/commands/tools.ts', "import { mcp } from 'pegboard/mcp';", "import { table } from '../render/terminal.ts';"),
      ...imports('examples/embed/main.mjs', "import { mcp } from 'pegboard/mcp';"),
      ...imports('test/mcp/names.test.ts', "import { test } from 'vitest';", "import { mcp } from 'pegboard/mcp';"),
    ]).toEqual([]);
  });

  test('sees imports where they are and nowhere else', () => {
    const text = [
      "import a, { type B } from './a.ts';",
      "import type { C } from './c.ts';",
      "// import x from './comment.ts'",
      "const text = `import y from './text.ts' ${await import('./dynamic.ts')}`;",
      'const pattern = /from "\\/[`\'"]/g;',
      "export { d } from './d.ts';",
      "export const from = 'nowhere';",
      "import './effect.ts';",
      "type E = typeof import('./e.ts');",
      "/* import z from './block.ts' */ export * from './f.ts';",
    ].join('\n');
    expect(importsOf(text)).toEqual([
      { kind: 'value', from: './a.ts', line: 1 },
      { kind: 'type', from: './c.ts', line: 2 },
      { kind: 'dynamic', from: './dynamic.ts', line: 4 },
      { kind: 'value', from: './d.ts', line: 6 },
      { kind: 'value', from: './effect.ts', line: 8 },
      { kind: 'type', from: './e.ts', line: 9 },
      { kind: 'value', from: './f.ts', line: 10 },
    ]);
  });
});

describe('the rest, broken on purpose', () => {
  const only = (complaints: readonly Complaint[]) => (complaints.length === 1 ? complaints[0] : complaints);

  test('R4 a value taken from above', () => {
    expect(only(levelComplaints(file('core/errors.ts', "import { createHost } from './host.ts';")))).toContain(
      'core/errors.ts:1 takes a value from core/host.ts, which stands above it',
    );
    expect(levelComplaints(file('core/errors.ts', "import type { Host } from './host.ts';"))).toEqual([]);
  });
  test('R4 a circle of values on one level', () => {
    const circle = [
      ...file('core/hooks.ts', "import { a } from './points.ts';"),
      ...file('core/points.ts', "import { b } from './hooks.ts';"),
    ];
    expect(levelComplaints(circle)).toHaveLength(2);
    expect(levelComplaints(circle)[0]).toContain('take values from each other');
  });
  test('R4 a new file without a level', () => {
    expect(only(levelComplaints(file('core/gadget.ts', 'export const a = 1;')))).toContain('core/gadget.ts:1 has no level');
  });
  test('R5 printing from a plugin', () => {
    expect(only(terminalComplaints(file('mcp/source.ts', "console.error('oh');")))).toContain('mcp/source.ts:1 says console.');
    expect(terminalComplaints(file('cli/main.ts', "process.stdout.write('x');"))).toEqual([]);
  });
  test("R6 a tool's name in core", () => {
    const tool = file('builtin-plugins/files/grep.ts', "export const grep = defineTool({ name: 'Grep', description: 'finds' });");
    const constant = file('builtin-plugins/search/find.ts', "const NAME = 'FindTool';", 'defineTool<{ a: string }>({ name: NAME });');
    const plugin = file('builtin-plugins/files/index.ts', "export const files = definePlugin({ name: 'files', tools: [{ name: 'x' }] });");
    const model = file('builtin-plugins/models/parrot.ts', "return { name: 'parrot-1', strategy: 'append' };");
    const all = [...tool, ...constant, ...plugin, ...model];
    expect(givenNames(all).map(({ name }) => name)).toEqual(['Grep', 'FindTool', 'files', 'parrot-1']);
    expect(only(nameComplaints([...all, ...file('core/pool.ts', '', "if (tool.name === 'Grep') return;")]))).toContain(
      'core/pool.ts:2 has the name "Grep" of builtin-plugins/files/grep.ts in it',
    );
    expect(only(nameComplaints([...all, ...file('core/pool.ts', 'const a = `use FindTool first`;')]))).toContain('"FindTool"');
    expect(nameComplaints([...all, ...file('core/pool.ts', '// Grep is only spoken of', "const a = 'Grep it';")])).toEqual([]);
  });
  test('R6 a word of the protocol is no name of a plugin', () => {
    const tree = [
      ...file('core/tool.ts', "export type ToolKind = 'search' | 'read';", "const kind: ToolKind = 'search';"),
      ...file('builtin-plugins/search/index.ts', "definePlugin({ name: 'search' })"),
    ];
    expect(nameComplaints(tree)).toEqual([]);
  });
  test.each(['Date.now()', 'new Date()', 'Math.random()', 'process.env["HOME"]', 'a.sort((x, y) => x.localeCompare(y))', 'randomUUID()'])(
    'R7 %s in core',
    (code) => {
      expect(only(worldComplaints(file('core/pool.ts', '// Date.now() in a comment', `const a = ${code};`)))).toContain(
        'core/pool.ts:2 says',
      );
      expect(worldComplaints(file('core/host-options.ts', `const a = ${code};`))).toEqual([]);
    },
  );
  test.each(['let count = 0;', 'const seen = new Map<string, number>();', 'const list: string[] = [];', 'export let x;'])(
    'a value that changes: %s',
    (code) => {
      expect(only(stateComplaints(file('mcp/source.ts', '', code)))).toContain('mcp/source.ts:2 keeps a value that changes');
    },
  );
  test('a table is no value that changes', () => {
    const tables = [
      "const a: ReadonlySet<string> = new Set(['x']);",
      'const memo = new WeakMap<object, number>();',
      'const none: readonly string[] = [];',
      'function f() { let inner = 0; const m = new Map(); return [inner, m]; }',
    ];
    expect(stateComplaints(file('mcp/names.ts', ...tables))).toEqual([]);
  });
  test('a 301-line file', () => {
    const long = Array.from({ length: 301 }, (_, i) => `export const a${i} = ${i};`);
    expect(only(lengthComplaints(file('core/pool.ts', ...long)))).toContain('core/pool.ts:301 has 301 code lines, 300 are allowed');
    expect(lengthComplaints(file('core/pool.ts', ...long.slice(1), '// a comment', '', '/* two', 'more */'))).toEqual([]);
    expect(lengthComplaints(file('core/words.data.ts', ...long))).toEqual([]);
    expect(lengthComplaints(file('test/core/pool.test.ts', ...long))).toEqual([]);
  });
  test('a long file on the list may shrink and must then say so', () => {
    const lines = Array.from({ length: 310 }, (_, i) => `export const a${i} = ${i};`);
    expect(lengthComplaints(file('core/pool.ts', ...lines), { 'core/pool.ts': 310 })).toEqual([]);
    expect(only(lengthComplaints(file('core/pool.ts', ...lines), { 'core/pool.ts': 309 }))).toContain('309 are allowed');
    expect(only(lengthComplaints(file('core/pool.ts', ...lines), { 'core/pool.ts': 320 }))).toContain('has shrunk to 310');
    expect(only(lengthComplaints(file('core/pool.ts', 'a();'), { 'core/pool.ts': 320 }))).toContain('Take it out of LONG_FILES');
  });
  test('a core that grows', () => {
    const lines = Array.from({ length: 290 }, (_, i) => `export const a${i} = ${i};`);
    const many = Array.from({ length: 24 }, (_, i) => file(`core/part-${i}.ts`, ...lines)).flat();
    expect(coreComplaints(many).map((each) => each.split(' has ')[0])).toEqual([
      'core/ without search/ and kit/:1',
      'the median file of core/:1',
    ]);
    expect(only(coreComplaints(file('core/search/x.ts', ...Array.from({ length: 6 }, () => lines).flat())))).toContain('core/search/');
  });
  test('a file name that says nothing', () => {
    expect(
      fileNameComplaints([...file('core/utils.ts', ''), ...file('core/tool-helper.ts', ''), ...file('core/Pool.ts', '')]),
    ).toHaveLength(3);
    expect(fileNameComplaints([...file('core/layer-tables.data.ts', ''), ...file('vitest.rules.config.ts', '')])).toEqual([]);
  });
  test('code lines are lines with code', () => {
    expect(codeLines('a();\n\n// b\n/* c\nd */ e();\nconst f = `g\nh`; // i\n')).toBe(4);
  });
});
