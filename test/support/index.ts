/** What Pegboard's own tests test with, for people who write plugins: `pegboard/testing`. */
export { startMessagesServer } from './messages-server.ts';
export type { MessagesServer, ReceivedRequest } from './messages-server.ts';
export type { ServerRefusal, ServerResponse, ServerTurn } from './server-script.ts';
export { requestProblems } from './request-problems.ts';
export { scriptedModel } from './scripted-model.ts';
export type { ScriptedModel, ScriptedResponse, ScriptedTurn } from './scripted-model.ts';
export { startHost } from './start-host.ts';
export type { StartedHost, StartOptions } from './start-host.ts';
export { temporaryFolder } from './temp-folder.ts';
export type { TemporaryFolder } from './temp-folder.ts';
export { wireProblems } from './wire-problems.ts';
export { fakeServer, readRecord, startFakeHttpServer } from './fake-server.ts';
export type { FakeHttpServer, FakeRecord, FakeServerPlan, FakeStep } from './fake-server.ts';
