import type { BlockChange } from '../../projections/recording/edit-turns.ts';
import type { DocumentEdit } from '../../projections/recording/edit-document.ts';

/** Corrections taken from one document; with more of them it is a person's own version. */
const changesMax = 900;

/**
 * Compares a transcript as we would write it with what a person made of it, block by block: a block is
 * the paragraph that ends in its block id. Text outside of blocks, blocks that were taken out, added
 * or moved, and paragraphs that lost their form are nothing a correction can say.
 */
export function editIn(ours: string, theirs: string): DocumentEdit {
  const [before, after] = [paragraphsOf(ours), paragraphsOf(theirs)];
  const known = new Map(before.flatMap(({ id, text }) => (id === null ? [] : [[id, text]])));
  let own = skeleton(before) !== skeleton(after);
  const changes: BlockChange[] = [];
  for (const { id, text } of after) {
    const old = id === null ? undefined : known.get(id);
    if (id === null || old === undefined || old === text) continue;
    const was = turnIn(old, true);
    const is = turnIn(text, was?.speaker !== undefined);
    if (!is || (was?.speaker === undefined) !== (is.speaker === undefined)) {
      own = true;
      continue;
    }
    // Its time is not the text's.
    if (is.text === was?.text && is.speaker === was.speaker) continue;
    changes.push({
      block: id,
      ...(is.text === was?.text ? {} : { text: is.text }),
      ...(is.speaker === was?.speaker ? {} : { speaker: is.speaker }),
    });
  }
  return changes.length > changesMax ? { changes: [], own: true } : { changes, own };
}

type Paragraph = { id: string | null; text: string };

function paragraphsOf(markdown: string): Paragraph[] {
  return markdown
    .replace(/\r\n?/gu, '\n')
    .split(/\n[ \t]*\n\s*/u)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => {
      const block = /(?<!\S)\^[A-Za-z0-9-]+$/u.exec(paragraph);
      if (!block) return { id: null, text: paragraph };
      return { id: block[0].slice(1), text: paragraph.slice(0, block.index).trimEnd() };
    });
}

/** Everything that is not a block's own text. */
const skeleton = (paragraphs: readonly Paragraph[]): string =>
  JSON.stringify(paragraphs.map(({ id, text }) => (id === null ? { text } : { id })));

/**
 * A block's text without its time, and in a meeting whose it is; undefined for what cannot be one.
 * @param hasName whether bold text at its beginning is a name also where no time follows
 */
function turnIn(
  paragraph: string,
  hasName: boolean,
): { text: string; speaker?: string } | undefined {
  const lines = paragraph.split('\n').map((each) => each.trim());
  const line = lines.filter((each) => each !== '').join(' ');
  const turn =
    /^(?:\*\*(?<name>.+?)\*\*)?(?:^| |$)(?<time>\[\d{2,}:\d{2}:\d{2}\](?: |$))?(?<text>.*)$/su.exec(
      line,
    );
  const { name, time, text = '' } = turn?.groups ?? {};
  if (name !== undefined && (hasName || time !== undefined)) {
    return { text: unescaped(text), speaker: unescaped(name) };
  }
  return { text: unescaped(line.replace(/^\[\d{2,}:\d{2}:\d{2}\](?: |$)/u, '')) };
}

/** CommonMark: a backslash before ASCII punctuation stands for the punctuation. */
export const unescaped = (markdown: string): string =>
  markdown.replace(/\\([!-/:-@[-`{-~])/gu, '$1').trim();
