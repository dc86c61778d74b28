/**
 * The number of a speaker as people count: `SPEAKER_00` is 1. Labels of two digits count from 00; those of
 * older logs have one and count from 1. Null for what is no such label.
 */
export function speakerNumber(label: string): number | null {
  const digits = digitsOf(label);
  return digits === undefined ? null : Number(digits) + (digits.length > 1 ? 1 : 0);
}

/**
 * A text with the labels in it replaced, however its writer spelled them: `SPEAKER_00`, `speaker_0`, and
 * `Speaker 1` or `Sprecher 1` as people are shown it. What names none of the labels stays. The text may be
 * Markdown. Pure.
 * @param show what to write for a label
 */
export function replaceLabels(
  text: string,
  labels: readonly string[],
  show: (label: string) => string,
): string {
  return text.replaceAll(mention, (whole, mark: string, digits: string) => {
    // With an underscore, in capitals or with a leading zero it is the label; else the number people see.
    const isLabel = mark.endsWith('_') || whole.startsWith('SP') || digits.startsWith('0');
    const number = Number(digits);
    const found = labels.find((label) =>
      isLabel ? Number(digitsOf(label)) === number : speakerNumber(label) === number,
    );
    return found === undefined ? whole : show(found);
  });
}

/** The same with the names that are known; labels of those without one stay. Pure. */
export function withKnownNames(
  text: string,
  speakers: readonly { label: string; name: string | null }[],
): string {
  const names = new Map(speakers.flatMap(({ label, name }) => (name ? [[label, name]] : [])));
  return replaceLabels(text, [...names.keys()], (label) => names.get(label)!);
}

const mention =
  /(?<![\p{L}\p{N}_])(?:speaker|sprecher(?:in)?)(\\?_|[ \-\u00A0]?)(\d{1,3})(?![\p{L}\p{N}_])/giu;

const digitsOf = (label: string): string | undefined => /^speaker[ _-]?(\d+)$/iu.exec(label)?.[1];
