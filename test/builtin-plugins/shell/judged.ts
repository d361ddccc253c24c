import { afterAll } from 'vitest';

import { openJudge, type Judge } from './open-judge.ts';

/** Opens judges for the tests of one file, and closes them behind the last of these. */
export function judgesOfFile(): typeof openJudge {
  const judges: Judge[] = [];
  afterAll(() => Promise.all(judges.map((judge) => judge.close())));
  return async (...given) => {
    const judge = await openJudge(...given);
    judges.push(judge);
    return judge;
  };
}
