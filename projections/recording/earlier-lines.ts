import type { Source } from '../../events/facts/sources.ts';
import { type Reading, read } from './reading.ts';
import { type Recording, factAt } from './recording.ts';
import { type Line, editedLines, isEdited, linesOn, shownLinesIn } from './summary.ts';
import { withKnownNames } from './written-texts.ts';

/** A line with names where they are known. What a person wrote stays as they wrote it. */
export function named(speakers: Reading['speakers'], line: Line): Line {
  const { by, text, speaker, person } = line;
  const name = speakers.find(({ label }) => label === speaker)?.name;
  return {
    ...line,
    text: by === undefined ? withKnownNames(text, speakers) : text,
    person: speaker === null ? person : (name ?? person),
  };
}

/** A line as it is kept: with names and a time by which it is true also of another transcript. */
export function frozen({ speakers, blocks }: Reading, line: Line): Line {
  const block = blocks.find(({ id }) => id === line.block);
  return {
    ...named(speakers, line),
    ...(block ? { at: (block.start + block.end) / 2 } : {}),
  };
}

/** A line as it was, true of the turns that are shown, with those that stood above it. */
type EarlierLine = { line: Line; above: readonly Line[] };

type Shown = { recording: Recording; reading: Reading };

/** A line as it came with the fact that it is called by; null also where its turns are not known any more. */
export function lineAsMade({ recording, reading }: Shown, id: string): EarlierLine | null {
  const version = Number(/^(\d+)-\d+$/u.exec(id)?.[1] ?? 0);
  const types = ['summary.completed', 'speakers.renamed', 'version.restored'] as const;
  const fact = factAt(recording, version || null, ...types);
  const found = fact && lineAmong(shownLinesIn(fact), id);
  const holds = ({ results: { summary, names, restored } }: Source): boolean =>
    [summary, names, restored].includes(version);
  const source = [...recording.sources.versions, reading.source].findLast(holds);
  if (!found || !source) return null;
  if (source.results.turns === reading.source.results.turns) return found;
  // In other turns its label is another voice.
  const freed = { ...frozen(read(recording, source), found.line), speaker: null };
  return { ...found, line: linkedByTime(reading, freed) };
}

/** A line that was removed, as it was last. */
export function lineAsLast(shown: Shown, id: string): EarlierLine | null {
  const { recording, reading } = shown;
  for (const fact of recording.facts.toReversed()) {
    if (!isEdited(fact)) continue;
    const found = lineAmong(editedLines(recording, reading.source, fact), id);
    if (!found) continue;
    const isOfThese = fact.data.turns === reading.source.results.turns;
    return isOfThese ? found : { ...found, line: linkedByTime(reading, found.line) };
  }
  return lineAsMade(shown, id);
}

function lineAmong(lines: readonly Line[], id: string): EarlierLine | null {
  const at = lines.findIndex((one) => one.id === id);
  const line = lines[at];
  return line ? { line, above: lines.slice(0, at) } : null;
}

/** A line of other turns on what is said at its time: a block of the same id may be any other. */
function linkedByTime({ blocks }: Reading, line: Line): Line {
  const [linked = line] = linesOn(blocks, [
    { ...line, block: line.at === undefined ? null : line.block },
  ]);
  return linked;
}
