import { type Hold, isHeld } from '../../events/facts/holds.ts';
import type { RecordingFact } from '../../events/facts/recording.ts';
import type { Refusal } from '../../events/command-handler.ts';
import { problemOf } from '../../src/words/problems.ts';
import type { Recording } from './recording.ts';

export type HoldRefusal = Refusal<'ON_HOLD'> & { hold: Hold };

/** What a person wants of it; null: it is protected no more. */
export type HoldWanted = { until: string | null; reason?: string | undefined } | null;

/** Protects it from deletion, otherwise than before, or no more. Pure. */
export function holdChanged(
  recording: Pick<Recording, 'facts'>,
  wanted: HoldWanted,
): RecordingFact[] {
  const before = placedIn(recording);
  if (wanted === null) return before ? [{ type: 'hold.lifted', data: {} }] : [];
  const { until, reason } = wanted;
  if (before?.data.until === until && before.content?.reason === reason) return [];
  const content = reason === undefined ? {} : { reason };
  return [{ type: 'hold.placed', data: { until }, content }];
}

/** Why it cannot be deleted now; undefined: it can. Pure. */
export function heldBy(recording: Pick<Recording, 'facts'>, now: number): HoldRefusal | undefined {
  const placed = placedIn(recording);
  if (!placed) return undefined;
  const hold = { until: placed.data.until, by: placed.by };
  return isHeld(hold, now) ? { refused: 'ON_HOLD', said: problemOf('on-hold'), hold } : undefined;
}

/** The protection that goes on where one takes up another whole, or is made of a part of it: the longer of both. Pure. */
export function holdTaken(
  own: Pick<Recording, 'facts'>,
  other: Pick<Recording, 'facts'>,
  now: number,
): RecordingFact[] {
  const placed = placedIn(other);
  if (!placed || !isHeld(placed.data, now)) return [];
  const { until } = placed.data;
  const present = placedIn(own)?.data.until;
  const isAsLong =
    present === null ||
    (present !== undefined && until !== null && Date.parse(present) >= Date.parse(until));
  return isAsLong ? [] : [{ type: 'hold.placed', data: { until }, content: { ...placed.content } }];
}

/** Version of the fact that said last whether it is protected; 0: none did. */
export const holdVersion = (recording: Pick<Recording, 'facts'>): number =>
  lastSaid(recording)?.version ?? 0;

const lastSaid = ({ facts }: Pick<Recording, 'facts'>) =>
  facts.findLast(({ type }) => type === 'hold.placed' || type === 'hold.lifted');

function placedIn(recording: Pick<Recording, 'facts'>) {
  const last = lastSaid(recording);
  return last?.type === 'hold.placed' ? last : undefined;
}
