import { maskValue, namesSecret } from 'pegboard/kit';

const STARS = '********';

/**
 * A value without its secrets, as the log keeps it. Nobody has to be able to use what stands there, so more is hidden than where a
 * person looks at settings: whatever a name, a tag, a sentence or a parameter of an address says is a secret, however it is quoted.
 */
export function maskRecord(value: unknown): unknown {
  return maskMore(maskValue(value, [], 'record'));
}

function maskMore(value: unknown): unknown {
  if (typeof value === 'string') return maskWritten(value);
  if (Array.isArray(value)) return value.map(maskMore);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value);
  const told = members.some(
    ([name, each]) => NAMES.has(name.toLowerCase()) && typeof each === 'string' && (saysSecret(each) || each === STARS),
  );
  return Object.fromEntries(
    members.map(([name, each]) => {
      const isSecret = saysSecret(name) || (told && VALUES.has(name.toLowerCase()));
      return [maskWritten(name), isSecret ? maskAll(each) : maskMore(each)];
    }),
  );
}

/** `{name: 'token', value: …}`. */
const NAMES: ReadonlySet<string> = new Set(['name', 'key', 'header', 'field', 'param', 'variable', 'id']);
const VALUES: ReadonlySet<string> = new Set(['value', 'values', 'val', 'content', 'data', 'text']);

/** The words of others for what has no second reader. */
const OTHER_NAMES =
  /(?:^|[^a-z])(?:pw|pass|passwort|kennwort|geheimnis|contrase(?:ñ|n)a|clave|senha|mot_?de_?passe|parola|wachtwoord|haslo|lösenord)(?:$|[^a-z])/i;

function saysSecret(name: string): boolean {
  return name.length <= 100 && (namesSecret(name) || OTHER_NAMES.test(name));
}

function maskAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskAll);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, maskAll(each)]));
  return typeof value === 'boolean' || value === null || value === '' ? value : STARS;
}

const QUOTE = String.raw`\\{0,8}["'${'`'}]?`;
const VALUE = String.raw`(?!=)[^\s"'${'`'}\\,;&<>(){}\[\]]{1,2000}`;
/** `name = "value"`, `'name' => 'value'`, `\"name\":\"value\"`. */
const ASSIGNED = new RegExp(
  String.raw`(?<![\p{L}\d_.-])([\p{L}_-][\p{L}\d_.-]{0,80})(${QUOTE}[ \t]{0,20}(?:=>|:=|=|:)\s{0,20}${QUOTE})(${VALUE})`,
  'gu',
);
const TAGGED = /(<([A-Za-z_][\w.:-]{0,80})[^<>]{0,200}>)([^<]{1,2000})(?=<\/)/g;
/** `the password is …`, where what follows is no word of a language. */
const SPOKEN = new RegExp(String.raw`(\b[\p{L}]{2,30}(?:\s(?:is|was|ist|es|est)|)\s{1,4}${QUOTE})((?=[^\s]*\d)${VALUE})`, 'giu');
/** What lets whoever has the address in. */
const PARAMETER = /([?&#](?:code|sig|sign|signature|key|hash|ticket|invite|otp|assertion|samlresponse|x-amz-[\w-]+|se)=)([^&#\s"']+)/gi;
const IN_PATH =
  /(\/\/hooks\.[\w.-]+\/(?:[\w-]+\/){0,4}|\/(?:api\/)?webhooks\/\d+\/|\/bot\d+:|\/\/discord\w*\.com\/[\w/]*webhooks\/\d+\/)([\w-]{8,})/gi;
const GLUED_OPTION = /(\b(?:mysql|mariadb|mysqldump|mysqladmin|sshpass|7z[ar]?|zip|unzip)\b[^\n|;&]{0,200}?\s-p)([^\s'"]+)/gi;
/** The forms of tokens that nothing else looks like, also in the middle of a word. */
const TOKEN = /(?:sk-ant-|sk_live_|rk_live_|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza)[\w-]{12,}/g;

/** What stands behind a name in code, or has been masked before. */
function isWord(value: string): boolean {
  return (
    value.length < 3 ||
    value.startsWith('**') ||
    /^(?:true|false|null|none|nil|undefined|str(?:ing)?|int|number|bool(?:ean)?|any|unknown)$/i.test(value)
  );
}

function maskWritten(text: string): string {
  if (text.length < 4) return text;
  return text
    .replace(ASSIGNED, (whole: string, name: string, between: string, value: string) =>
      saysSecret(name) && !isWord(value) ? name + between + STARS : whole,
    )
    .replace(TAGGED, (whole: string, tag: string, name: string) => (saysSecret(name) ? tag + STARS : whole))
    .replace(SPOKEN, (whole: string, before: string) => (saysSecret(/[\p{L}]+/u.exec(before)?.[0] ?? '') ? before + STARS : whole))
    .replace(PARAMETER, `$1${STARS}`)
    .replace(IN_PATH, `$1${STARS}`)
    .replace(GLUED_OPTION, `$1${STARS}`)
    .replace(TOKEN, STARS);
}
