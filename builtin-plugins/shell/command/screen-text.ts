const LONGEST = 10_000;

/**
 * Why a text cannot be trusted to be what a person sees of it, if so: characters that nobody sees, that turn the line around or look
 * like a blank, a screenful of blanks, or more than anybody reads. Letters of every script and plain emoji are fine.
 */
export function screenText(text: string): readonly string[] {
  const problems: string[] = [];
  if (text.length > LONGEST) problems.push(`it is longer than ${LONGEST} characters`);
  if (/[\p{Cc}\u2028\u2029]/u.test(text.replace(/[\t\n]/g, ''))) problems.push('it has a control character in it');
  if (/[\p{Zs}\u115F\u1160\u2800\u3164\uFFA0]/u.test(text.replaceAll(' ', '')))
    problems.push('it has a blank in it that is none to a shell');
  if (INVISIBLE.test(text.replace(EMOJI, ''))) problems.push('it has characters in it that nobody sees');
  if (/[\uD800-\uDFFF\uFFFE\uFFFF]/u.test(text)) problems.push('it has something in it that is no character');
  if (/[ \t]{120}/.test(text)) problems.push('it has a long row of blanks, which may push something out of sight');
  return problems;
}

const INVISIBLE = /[\p{Cf}\p{Co}\p{DI}]/u;
/** What joins and colours the parts of one emoji is not hidden text. */
const EMOJI = /[0-9#*]\uFE0F\u20E3|\p{Extended_Pictographic}(?:\uFE0F|\u200D\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier})*/gu;
