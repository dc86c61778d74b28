import type { Part } from '../../../events/facts/assembly.ts';
import type { KeptLedger } from '../../../events/facts/ledger.ts';
import type { Recording } from '../../../projections/recording/recording.ts';
import { moved } from '../../../projections/recording/said-divided.ts';
import { saidOf } from '../../../projections/recording/said.ts';
import { captureRate } from '../../audio/wav.ts';

/** A part of a recording that another is made of; without one as long a silence. */
export type RecordingPiece = { recording: Recording | null; from: number; to: number };

/** As a fact names them. */
export const partsOfPieces = (pieces: readonly RecordingPiece[]): Part[] =>
  pieces.flatMap(({ recording, from, to }) =>
    recording ? [{ recording: recording.recordingId, from, to: endOf(recording, to) }] : [],
  );

/** What was captured of the pieces, and what is missing of them, at the times that these have here. */
export function ledgerOfPieces(pieces: readonly RecordingPiece[]): { ledger?: KeptLedger } {
  const ledger: KeptLedger = { samples: 0, gaps: [], silent_seconds: 0, clipped_samples: 0 };
  let before = 0;
  let isKnown = false;
  for (const { recording, from, to: end } of pieces) {
    const to = recording ? endOf(recording, end) : end;
    const kept = recording?.files.ledger;
    ledger.samples += Math.round((to - from) * captureRate);
    if (recording && kept) {
      isKnown = true;
      for (const [start, missing] of kept.gaps) {
        const [first, last] = [Math.max(start, from), Math.min(start + missing, to)];
        if (last > first) ledger.gaps.push([moved(first, before - from), moved(last, -first)]);
      }
      // Where in it is not known.
      const share = Math.min(1, (to - from) / Math.max(lengthOf(recording), 1e-3));
      ledger.silent_seconds += kept.silent_seconds * share;
      ledger.clipped_samples += Math.round(kept.clipped_samples * share);
    }
    before += to - from;
  }
  return isKnown ? { ledger } : {};
}

const lengthOf = (recording: Recording): number => saidOf(recording).duration;

const endOf = (recording: Recording, to: number): number =>
  to === Infinity ? lengthOf(recording) : to;
