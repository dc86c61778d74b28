import { textSegments } from '../shared/segments.ts';
import { streamSafe } from '../shared/stream-safe.ts';
/** Longest name of a file, in UTF-8 bytes, that Linux, macOS and Windows file systems all take. */
export const nameBytesMax = 255;

/** Characters that some system or an Obsidian link gives a meaning to: never in a name of ours. */
export const unsafeCharacters = /[\\/:*?"<>|#^[\]~]/u;

/**
 * Names that Windows keeps for devices, whatever follows a first dot ("Naming Files, Paths, and
 * Namespaces", Microsoft). The superscript digits count as digits there.
 */
export const isReservedOnWindows = (name: string): boolean =>
  /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/iu.test(name);

/**
 * The form in which two names are compared. File systems disagree about case (`ß` and `SS` are one
 * name on APFS) and about composed letters; this form is equal wherever any of them says so.
 */
export const comparable = (name: string): string =>
  name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');

/** Longest title in a file name, in UTF-16 units, which is what Windows and macOS count. */
const titleUnitsMax = 80;
/** A name that is taken this often is a fault of the question, not of the space. */
const triesMax = 9999;
/** Room for the ` (9999)` and the `.md` that may follow. */
const titleBytesMax =
  nameBytesMax - 'YYYY-MM-DD HH.mm '.length - ` (${triesMax})`.length - '.md'.length;

/**
 * Name of a recording's documents: `YYYY-MM-DD HH.mm <Title>`, with ` (2)`, ` (3)`, … when taken.
 * The title is reduced to what is safe in file names on every system and in Obsidian links; of a
 * title with nothing safe in it the date alone stays.
 *
 * @param localStart start of the recording, RFC 3339 with the server's offset: its wall clock counts
 * @param taken whether documents of that base name exist or are promised; it compares without case
 *   (see `listTaken`) and also knows names that are in the log but not on disk yet
 * @throws {RangeError} `localStart` is not RFC 3339, or 9999 names are taken
 */
export async function baseName(
  localStart: string,
  title: string,
  taken: (base: string) => boolean | Promise<boolean>,
): Promise<string> {
  const start = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})/u.exec(localStart);
  if (!start) throw new RangeError(`not an RFC 3339 time: ${localStart}`);
  const base = `${start[1]} ${start[2]}.${start[3]} ${safeTitle(title)}`.trimEnd();
  if (!(await taken(base))) return base;
  for (let number = 2; number <= triesMax; number += 1) {
    const candidate = `${base} (${number})`;
    if (!(await taken(candidate))) return candidate;
  }
  throw new RangeError(`${triesMax} documents are called the same`);
}

/**
 * A title out of the name of an imported file: without its ending, underscores as spaces. Empty where the
 * name says nothing: numbers, or what devices and programs call each recording.
 */
export function titleOfFile(filename: string): string {
  const title = streamSafe(filename)
    .replace(/\.(?=[a-z0-9]*[a-z])[a-z0-9]{2,5}$/iu, '')
    .replaceAll(/[\s_]+/gu, ' ')
    .normalize('NFC')
    .trim();
  return saysNothing(title) ? '' : title;
}

/** What devices and programs call every recording, in words: beside numbers, dates and times. */
const namesOfDevices = new Set(
  'aud audio aufnahme aufzeichnung blob call clip dm dss dvr enregistrement file grabación memo mic mono new neue neu note ptt rec record recording sound soundtrack sprachmemo sprachnachricht standard standardaufnahme stereo take track vn vid video voice vm wa whatsapp telegram signal zoom ds dw dvt r stm ms wav am pm at um uhr to'.split(
    ' ',
  ),
);

/** `REC_0012`, `Voice 003`, `20260101_101500`, `WhatsApp Audio 2026-11-21 at 10.22.33`: no title among them. */
function saysNothing(title: string): boolean {
  const words = title.toLowerCase().match(/\p{L}+/gu) ?? [];
  const isNumbered = /\p{N}/u.test(title);
  // “Zoom” may be a talk about it; with a number it is a device's.
  if (words.length === 0 || /^(?:audio|blob|file|recording|aufnahme)$/iu.test(title)) return true;
  const isPlain = /^(?:voice memo|new recording|neue aufnahme|voice recording|sprachmemo)$/iu;
  return isPlain.test(title) || (isNumbered && words.every((word) => namesOfDevices.has(word)));
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

function safeTitle(title: string): string {
  const safe = title
    // Whatever is unseen (controls, direction marks, lone surrogates, unassigned) but the joiners
    // that Persian and emoji are spelt with; a line's end is a space.
    .replace(/[\t-\r\u0085\u2028\u2029]/gu, ' ')
    .replace(/[^\P{C}\u200C\u200D]/gu, '')
    .replace(/[\\/:*?"<>|#^[\]~]+/gu, ' ')
    // Obsidian reads `%%` as a comment and backticks as code, also within links.
    .replace(/%{2,}/gu, '%')
    .replace(/`/gu, "'")
    .replace(/\s+/gu, ' ')
    .replace(/^[\s.]+/u, '')
    // Last, as leaving something out can bring a letter and its accent together.
    .normalize('NFC');
  return cut(safe).replace(/(?<![\s.\u200C\u200D])[\s.\u200C\u200D]+$/u, '');
}

/** The longest beginning that fits and breaks no grapheme apart. */
function cut(title: string): string {
  let kept = '';
  for (const { segment } of textSegments(graphemes, title)) {
    const longer = kept + segment;
    if (longer.length > titleUnitsMax || Buffer.byteLength(longer) > titleBytesMax) break;
    kept = longer;
  }
  return kept;
}
