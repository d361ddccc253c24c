import { defineTool, errorResult, matchWildcard, PegboardError, type Tool, type ToolContext, type ToolResult } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

import { isOffered, type Skill } from './skill.ts';
import { similarSkills } from './similar-skills.ts';

interface SkillInput {
  readonly skill: string;
  readonly args?: string;
}

/** What the tool needs around it. */
export interface SkillDesk {
  /** Whether there can be any. */
  any(): boolean;
  /** As they are now. */
  all(): Promise<readonly Skill[]>;
  /** As they were when somebody last looked. */
  known(): readonly Skill[];
  use(skill: Skill, words: string, context: ToolContext): Promise<ToolResult>;
}

/** The tool that gives a skill's text to a model. One that brings no grants of its own only gives words, and nobody is asked about it. */
export function makeSkillTool(desk: SkillDesk): Tool<SkillInput> {
  const named = (name: string) => skillNamed(name, desk.known().filter(isOffered));
  return defineTool<SkillInput>({
    name: 'Skill',
    description: 'Gives the procedure a skill describes, to be followed. Skills that there are were listed in the conversation.',
    searchHint: 'use a skill, a written procedure for a task',
    alwaysLoad: true,
    maxResultSizeChars: 200_000,
    input: jsonSchema<SkillInput>({
      type: 'object',
      properties: {
        skill: { type: 'string', description: 'The name of the skill, as it was listed' },
        args: { type: 'string', description: 'Words for the skill' },
      },
      required: ['skill'],
      additionalProperties: false,
    }),
    isEnabled: () => desk.any(),
    isReadOnly: ({ skill }) => isOnlyWords(named(skill)),
    isDestructive: () => false,
    checkPermissions: async ({ skill }) => {
      await desk.all();
      return isOnlyWords(named(skill))
        ? { kind: 'allow', reason: { by: 'tool', detail: 'a skill without grants of its own only gives words' } }
        : { kind: 'passthrough' };
    },
    preparePermissionMatcher:
      ({ skill }) =>
      (content) =>
        matchWildcard(content.trim().replace(/:\*$/, '*'), named(skill)?.id ?? skill),
    suggestRules: ({ skill }) => [`Skill(${named(skill)?.id ?? skill})`],
    toAutoClassifierInput: ({ skill, args = '' }) => `${skill} ${args}`,
    display: { activity: ({ skill }) => `Using the skill ${skill}`, summary: ({ skill }) => skill },
    call: async ({ skill, args = '' }, context) => {
      const offered = (await desk.all()).filter(isOffered);
      const found = skillNamed(skill, offered);
      return found ? desk.use(found, args, context) : unknown(skill, offered);
    },
  });
}

/** Neither grants nor commands nor anything that starts. */
function isOnlyWords(skill: Skill | undefined): boolean {
  if (skill === undefined) return true;
  const { allowed, servers, hooks } = skill.fields;
  return allowed.length === 0 && hooks === undefined && Object.keys(servers).length === 0;
}

/** By its name, else by another name that only it has. */
export function skillNamed(name: string, skills: readonly Skill[]): Skill | undefined {
  const bare = name.trim().replace(/^\//, '');
  const exact = skills.find(({ id }) => id === bare);
  if (exact) return exact;
  const aliased = skills.filter(({ aliases }) => aliases.includes(bare));
  return aliased.length === 1 ? aliased[0] : undefined;
}

function unknown(name: string, offered: readonly Skill[]): ToolResult {
  const near = similarSkills(name, offered);
  if (near.length === 0) return errorResult(new PegboardError('SKILL_UNKNOWN', { skill: name, near: '' }).message);
  const lines = near.map(({ id, description }) => `- ${id}: ${description}`);
  return errorResult(new PegboardError('SKILL_UNKNOWN', { skill: name, near: ` These are close to it:\n${lines.join('\n')}` }).message);
}
