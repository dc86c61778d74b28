import type { Source } from '../../events/facts/sources.ts';
import { factAt, factsOf, type ReadFact, type Recording } from './recording.ts';

type DocumentName = ReadFact<'document.edited'>['data']['document'];

/** What the log says of a recording's files: its audio, and what was written of its documents. */
export type RecordingFiles = {
  /** RFC 3339. */
  startedAt: string;
  /** The kept file, as it was captured or as it was compressed since; also of one that was removed. */
  audio: { path: string; bytes: number; sha256: string } | null;
  /** How the documents were named, once in each space, and how they were last saved. */
  named: ReadFact<'documents.named'> | null;
  saved: ReadFact<'documents.saved'> | null;
  /** Whose they were when they were last saved; null when they never were. */
  savedFor: string | null;
  /** Whether they have a name in the space of the present owner. */
  hasName: boolean;
  /** Version of the documents that comes next. */
  nextVersion: number;
  /** What may have been written since they were last saved. */
  rendered: ReadFact<'documents.rendered'>[];
  /** Documents in people's own words: the last that was sent of each, if it is one. */
  authored: Partial<Record<DocumentName, ReadFact<'document.edited'>>>;
};

/** What says which audio there is: as it came, or as a browser added to it. */
export const audioFact = (recording: Recording, { results }: Source) =>
  factAt(
    recording,
    results.audio,
    'audio.imported',
    'audio.captured',
    'capture.interrupted',
    'audio.extended',
  );

/** @throws {Error} for a recording that has not begun */
export function filesOf(recording: Recording, source: Source): RecordingFiles {
  const { results } = source;
  const { versions } = recording.sources;
  const origin = factAt(recording, 1, 'audio.imported', 'recording.started');
  if (!origin) throw new Error(`Recording ${recording.recordingId} has not begun.`);
  const audio = audioFact(recording, source);
  const compressed = factsOf(recording, 'audio.compressed', Infinity).findLast(
    ({ version }) => version > (audio?.version ?? 0),
  );
  const named = factAt(recording, results.named, 'documents.named');
  const saved = factAt(recording, results.saved, 'documents.saved');
  const handedOver = factsOf(recording, 'recording.handed_over', Infinity);
  const ownerAt = (version: number): string =>
    handedOver.findLast((fact) => fact.version < version)?.data.owner ?? origin.data.owner;
  const edited = factsOf(recording, 'document.edited', results.authored);
  return {
    startedAt:
      factAt(recording, results.startChanged, 'start.changed')?.data.local_start ??
      (origin.type === 'audio.imported' ? origin.data.started_at : origin.at),
    audio: (compressed ?? audio)?.data ?? null,
    named,
    saved,
    savedFor: saved && ownerAt(saved.version),
    hasName: named !== null && named.version > (handedOver.at(-1)?.version ?? 0),
    nextVersion: versions.length + 1,
    rendered: factsOf(recording, 'documents.rendered', Infinity).filter(
      ({ version }) => version > (saved?.version ?? 0),
    ),
    authored: Object.fromEntries(edited.map((fact) => [fact.data.document, fact])),
  };
}
