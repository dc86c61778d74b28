import type { FactOutline, LoggedFact } from '../../../events/facts/catalogue.ts';
import { recordingOf } from '../../../events/facts/recording.ts';

/** What one fact becomes on the wire, stringified once for all who get it. */
export type FactFrames = {
  recordingId: string;
  /** For the owner, and for an administrator who may see the recording. */
  ownerFrames: readonly string[];
  /** For an administrator who watches all: the move without its content. */
  administratorFrames: readonly string[];
  /** Whether the status object of the owner may look different now. */
  changesStatus: boolean;
};

/**
 * The durable frames of a fact; undefined for facts that are none of a recording's. The last frame of a
 * position is its `transition` or `utterance`: who has seen that one has seen the whole position.
 */
export function factFrames(fact: LoggedFact): FactFrames | undefined {
  const recordingId = recordingOf(fact.stream);
  if (recordingId === undefined) return undefined;
  const { position, type: event, from, to, at } = fact;

  if (fact.type === 'utterance.recognised') {
    const { data, content } = fact;
    // Without its content (erased since) there is nothing to tell.
    if (!content)
      return { recordingId, ownerFrames: [], administratorFrames: [], changesStatus: false };
    const { index, start, end, voice: speaker = null } = data;
    const text = content.segments.map((segment) => segment.text.trim()).join(' ');
    const frame = { type: 'utterance', recording_id: recordingId, index, start, end, text };
    return {
      recordingId,
      ownerFrames: [JSON.stringify({ ...frame, speaker, final: true, position })],
      administratorFrames: [],
      changesStatus: false,
    };
  }

  const transition = JSON.stringify({
    type: 'transition',
    recording_id: recordingId,
    event,
    from: from ?? null,
    to: to ?? null,
    at,
    position,
  });
  const ownerFrames = [transition];
  if (fact.type === 'documents.saved' && fact.content) {
    const { paths } = fact.content;
    const { version } = fact.data;
    ownerFrames.unshift(
      JSON.stringify({ type: 'saved', recording_id: recordingId, paths, version, position }),
    );
  }
  return {
    recordingId,
    ownerFrames,
    administratorFrames: [transition],
    changesStatus: !quiet.has(event),
  };
}

/** Whether frames of a fact quote what a person said. */
export const tellsWhatWasSaid = ({ type }: FactOutline): boolean =>
  type === 'utterance.recognised' || type === 'documents.saved';

/** Up to where a client has been sent everything. */
export const positionFrame = (position: number): string =>
  JSON.stringify({ type: 'position', position });

/** Facts that come in numbers and change nothing that a status object shows. */
const quiet = new Set(['speech.followed', 'speech.detected', 'documents.named']);
