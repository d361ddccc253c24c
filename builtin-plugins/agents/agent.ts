import { defineTool, matchWildcard, type RuleMatcher, type Tool, type ToolContext, type ToolResult } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

export interface AgentInput {
  readonly prompt: string;
  readonly description?: string;
  readonly subagent_type?: string;
  readonly name?: string;
  readonly model?: string;
  readonly run_in_background?: boolean;
}

/** Starts a sub-agent and gives what it answers. Every call of it goes through the pipeline of the session it belongs to. */
export type StartAgent = (input: AgentInput, context: ToolContext) => Promise<ToolResult>;

/** The agent that is started when no other is named. */
const USUAL = 'general-purpose';

/** The tool that hands work to a sub-agent; rules name the agents: `Agent(Explore)`. */
export function makeAgent(start: StartAgent): Tool<AgentInput> {
  return defineTool<AgentInput>({
    name: 'Agent',
    aliases: ['Task'],
    description: 'Hands a task to a sub-agent with a conversation of its own, and gives its answer.',
    searchHint: 'delegate a task to a sub-agent',
    kind: 'agent',
    ruleNames: ['Task'],
    input: jsonSchema<AgentInput>({
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'The task, with all that the sub-agent has to know' },
        description: { type: 'string', description: 'The task in a few words' },
        subagent_type: { type: 'string', description: `Which agent; ${USUAL} if left out` },
        name: { type: 'string', description: 'A name to send messages to' },
        model: { type: 'string', description: 'Another model than the one in use' },
        run_in_background: { type: 'boolean', description: 'Go on without waiting for the answer' },
      },
      required: ['prompt'],
      additionalProperties: false,
    }),
    preparePermissionMatcher: ({ subagent_type }) => agentMatcher(subagent_type?.trim() || USUAL),
    suggestRules: ({ subagent_type }) => [`Agent(${subagent_type?.trim() || USUAL})`],
    toAutoClassifierInput: ({ subagent_type = USUAL, prompt }) => `${subagent_type}: ${prompt}`,
    display: {
      activity: ({ description, subagent_type = USUAL }) => `${subagent_type}: ${description ?? 'working'}`,
      summary: ({ description, subagent_type = USUAL }) => description ?? subagent_type,
    },
    call: start,
  });
}

/** A grant names an agent to the letter, a restriction in any spelling. */
function agentMatcher(agent: string): RuleMatcher {
  return (content, { list }) =>
    list === 'allow' ? matchWildcard(content.trim(), agent) : matchWildcard(content.trim().toLowerCase(), agent.toLowerCase());
}
