/** How speakers are marked (ui/README.md, "Speakers"): a colour with a shape, and an initial or a number. */

export type SpeakerMark = {
  /** Which of the eight colours and shapes, from 1. */
  colour: number;
  /** A letter of the name; while there is none, the number of the speaker. */
  initial: string;
};

const colours = 8;

/** @param name null or empty while the speaker has none */
export function speakerMark(label: string, name: string | null): SpeakerMark {
  const number = speakerNumberOf(label);
  const initial = (name ?? '').trim().slice(0, 2);
  return {
    colour: ((number - 1) % colours) + 1,
    initial: initial === '' ? String(number) : Array.from(initial)[0]!.toUpperCase(),
  };
}

/** What somebody without a name is called, in the languages of documents: `Speaker 1`. */
const unnamed = /^(?:Speaker|Sprecher) (\d+)$/;

/** Marks of people of whom only names are known, such as in the library: in their order. */
export function markOfName(name: string, index: number): SpeakerMark {
  const number = Number(unnamed.exec(name)?.[1] ?? index + 1);
  return speakerMark(
    `SPEAKER_${String(number - 1).padStart(2, '0')}`,
    unnamed.test(name) ? null : name,
  );
}

/**
 * `SPEAKER_00` → 1, and `SPEAKER_1` of older recordings → 1: by first speech, so that it never changes. `VOICE_10`, heard
 * while it is recorded → 10.
 */
export function speakerNumberOf(label: string): number {
  const [digits] = /\d+$/.exec(label) ?? [];
  if (digits === undefined) return 1;
  return digits.length > 1 && !label.startsWith('VOICE_')
    ? Number(digits) + 1
    : Math.max(1, Number(digits));
}
