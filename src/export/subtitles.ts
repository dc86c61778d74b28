import { speakerName } from '../documents/speaker-names.ts';
import type { DocumentsInput } from '../documents/documents.ts';
import { cues, type Cue } from './cues.ts';

/** SubRip. There is no standard; this is what every player takes: UTF-8, CRLF, names in the text. */
export function subRip(input: DocumentsInput): string {
  return cues(input.blocks, nameIn(input), { named: true })
    .map(
      (cue, index) =>
        `${index + 1}\r\n${times(cue, ',')}\r\n${cue.lines.map(withoutArrow).join('\r\n')}\r\n\r\n`,
    )
    .join('');
}

/** WebVTT (W3C): names as voices. */
export function webVtt(input: DocumentsInput): string {
  const language = input.language === null ? '' : `\nLanguage: ${input.language}`;
  const all = cues(input.blocks, nameIn(input), { named: false }).map((cue, index) => {
    const voice = cue.speaker === null ? '' : `<v ${escaped(cue.speaker)}>`;
    return `${index + 1}\n${times(cue, '.')}\n${voice}${cue.lines.map(escaped).join('\n')}\n`;
  });
  return [`WEBVTT${language}\n`, ...all].join('\n');
}

/** Nobody is named in a solo recording. */
const nameIn =
  (input: DocumentsInput) =>
  (speaker: string | null): string | null =>
    speaker === null || input.kind === 'solo' ? null : speakerName(input, speaker);

const times = ({ start, end }: Cue, point: ',' | '.'): string =>
  `${clock(start, point)} --> ${clock(end, point)}`;

/** `01:02:03,456`; a hundred hours and more have three digits. */
function clock(seconds: number, point: string): string {
  const ms = Math.round(seconds * 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const rest = String(ms % 1000).padStart(3, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${point}${rest}`;
}

const withoutArrow = (line: string): string => line.replaceAll('-->', '→');

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
