import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { baseName, comparable } from '../../documents/file-names.ts';
import type { SharedSpace } from '../../documents/bucket-space.ts';
import {
  deleteDocument,
  writeDocuments,
  foreignDocuments,
  ownHashes,
  presentHashes,
} from '../../documents/write.ts';
import {
  type DocumentName,
  type PerDocument,
  documentNames,
  documentPaths,
  documentsInput,
} from '../../documents/documents.ts';
import { renderDocuments, rendererVersion } from '../../documents/render.ts';
import { type Space, listTaken } from '../../documents/space.ts';
import {
  type DocumentFiles,
  type Recording,
  audioFact,
  documentFilesOf,
  factAt,
} from '../../../projections/recording/recording.ts';
import {
  carriedOver,
  correctedMeanwhile,
} from '../../../projections/recording/carried-corrections.ts';
import { continuationDue } from '../../../projections/recording/assembling.ts';
import { draft, published, read } from '../../../projections/recording/reading.ts';
import { orderOf } from '../../../projections/recording/order.ts';
import { type Personal, namesOf } from '../../../projections/personal.ts';
import { localTime } from '../../shared/time.ts';
import type { Language } from '../../words/params.ts';
import type { Exclusively } from '../../storage/blobs/blobs.ts';
import type { PromisedNames } from '../../storage/blobs/promised-names.ts';
import { removalName } from '../erasure.ts';
import { secondPassDue } from '../second-pass.ts';
import { applyRules } from './apply-rules.ts';
import type { Job, StageActivity } from './run-stage.ts';
import { whenReached } from './stage-files.ts';

/**
 * Writes the three documents and says so. Names them first, once in each space, and places what was
 * corrected in an earlier transcript. Documents of a recording that was handed over are written to
 * the new space whole before they leave the old one.
 */
export function write(deps: Deps): StageActivity {
  /** Names are chosen one after the other: two recordings must not choose the same. */
  let naming: Promise<unknown> = Promise.resolve();

  return async (job) => {
    await job.acquireSlot({ name: 'documents', concurrency: 1 });
    const space = await deps.spaceOf(job.owner);
    await applyRules(job, 'title', deps);
    const first = await job.recording();
    for (const id of absorbedBy(first)) await deps.absorb(id, job.recordingId);
    const unwritten = first.sources.unwritten.map((source) => read(first, source));
    const meanwhile = correctedMeanwhile(first);
    const carried = carriedOver(draft(first), published(first), unwritten, meanwhile);
    if (carried) await job.append(carried);
    if (!documentFilesOf(first, first.sources.draft).hasName) {
      const mine = naming.then(() => whenReached(job, () => nameDocuments(job, space, deps)));
      naming = mine.catch(() => undefined);
      await mine;
    }
    const recording = await job.recording();
    const files = documentFilesOf(recording, recording.sources.draft);
    const { named, nextVersion: version } = files;
    if (!named?.content) throw new Error('the documents have no name');
    const paths = documentPaths(named.content.base);
    const choices = deps.choices();
    const name = { ...named.data, ...named.content };
    const audio = deps.audioInVault();
    const order = namesOf(orderOf(recording), await deps.order.of(job.owner));
    const rendered = renderDocuments(
      documentsInput(job.recordingId, draft(recording), name, choices, { audio, ...order }),
    );
    const sha256 = hashesOf(rendered);
    await job.append({ type: 'documents.rendered', data: { version, sha256 } });

    const savedFor = recording.files.documents?.owner ?? null;
    const placing = { space, files, savedFor, paths, rendered };
    const kept = await whenReached(job, () => inTurn(job, placing, deps));
    const data = { version, renderer: rendererVersion, ...choices, sha256, kept };
    const result = { type: 'documents.saved', data, content: { paths, audio, ...order } } as const;
    await job.appendLast(result, secondPassDue(recording) ?? continuationDue(recording));
  };
}

/** What is in it whole by now, and is to be gone before its documents are written. */
function absorbedBy(recording: Recording): readonly string[] {
  const { assembly, draft: source } = recording.sources;
  const audio = assembly === 'made' ? audioFact(recording, source) : null;
  return (audio && 'absorbs' in audio.data ? audio.data.absorbs : undefined) ?? [];
}

/** Puts them in place while nothing of the recording is removed. */
async function inTurn(job: Job, placing: Placing, deps: Deps): Promise<DocumentName[]> {
  return await deps.exclusively(removalName(job.recordingId), async () => {
    // It may have been erased meanwhile, by any process.
    await job.recording();
    job.signal.throwIfAborted();
    return await placeDocuments(job, placing, deps);
  });
}

type Placing = {
  space: Space;
  files: DocumentFiles;
  /** Whose they were when they were last saved; null when they never were. */
  savedFor: string | null;
  paths: PerDocument;
  rendered: PerDocument;
};

/** Puts them where they belong, also for a second time; returns those that are not as they were rendered. */
async function placeDocuments(
  job: Job,
  { space, files, savedFor, paths, rendered }: Placing,
  deps: Deps,
): Promise<DocumentName[]> {
  const { saved } = files;
  const moving = savedFor !== null && savedFor !== job.owner ? savedFor : null;
  const oldSpace = moving === null ? null : await deps.spaceOf(moving);
  const theirs = {
    ...ownVersions(files),
    ...(oldSpace && saved?.content
      ? await foreignDocuments(oldSpace, saved.content.paths, files)
      : {}),
  };
  const contents = { ...rendered, ...theirs };
  const known = await presentHashes(space, paths, ownHashes(files));
  const shared = sharing(job, deps);
  const kept = await writeDocuments(space, paths, contents, known, undefined, shared);
  if (oldSpace && saved?.content) await deleteDocument(oldSpace, saved.content.paths.index);
  return documentNames.filter((one) => one in theirs || kept.includes(one));
}

async function nameDocuments(job: Job, space: Space, deps: Deps): Promise<void> {
  const recording = await job.recording();
  const { named } = documentFilesOf(recording, recording.sources.draft);
  const title = named?.content?.title ?? draft(recording).title ?? '';
  const local_start = named?.data.local_start ?? localTime(new Date(recording.startedAt!));
  const ui_language = named?.data.ui_language ?? deps.uiLanguage();
  const onDisk = await listTaken(space);
  const promised = new Set<string>();
  for await (const base of deps.promisedBases(job.owner)) promised.add(comparable(base));
  const isTaken = async (candidate: string): Promise<boolean> =>
    onDisk.has(candidate) ||
    promised.has(comparable(candidate)) ||
    !((await deps.names?.promise(job.owner, comparable(candidate), job.recordingId)) ?? true);
  const inherited = factAt(recording, 1, 'audio.imported')?.content?.base;
  const isFree = inherited !== undefined && !(await isTaken(inherited));
  const base = isFree ? inherited : await baseName(local_start, title, isTaken);
  await job.append({
    type: 'documents.named',
    data: { local_start, ui_language, renderer: rendererVersion },
    content: { base, title },
  });
}

/** A node that was frozen, and wakes when another has the recording, replaces nothing of that one's. */
function sharing({ signal }: Job, { names }: Deps): SharedSpace | undefined {
  if (!names) return undefined;
  return {
    async assertMine() {
      // What ends a lease is a timer: those that are due come first.
      await sleep(0);
      signal.throwIfAborted();
    },
  };
}

const hashesOf = (contents: PerDocument): PerDocument => {
  const of = (text: string) => hash('sha256', text, 'hex');
  const { index, transcript, summary } = contents;
  return { index: of(index), transcript: of(transcript), summary: of(summary) };
};

type Deps = {
  spaceOf(owner: string): Promise<Space>;
  uiLanguage(): Language;
  /** `documents.times`, `speakers.links`, and where the pages are. */
  choices(): { times: boolean; links: boolean; address: string | null };
  /** Path of the recording's audio in the vault that its documents are written to; null: it is elsewhere. */
  audioInVault(): string | null;
  /** What owners have set in order. */
  order: { of(owner: string): Promise<Personal> };
  /** Base names that other recordings of the owner have been promised. */
  promisedBases(owner: string): AsyncIterable<string>;
  /** What other nodes have promised; null where there are none. */
  names: PromisedNames | null;
  /** The same that removes files of recordings. */
  exclusively: Exclusively;
  /** Erases a recording that is in this one whole. */
  absorb(recordingId: string, into: string): Promise<void>;
};

function ownVersions({ authored }: DocumentFiles): Partial<PerDocument> {
  const own: Partial<PerDocument> = {};
  for (const name of documentNames) {
    const edit = authored[name];
    if (edit?.data.own && edit.content?.markdown !== undefined) own[name] = edit.content.markdown;
  }
  return own;
}
