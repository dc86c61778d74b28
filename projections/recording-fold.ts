import type { LoggedRecordingFact } from '../events/facts/catalogue.ts';
import { originsAfter } from './recording/origins.ts';
import { withGrant, withoutGrant } from '../events/facts/access.ts';
import { termsOf, withLink, withoutLink } from '../events/facts/links.ts';
import { counting, leadsBy } from '../events/facts/counting.ts';
import { type Stage, recordingOf } from '../events/facts/recording.ts';
import { type Digest, digestAfter, isErased, noDigest } from './recording/digest.ts';
import type { ReadFact } from './recording/recording.ts';
import { durationOf } from './recording/reading.ts';
import { utcTime } from '../src/shared/time.ts';
import {
  type KeptRecording,
  type RecordingRow,
  type KeptTexts,
  digestIn,
  noTexts,
  saidIn,
} from './recording-row.ts';

/** A recording after a fact. */
export type FoldedRecording = KeptRecording & { facts: readonly ReadFact[]; texts: KeptTexts };

/** The recording after a fact of its stream; undefined while it has not begun. Pure. */
export function foldRecording(
  kept: KeptRecording | undefined,
  fact: LoggedRecordingFact,
): FoldedRecording | undefined {
  const begun = kept ?? beginning(fact);
  if (!begun) return undefined;
  const unreadable = fact.unreadable ?? begun.unreadable;
  const digest = digestIn(begun);
  const after = digestAfter(digest, fact);
  const { facts } = after;
  const counted = after === digest ? begun.counted : countedIn(after);
  const texts = textsAfter(begun.texts ?? noTexts, fact);
  // One copy, then changed: this runs for every fact of a recording.
  const core = { ...begun.core };
  const state = fact.to ?? core.state;
  if (state !== core.state || kept === undefined) {
    core.state = state;
    core.status = statusOfState(state);
    core.position = fact.position;
    core.since = fact.at;
    core.postponed = false;
  }
  const change = lastingChange(fact, core);
  if (change) Object.assign(core, change);
  core.origins = originsAfter(core.origins, fact, core.recordingId);
  const { draft, published } = counted.sources;
  core.owner = counted.files.owner ?? '';
  core.filesOwner = counted.files.documents?.owner ?? null;
  if (counted.startedAt !== begun.counted.startedAt)
    core.startedAt = utcTime(counted.startedAt ?? '');
  core.kind = (published ?? draft).kind ?? core.kind;
  core.run = counted.sources.run;
  core.hasAudio = counted.files.audio !== null;
  if (placing.has(fact.type)) core.placedAt = fact.at;
  // As its documents say, also while others are made.
  if (after !== digest) core.duration = durationOf(after, published ?? draft) ?? core.duration;
  const { status } = core;
  if (status === 'transcribing') core.running = without(running(begun.core, fact), 'follow');
  else if (status === 'recording') core.running = running(begun.core, fact);
  else if (core.running.length > 0) core.running = [];
  core.error = status === 'error' ? (failureIn(fact) ?? begun.core.error) : null;
  const clock = tick(begun.clock, fact, status === 'recording');
  if (isErased(fact)) return { core: emptied(core), counted, facts, texts: noTexts, clock };
  const folded = { core, counted, facts, texts, clock, ...(unreadable ? { unreadable } : {}) };
  if (status === 'recording' || status === 'transcribing') return folded;
  const isSame = after === digest && status === begun.core.status;
  return { ...folded, said: (isSame && begun.said) || saidIn(after, status) };
}

function countedIn(digest: Digest): KeptRecording['counted'] {
  const { facts: _facts, ...counted } = digest;
  return counted;
}

/** The machine's top-level state of a canonical state name. */
export const statusOfState = (state: string): RecordingRow['status'] =>
  state.split(/[.(]/, 1)[0] as RecordingRow['status'];

/** After these another period may hold for it: none takes it at once. */
const placing: ReadonlySet<string> = new Set<LoggedRecordingFact['type']>([
  'recording.filed',
  'recording.handed_over',
  'start.changed',
  'hold.lifted',
]);

/** The same object when the fact has no say in them: lists are looked at only when they change. */
function textsAfter(texts: KeptTexts, fact: LoggedRecordingFact): KeptTexts {
  switch (fact.type) {
    case 'documents.saved':
      return { ...texts, documents: fact.content?.paths ?? null, failure: null };
    case 'documents.deleted':
      return fact.data.documents.length === 3 ? { ...texts, documents: null } : texts;
    case 'hold.placed':
      return { ...texts, heldFor: fact.content?.reason };
    case 'hold.lifted':
      return { ...texts, heldFor: undefined };
    case 'stage.failed':
      return {
        ...texts,
        failure: fact.content
          ? { message: fact.content.message, reason: fact.content.reason }
          : null,
      };
    default:
      return texts;
  }
}

function beginning(fact: LoggedRecordingFact): KeptRecording | undefined {
  if (fact.type !== 'recording.started' && fact.type !== 'audio.imported') return undefined;
  const imported = fact.type === 'audio.imported';
  const recordingId = recordingOf(fact.stream) ?? fact.stream;
  const { facts: _none, ...counted } = noDigest(recordingId);
  return {
    core: {
      recordingId,
      owner: '',
      startedAt: utcTime(''),
      kind: fact.data.kind,
      status: 'idle',
      state: imported ? 'transcribing.recognising' : 'recording.active',
      position: fact.position,
      since: fact.at,
      run: 0,
      running: [],
      duration: null,
      device: imported ? null : fact.data.device,
      origins: [],
      error: null,
      documentHashes: null,
      files: [],
      filesOwner: null,
      importedSha256: imported ? fact.data.sha256 : null,
      postponed: false,
      folder: null,
      tags: [],
      access: [],
      links: [],
      hold: null,
      placedAt: fact.at,
      hasAudio: false,
      version: 0,
    },
    counted,
    clock: { seconds: 0, runningSince: null },
  };
}

/** What a fact says for good, whatever becomes of the run it belongs to. */
function lastingChange(
  fact: LoggedRecordingFact,
  { access, links }: Pick<KeptRecording['core'], 'access' | 'links'>,
): Partial<KeptRecording['core']> | undefined {
  switch (fact.type) {
    case 'speakers.postponed':
      return { postponed: true };
    case 'recording.filed':
      return { folder: fact.data.folder };
    case 'tags.changed':
      return { tags: fact.data.tags };
    // Ids of one user mean nothing to another.
    case 'recording.handed_over':
      return { folder: null, tags: [], access: [], links: [] };
    case 'access.granted':
      return { access: withGrant(access, fact.data) };
    case 'access.withdrawn':
      return { access: withoutGrant(access, fact.data.to) };
    case 'link.created':
      return { links: withLink(links, { ...termsOf(fact.data), at: fact.at }) };
    case 'link.revoked':
      return { links: withoutLink(links, fact.data.link) };
    case 'hold.placed':
      return { hold: { until: fact.data.until, by: fact.by } };
    case 'hold.lifted':
      return { hold: null };
    case 'documents.deleted':
      return fact.data.documents.length === 3 ? { documentHashes: null, files: [] } : {};
    case 'documents.saved': {
      const { version, sha256 } = fact.data;
      const files = [...new Set(Object.values(fact.content?.paths ?? {}).map(minuteIn))];
      return { documentHashes: sha256, files, version };
    }
    default:
      return undefined;
  }
}

const emptied = (core: KeptRecording['core']): KeptRecording['core'] => ({
  ...core,
  error: null,
  documentHashes: null,
  files: [],
  importedSha256: null,
  running: [],
  folder: null,
  tags: [],
  access: [],
  links: [],
  hold: null,
});

type Running = RecordingRow['running'];

function running(before: { running: Running }, fact: LoggedRecordingFact): Running {
  if (fact.type === 'stage.started') {
    const { stage } = fact.data;
    const attempt = fact.attempt ?? 1;
    return [...without(before.running, stage), { stage, attempt, since: fact.at }];
  }
  if (fact.type === 'stage.failed') return without(before.running, fact.data.stage);
  if (fact.type === 'stage.interrupted') {
    // Another process may have started it again since.
    const { stage } = fact.data;
    return before.running.filter((one) => one.stage !== stage || one.attempt !== fact.attempt);
  }
  // A run begins, or it is written anew: what was being done counts no more.
  const leads = leadsBy(fact.type);
  if (leads === 'begins' || (leads === 'changes' && fact.to === 'transcribing.writing')) return [];
  // The stage is left as it is: its texts stay.
  if (fact.type === 'summary.fallback_used' && fact.to === 'transcribing.writing')
    return without(before.running, fact.data.stage);
  const ended = counting[fact.type]?.ends;
  return ended === undefined ? before.running : without(before.running, ended);
}

const without = (running: Running, stage: Stage): Running =>
  running.filter((one) => one.stage !== stage);

/**
 * The start of the recording, to the minute, in a document's path; empty where the path has another form. No word of the
 * title is kept: even a hash of the path would confirm a guess.
 */
export const minuteIn = (path: string): string =>
  /^\d{4}-\d{2}-\d{2} \d{2}\.\d{2}(?!\d)/.exec(path)?.[0] ?? '';

function failureIn(fact: LoggedRecordingFact): KeptRecording['core']['error'] {
  if (fact.type !== 'stage.failed') return null;
  const { stage, code, retriable } = fact.data;
  return { stage, code, retriable, at: fact.at };
}

function tick(
  clock: KeptRecording['clock'],
  fact: LoggedRecordingFact,
  recording: boolean,
): KeptRecording['clock'] {
  if (fact.type === 'recording.started' || fact.type === 'recording.resumed') {
    return { ...clock, runningSince: fact.at };
  }
  if (clock.runningSince === null) return clock;
  if (recording && fact.type !== 'recording.paused') return clock;
  return {
    seconds: clock.seconds + secondsBetween(clock.runningSince, fact.at),
    runningSince: null,
  };
}

/** Never negative: a clock may have been set back in between. */
export const secondsBetween = (from: string, to: string): number =>
  Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000);
