import type { Source } from '../../events/facts/sources.ts';
import { factAt, factsOf, type ReadFact, type Recording } from './recording.ts';

type DocumentName = ReadFact<'document.edited'>['data']['document'];

/** What the log says of a recording's documents: what was written of them. */
export type DocumentFiles = {
  /** How the documents were named, once in each space, and how they were last saved. */
  named: ReadFact<'documents.named'> | null;
  saved: ReadFact<'documents.saved'> | null;
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

export function documentFilesOf(recording: Recording, { results }: Source): DocumentFiles {
  const named = factAt(recording, results.named, 'documents.named');
  const saved = factAt(recording, results.saved, 'documents.saved');
  const edited = factsOf(recording, 'document.edited', results.authored);
  return {
    named,
    saved,
    hasName: named !== null && named.version > (recording.files.handedOver ?? 0),
    nextVersion: recording.sources.versions.length + 1,
    rendered: factsOf(recording, 'documents.rendered', Infinity).filter(
      ({ version }) => version > (saved?.version ?? 0),
    ),
    authored: Object.fromEntries(edited.map((fact) => [fact.data.document, fact])),
  };
}
