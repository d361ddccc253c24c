import { MODES } from 'pegboard';
import { z } from 'zod';

import { writtenRuleComplaint } from './written-rule.ts';

const rules = z.array(
  z.unknown().superRefine((item, { addIssue }) => {
    const message = writtenRuleComplaint(item);
    if (message !== undefined) addIssue({ code: 'custom', message });
  }),
);
const ruleLists = { allow: rules.optional(), ask: rules.optional(), deny: rules.optional() };
const mode = z.enum(MODES);
const choice = z.enum(['always', 'never']);
const deferralMode = z.union([choice, z.string().regex(/^auto:\d+(\.\d+)?%$/)], { error: 'expected "always", "never" or "auto:N%"' });
const texts = z.array(z.string().min(1));
/** Its three words are spelled out before anything is checked. */
const sandbox = z.strictObject(
  {
    enabled: z.boolean().optional(),
    failIfUnavailable: z.boolean().optional(),
    autoAllowBashIfSandboxed: z.boolean().optional(),
    allowUnsandboxedCommands: z.boolean().optional(),
    excludedCommands: texts.optional(),
    filesystem: z.strictObject({ allowWrite: texts.optional(), denyWrite: texts.optional(), denyRead: texts.optional() }).optional(),
    network: z.strictObject({ allowedDomains: texts.optional(), deniedDomains: texts.optional() }).optional(),
  },
  { error: (issue) => (issue.code === 'invalid_type' ? 'expected "off", "on", "required" or an object' : undefined) },
);
const serverMatch = z.union(
  [
    z.strictObject({ serverName: z.string().min(1) }),
    z.strictObject({ serverCommand: z.array(z.string()).min(1) }),
    z.strictObject({ serverUrl: z.string().min(1) }),
  ],
  { error: 'expected an object with exactly one of serverName, serverCommand (a list), serverUrl' },
);

/** The keys of the host and what may stand under them. Nothing is filled in or changed: what fits comes out as it went in. */
const settingsSchema = z.strictObject({
  $schema: z.string().optional(),
  permissions: z
    .strictObject({
      ...ruleLists,
      defaultMode: mode.optional(),
      additionalDirectories: z.array(z.string()).optional(),
      disabledModes: z.array(mode).optional(),
      disableBypassPermissionsMode: z.literal('disable').optional(),
    })
    .optional(),
  mcpServers: z.record(z.string(), z.looseObject({})).optional(),
  features: z
    .record(
      z.string().regex(/^[A-Za-z][\w.-]*$/, 'a feature is named by a letter and then letters, digits, "_", "-", "."'),
      z.union([z.boolean(), z.strictObject({ enabled: z.boolean().optional(), permissions: z.strictObject(ruleLists).optional() })], {
        error: 'expected true, false, or an object with enabled and permissions',
      }),
    )
    .optional(),
  model: z.string().min(1).optional(),
  fallbackModel: z.string().min(1).optional(),
  contextTokens: z.number().int().min(4_000).optional(),
  preset: z.literal('bare', { error: 'expected "bare" ("coordinator" and "repl" come with the tools they restrict)' }).optional(),
  deferral: z
    .strictObject({
      mode: deferralMode.optional(),
      announcementBytes: z.number().int().min(1_024).optional(),
      sources: z.record(z.string(), choice).optional(),
      tools: z.record(z.string(), choice).optional(),
    })
    .optional(),
  plugins: z.array(z.string().min(1)).optional(),
  pluginOptions: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  enabledPlugins: z.record(z.string().min(1), z.boolean()).optional(),
  extraKnownMarketplaces: z.record(z.string().min(1), z.looseObject({ source: z.looseObject({ source: z.string() }) })).optional(),
  pluginConfigs: z.record(z.string().min(1), z.looseObject({ options: z.record(z.string(), z.unknown()).optional() })).optional(),
  env: z.record(z.string().regex(/^[A-Za-z_]\w*$/, 'a variable is named by letters, digits and "_"'), z.string()).optional(),
  sandbox: sandbox.optional(),
  hooks: z
    .looseObject({ onFailure: z.enum(['ask', 'open', 'deny'], { error: 'expected "ask", "open" or "deny"' }).optional() })
    .catchall(z.array(z.unknown(), { error: 'expected a list of groups, each with `hooks`' }))
    .optional(),
  disableAllHooks: z.boolean().optional(),
  disableSkillShellExecution: z.boolean().optional(),
  skillListingMaxDescChars: z.number().int().min(0).optional(),
  skillListingBudgetFraction: z.number().min(0).max(1).optional(),
  compat: z.strictObject({ claude: z.boolean().optional() }).optional(),
  allowManagedPermissionRulesOnly: z.boolean().optional(),
  trustedMcpServers: z.array(z.string().min(1)).optional(),
  allowedMcpServers: z.array(serverMatch).optional(),
  deniedMcpServers: z.array(serverMatch).optional(),
});

/** What is wrong with a value: at which path, and what was expected there. */
export interface Misfit {
  readonly path: readonly (string | number)[];
  /** Names that no setting has, and those there are at this place. */
  readonly unknown: readonly string[];
  readonly known: readonly string[];
  readonly issue: string;
}

/** All misfits of a value, in order. */
export function misfitsOf(value: unknown): readonly Misfit[] {
  const checked = settingsSchema.safeParse(value);
  return (checked.error?.issues ?? []).map((issue) => {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys : [];
    const text = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
    return { path, unknown, known: unknown.length > 0 ? keysAt(path) : [], issue: text.replace(/^Invalid \w+: /, '') };
  });
}

function keysAt(path: readonly (string | number)[]): readonly string[] {
  let at: unknown = settingsSchema;
  for (const part of path) {
    while (at instanceof z.ZodOptional) at = at.unwrap();
    at = at instanceof z.ZodObject ? (at.shape as Record<string, unknown>)[part] : undefined;
  }
  while (at instanceof z.ZodOptional) at = at.unwrap();
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}
