import { milliseconds } from '../../src/shared/time.ts';
import type { RecordingFact, RecordingFactOf } from '../../events/facts/recording.ts';

/**
 * Where a recording comes from, and what became of parts of it. `continues`: it goes into that one when it has ended;
 * `continued`, `joined`: that one is in it; `cut-from`: it was its end; `cut-off`: that one was its end; `shortened`: a
 * passage of it was removed for good, and nothing is left of what it was. `at`: from which second of it on, or of that one.
 */
export type Origin = {
  how: 'continues' | 'continued' | 'joined' | 'cut-from' | 'cut-off' | 'shortened';
  recordingId: string;
  at: number | null;
};

/** The origins after a fact; the same array when it says nothing of them. Pure. */
export function originsAfter(
  origins: readonly Origin[],
  fact: Pick<RecordingFact, 'type' | 'data'>,
  recordingId: string,
): readonly Origin[] {
  const { type, data } = fact as RecordingFact;
  switch (type) {
    case 'recording.started':
      return data.continues === undefined
        ? origins
        : [...origins, { how: 'continues', recordingId: data.continues, at: null }];
    case 'audio.imported':
      return [...origins, ...begunFrom(data)];
    case 'recording.cut':
      return [...origins, { how: 'cut-off', recordingId: data.into, at: data.at }];
    case 'audio.assembled':
      return [...origins, ...takenIn(data, recordingId)];
    case 'recording.erased':
    case 'recording.discarded':
      return [];
    default:
      return origins;
  }
}

function begunFrom({ parts, absorbs }: RecordingFactOf<'audio.imported'>['data']): Origin[] {
  const [part] = parts ?? [];
  if (!part) return [];
  const how = absorbs?.includes(part.recording) ? 'shortened' : 'cut-from';
  return [{ how, recordingId: part.recording, at: how === 'cut-from' ? part.from : null }];
}

/** Those whose audio is behind or before its own from now on. */
function takenIn(
  { parts = [], absorbs = [] }: RecordingFactOf<'audio.assembled'>['data'],
  recordingId: string,
): Origin[] {
  let at = 0;
  return parts.flatMap(({ recording, from, to }): Origin[] => {
    const began = at;
    at += to - from;
    if (recording === recordingId) return [];
    const how = absorbs.includes(recording) ? 'continued' : 'joined';
    return [{ how, recordingId: recording, at: milliseconds(began) }];
  });
}
