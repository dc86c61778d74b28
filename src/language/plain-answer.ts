const preamble =
  /^(?:(?:sure|certainly|of course|okay|here (?:is|are)|gerne?|natürlich|selbstverständlich|hier (?:ist|sind|folgt))\b.{0,120}[:!.]|\**(?:summary|zusammenfassung|notes|notizen)\**:?\**)$/iu;
const farewell =
  /^(?:i hope|let me know|feel free|if you (?:need|want|would)|ich hoffe|lass(?:en sie)? (?:mich|es)|wenn (?:du|sie) (?:noch|weitere))\b/iu;

/**
 * A model's prose as plain text: without fences, headings, links, images, tags, invisible
 * characters, and without the phrases round it. Bold, italics and lists stay. Never HTML; still
 * escaped by whoever renders it.
 */
export function plainAnswer(answer: string): string {
  const lines = withoutMarkup(answer)
    .split('\n')
    .map((line) => line.replace(/^\s*#{1,6}\s+/u, '').trimEnd());
  while (lines.length > 0 && (lines[0] === '' || preamble.test(lines[0]!.trim()))) lines.shift();
  while (lines.length > 0 && (lines.at(-1) === '' || farewell.test(lines.at(-1)!.trim())))
    lines.pop();
  return lines
    .join('\n')
    .replaceAll(/\n{3,}/gu, '\n\n')
    .trim();
}

/** One line of plain text: no list or emphasis either, no quotes round it. */
export function plainLine(answer: string): string {
  const line = withoutMarkup(answer)
    .replaceAll(/[*_`#]+/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
  const quoted = /^["'„“”«»‚‘’]+(.*?)["'„“”«»‚‘’]+([.,;:]?)$/u.exec(line);
  return (quoted ? quoted[1]! + quoted[2]! : line).trim();
}

const withoutMarkup = (answer: string): string =>
  answer
    .replaceAll(/\r\n?/gu, '\n')
    .replaceAll(/^\s*`{3,}\w*\s*$/gmu, '')
    .replaceAll(/!?\[([^\]\n]*)\]\([^)\n]*\)/gu, '$1')
    .replaceAll(/<\/?[a-z!][^>\n]{0,500}>/giu, '')
    // Invisible characters turn text round or hide in it; the two joiners some scripts need stay.
    .replaceAll(/(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}]/gu, '')
    .replaceAll(/[\u2028\u2029]/gu, '\n');
