import { afterAll, describe, expect, test } from 'vitest';

import { openJudge, type Judge } from './open-judge.ts';
import { PROOF_STATEMENTS } from './proof-statements.data.ts';
import { READING_STATEMENTS } from './statements.data.ts';

const judges: Judge[] = [];
afterAll(() => Promise.all(judges.map((judge) => judge.close())));

// 38, 50 and 51 need programs that run: git-hostile.test.ts and sandbox.test.ts.
for (const { number, rows, mode, links, ...rules } of [...READING_STATEMENTS, ...PROOF_STATEMENTS])
  describe(`M5.1 M5.2 permissions ${number}`, async () => {
    const judge = await openJudge(rules, mode, links);
    judges.push(judge);
    test.each(rows)(`permissions ${number} %s %j`, async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
  });
