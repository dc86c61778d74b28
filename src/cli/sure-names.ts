import type { RecordingFact } from '../../events/facts/recording.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';

/** So sure a suggestion has to be that it is taken without asking. */
const sureEnough = 0.6;

/** Ends the pause: those of the people given who are found for sure get their names, the others keep labels. */
export function namedAs(
  { suggestions }: Pick<RecordingRow, 'suggestions'>,
  people: readonly string[],
): RecordingFact {
  const sure = suggestions.flatMap(({ label, suggestedName: name, confidence }) =>
    name !== null && people.includes(name) && (confidence ?? 0) >= sureEnough
      ? [[label, name] as const]
      : [],
  );
  if (sure.length === 0) return { type: 'speakers.skipped', data: {} };
  const names = Object.fromEntries(sure);
  return { type: 'speakers.named', data: { labels: Object.keys(names) }, content: { names } };
}
