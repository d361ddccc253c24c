import { definePlugin, type Plugin } from 'pegboard';

import { makeAgent, type StartAgent } from './agent.ts';

export type { AgentInput, StartAgent } from './agent.ts';
export { agentDefinitions } from './discover.ts';
export type { AgentDefinition, AgentDefinitions, AgentShelf } from './discover.ts';

/** The plugin "agents", for a host that can start sub-agents; it is not in the default set, because nothing there starts one. */
export function agents(start: StartAgent): Plugin {
  return definePlugin({ name: 'agents', tools: [makeAgent(start)] });
}
