import { win32 } from 'node:path';

import { describe, expect, test } from 'vitest';

import { windowsLaunch } from '../../../core/kit/windows-launch.ts';

const files = ['C:\\node\\npx.cmd', 'C:\\node\\node.exe', 'C:\\tools\\npx.exe', 'C:\\work\\run.bat'];
const isFile = (path: string) => files.some((file) => file.toLowerCase() === win32.normalize(path).toLowerCase());
const env = { Path: 'C:\\empty;C:\\node', PATHEXT: '.exe;.cmd', ComSpec: 'C:\\Windows\\cmd.exe' };
const launch = (command: string, args: readonly string[] = []) => windowsLaunch({ command, args, env, cwd: 'C:\\work' }, isFile);

/** What the interpreter makes of a line: a caret takes the meaning from what follows. It is read twice on the way to a program. */
const readOnce = (line: string) => line.replace(/\^(.)/g, '$1');

describe('a program on Windows', () => {
  test('MCP-34 that is a batch file goes through the interpreter, and its arguments reach the program as they are', () => {
    const args = ['-y', 'demo-server', 'a b & c', 'say "hi" | more', '100%PATH%', 'C:\\folder\\'];
    const { command, args: given, verbatim } = launch('npx', args);
    expect([command, verbatim, given.slice(0, 3)]).toEqual([env.ComSpec, true, ['/d', '/s', '/c']]);
    const line = given[3] ?? '';
    expect(line).not.toMatch(/[^^][&|<>%]/);
    const program = readOnce(readOnce(line.slice(1, -1)));
    expect(program).toBe('C:\\node\\npx.cmd "-y" "demo-server" "a b & c" "say \\"hi\\" | more" "100%PATH%" "C:\\folder\\\\"');
  });

  test('MCP-34 that is no batch file is started by its full name, and one that is not there as it was given', () => {
    expect(launch('node', ['a b'])).toEqual({ command: 'C:\\node\\node.exe', args: ['a b'], verbatim: false });
    expect(launch('missing', ['x'])).toEqual({ command: 'missing', args: ['x'], verbatim: false });
    expect(launch('..\\tools\\npx.exe').command).toBe('C:\\tools\\npx.exe');
  });

  test('MCP-34 that is a batch file is given no line breaks, behind which another command could stand', () => {
    expect(() => launch('npx', ['a\r\ndel x'])).toThrow('cannot be given an argument with a line break');
  });
});
