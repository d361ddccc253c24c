import { estimateTokens, wireBytes, wireTool, type ErrorCode, type Judged, type Outcome, type Place, type SearchMatch } from 'pegboard';

/** One row of `tools list --json`. */
export function placeJson({ tool, source, state, why }: Place) {
  const bytes = wireBytes(tool);
  return {
    name: tool.name,
    source: source.owner,
    builtin: source.builtin,
    state,
    why,
    bytes,
    tokens: estimateTokens(bytes),
    ...(source.firstUseMs === undefined ? {} : { firstUseMs: source.firstUseMs }),
    ...(tool.title === undefined ? {} : { title: tool.title }),
    hint: tool.searchHint,
    ...(tool.annotations === undefined ? {} : { annotations: tool.annotations }),
  };
}

/** The answer of `tools show --json`: the row of the list, and everything that is known beside it. */
export function toolJson(place: Place) {
  const { tool } = place;
  return {
    ...placeJson(place),
    kind: tool.kind,
    aliases: tool.aliases,
    ruleNames: tool.ruleNames,
    definition: wireTool(tool),
    ...(tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
  };
}

/** One row of `tools search --json`; with `--explain` also how its score came about. */
export function matchJson({ place, score, explanation }: SearchMatch) {
  const row = { name: place.tool.name, score, source: place.source.owner, hint: place.tool.searchHint };
  return explanation === undefined ? row : { ...row, explanation };
}

const CODES: Readonly<Record<Exclude<Outcome['kind'], 'done'>, ErrorCode>> = {
  refused: 'CALL_REFUSED',
  unknown: 'TOOL_UNKNOWN',
  hidden: 'TOOL_HIDDEN',
  invalid: 'TOOL_INPUT',
  failed: 'TOOL_FAILED',
  cancelled: 'TOOL_CANCELLED',
};

/** The answer of `tools call --json`; what was not done has the code of its sentence. */
export function outcomeJson(outcome: Outcome) {
  const { content, structuredContent, isError } = outcome.result;
  return {
    outcome: outcome.kind,
    ...(outcome.kind === 'done' ? {} : { code: CODES[outcome.kind] }),
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    isError: isError === true,
    ...('decision' in outcome ? { decision: decisionJson(outcome.decision) } : {}),
    ...('message' in outcome ? { message: outcome.message } : {}),
  };
}

/** How a call was judged: what, at which step of the pipeline, and why. */
export function decisionJson(decision: Judged) {
  return { kind: decision.kind, step: decision.step, reason: decision.reason };
}
