import { type LoggedFact, isRecordingFact } from '../events/facts/catalogue.ts';
import { filesAfter, noFiles } from '../events/facts/files.ts';
import { recordingOf } from '../events/facts/recording.ts';
import { startingWith } from './list-page.ts';
import { isErased } from './recording/digest.ts';
import { type NamedLabel, type Voice, namedAfter } from './recording/voices.ts';
import { voiceClusters } from './voice-clusters.ts';
import type { Projection, ProjectionStorage, Rows, Seal } from './runner/projection.ts';

/**
 * Whom each user named, and how they sound. Rows:
 * - `v/<recording>` (sealed) the names given in it, with their voices; whose they are and where they are listed stay
 *   readable, so that they can be taken out of the list without its key
 * - `r/<recording>` (sealed) the same without the voices, which most who ask do not need
 * - `i/<owner>/<position>/<recording>` one a recording in which somebody is named, by when that was last done: the
 *   models of its voices
 * - `m/<model>/<owner>/<recording>` one a model by which its voices were made, or none where people moved speech since:
 *   with which model each was measured last. So those that wait for another model are found without the others
 *
 * No key has a name in it, nor what can be made of a name: LevelDB's files may hold a row's key long after the row is
 * gone, and a hash would confirm a guess. So an erased recording leaves nothing.
 */
export const people: Projection = {
  name: 'people',
  version: 3,
  interests: new Set<LoggedFact['type']>([
    'recording.started',
    'audio.imported',
    'recording.handed_over',
    'recording.discarded',
    'recording.erased',
    'speakers.named',
    'speakers.renamed',
    'version.restored',
    'turn.edited',
    'turns.recut',
    'corrections.carried_over',
    'voice.renamed',
    'voice.revoked',
    'voice.measured',
  ]),
  keys(fact) {
    const id = recordingOf(fact.stream);
    return id === undefined || isOfWords(fact) ? [] : [voicesKey(id)];
  },
  apply(rows, fact) {
    const id = recordingOf(fact.stream);
    if (id === undefined || !isRecordingFact(fact) || isOfWords(fact)) return;
    const before = rows.get<NamedIn>(voicesKey(id));
    if (isErased(fact)) {
      if (before?.listed) rows.delete(before.listed);
      for (const key of [voicesKey(id), namesKey(id), ...(before?.made ?? [])]) rows.delete(key);
      return;
    }
    const { owner } = filesAfter({ ...noFiles, owner: before?.owner ?? null }, fact);
    if (owner === null) return;
    // What cannot be read now is read when its key is back: until then nothing is known of it.
    const named = fact.unreadable ? [] : namedAfter(before?.named ?? [], fact);
    if (before && before.owner === owner && named === before.named) return;
    const listed = list(rows, id, { owner, named, before: before?.listed ?? null });
    const made = listMade(rows, id, { owner, named, before: before?.made ?? [] });
    const unreadable = fact.unreadable ? { unreadable: true as const } : {};
    const row: NamedIn = { owner, listed, made, named, ...unreadable };
    rows.set(voicesKey(id), row);
    if (named.length > 0 || before?.named?.length)
      rows.set(namesKey(id), { named: named.map(withoutVoice), ...unreadable });
  },
  seal: sealOfNames,
};

/** What is known of one person by one recording. */
export type Confirmation = {
  /** Position of the fact in the log. */
  n: number;
  recordingId: string;
  at: string;
  /** Version of the fact in the recording's stream. */
  version: number;
  labels: string[];
  name: string;
  voices: Voice[];
  /** People moved speech to or from one of the labels: its voice is to be measured. */
  moved?: true;
};

/** A name, with everything it rests on, newest first. Where voices are read, two people of one name are two. */
export type Person = { name: string; confirmations: Confirmation[] };

/** Confirmations of one person that count, the newest: how somebody sounds changes, and what is read is bounded. */
export const confirmationsMax = 8;
/** Confirmations of one name that are read: of several people, if need be. */
const confirmationsRead = 3 * confirmationsMax;
/** Recordings of one user in which names are looked for: those named in last. */
export const recordingsMax = 2_000;

/**
 * Whom a user named, those named last first. Reads the names of at most `recordingsMax` recordings, and the voices of at
 * most `confirmationsMax` a person, unless `all` is set. Voices that sound like different people are, under one name too.
 * @param options.voices only those whose voice is known, or to be measured; by this model alone if one is given; all their
 *   confirmations with a voice, in all recordings, if `all` is set
 */
export async function peopleNamed(
  storage: ProjectionStorage,
  owner: string,
  options: { voices?: true; model?: string; all?: true } = {},
): Promise<Person[]> {
  const ids = await listedOf(storage, owner, options);
  const names = await namedIn(storage, ids.map(namesKey));
  const some = grouped(ids, names, options);
  const most = options.voices ? confirmationsRead : 1;
  if (!options.all) for (const { confirmations } of some) confirmations.splice(most);
  if (!options.voices) return some;
  const wanted = some.flatMap(({ confirmations }) => confirmations.map((one) => one.recordingId));
  const heard = [...new Set(wanted)];
  const voices = await namedIn(storage, heard.map(voicesKey));
  const withVoices = new Map(heard.map((id, at) => [id, voices[at] ?? []]));
  return some
    .flatMap(({ confirmations }) =>
      voiceClusters(
        confirmations
          .toReversed()
          .flatMap((one) => heardIn(one, withVoices.get(one.recordingId) ?? [], options.model)),
      ),
    )
    .flatMap((heard) => personOf(heard, options.all ? Infinity : confirmationsMax))
    .toSorted((a, b) => newestOf(b) - newestOf(a));
}

const newestOf = ({ confirmations: [first] }: Pick<Person, 'confirmations'>): number =>
  first?.n ?? 0;

/** What one confirmation says of one label. */
type Heard = { confirmation: Confirmation; label: string; voice: Voice | null };

const heardIn = (
  confirmation: Confirmation,
  named: readonly NamedLabel[],
  model: string | undefined,
): Heard[] =>
  confirmation.labels.map((label) => {
    const found = named.find((one) => one.position === confirmation.n && one.label === label);
    const voice = found?.voice ?? null;
    const isAsked = model === undefined || voice?.embedding_model === model;
    return { confirmation, label, voice: isAsked ? voice : null };
  });

/** Oldest first; none where nothing of it is heard, or to be. */
function personOf(heard: readonly Heard[], most: number): Person[] {
  const confirmations = new Map<Confirmation, Confirmation>();
  for (const { confirmation, label, voice } of heard) {
    const one = confirmations.get(confirmation) ?? { ...confirmation, labels: [], voices: [] };
    one.labels.push(label);
    if (voice) one.voices.push(voice);
    confirmations.set(confirmation, one);
  }
  const newest = [...confirmations.values()].toReversed().slice(0, most);
  return newest[0] ? [{ name: newest[0].name, confirmations: newest }] : [];
}

/**
 * Recordings with voices that another model made, or of which people moved speech since: to be measured with this one,
 * unless that was tried. In no order that says anything.
 */
export async function* voicesWaiting(
  storage: ProjectionStorage,
  model: string,
): AsyncGenerator<{ owner: string; recordingId: string }, void, void> {
  const [all, present] = [startingWith('m/'), startingWith(madeBy(model))];
  for (const range of [
    { gte: all.gte, lt: present.gte },
    { gte: present.lt, lt: all.lt },
  ]) {
    for await (const [key, { tried }] of storage.range<MadeBy>(people.name, range)) {
      const [, , owner = '', recordingId = ''] = key.split('/');
      if (tried.some((one) => one !== model)) yield { owner, recordingId };
    }
  }
}

/** Whether how anybody sounds is known, or to be measured. */
export async function hasVoices(storage: ProjectionStorage): Promise<boolean> {
  for await (const _ of storage.range(people.name, startingWith('m/'))) return true;
  return false;
}

/** Whether two names are one person's: compared without case and without differences of notation. */
export const isSameName = (one: string, other: string): boolean => plain(one) === plain(other);

const plain = (name: string): string => name.normalize('NFKC').toLowerCase();

/** Names that were given in recordings, by person. */
function grouped(
  ids: readonly string[],
  names: readonly (readonly NamedLabel[])[],
  { voices, model }: { voices?: true; model?: string },
): Person[] {
  const people = new Map<string, Map<string, Confirmation>>();
  for (const [at, recordingId] of ids.entries()) {
    for (const one of names[at] ?? []) {
      if (one.revoked) continue;
      const confirmations = people.get(plain(one.name)) ?? new Map<string, Confirmation>();
      people.set(plain(one.name), confirmations);
      const { position: n, version, name } = one;
      const key = `${n}/${recordingId}`;
      const before = confirmations.get(key);
      const confirmation = before ?? {
        n,
        recordingId,
        at: one.at,
        version,
        labels: [],
        name,
        voices: [],
      };
      confirmation.labels.push(one.label);
      if (one.voice) confirmation.voices.push(one.voice);
      if (one.moved && one.remembered) confirmation.moved = true;
      confirmations.set(key, confirmation);
    }
  }
  const isHeard = (one: Confirmation) =>
    (one.moved === true && model === undefined) ||
    one.voices.some(({ embedding_model }) => model === undefined || embedding_model === model);
  return [...people.values()]
    .map((some) =>
      [...some.values()].filter((one) => !voices || isHeard(one)).toSorted((a, b) => b.n - a.n),
    )
    .flatMap((confirmations) => {
      const [first] = confirmations;
      return first ? { first, confirmations } : [];
    })
    .toSorted((a, b) => b.first.n - a.first.n)
    .map(({ first, confirmations }) => ({ name: first.name, confirmations }));
}

type NamedIn = {
  owner: string;
  /** Key of the entry; null: nobody is named. */
  listed: string | null;
  /** Keys of the entries by model. */
  made: readonly string[];
  /** Missing where the key is. */
  named?: readonly NamedLabel[];
  unreadable?: true;
};
/** With which model the voices were measured last, as they are now; null: with none. */
type MadeBy = { tried: (string | null)[] };

const voicesKey = (recordingId: string): string => `v/${recordingId}`;
const namesKey = (recordingId: string): string => `r/${recordingId}`;

function sealOfNames(key: string): Seal | undefined {
  const [kind, subject] = key.split('/', 2);
  if (subject === undefined || kind === 'i' || kind === 'm') return undefined;
  return { subject, open: kind === 'v' ? ['owner', 'listed', 'made'] : [] };
}

const withoutVoice = (one: NamedLabel): NamedLabel =>
  one.voice ? { ...one, voice: { ...one.voice, embedding: [] } } : one;

/** Brings the list up to what is named; returns the key of the entry. */
function list(
  rows: Rows,
  id: string,
  given: { owner: string; named: readonly NamedLabel[]; before: string | null },
): string | null {
  const counting = given.named.filter(({ revoked }) => !revoked);
  const last = Math.max(...counting.map(({ position }) => position));
  const key =
    counting.length === 0 ? null : `i/${given.owner}/${String(last).padStart(16, '0')}/${id}`;
  if (given.before !== null && given.before !== key) rows.delete(given.before);
  // Of one that is still to be measured no model is known.
  const models = new Set(
    counting.flatMap(
      ({ voice, moved, remembered }) => voice?.embedding_model ?? (moved && remembered ? '' : []),
    ),
  );
  if (key !== null) rows.set(key, { models: [...models] });
  return key;
}

/** Brings the lists by model up to what is named; returns the keys of the entries. */
function listMade(
  rows: Rows,
  id: string,
  given: { owner: string; named: readonly NamedLabel[]; before: readonly string[] },
): string[] {
  const made = new Map<string, MadeBy>();
  for (const { revoked, remembered, moved, tried = null, voice } of given.named) {
    const model = moved ? '' : voice?.embedding_model;
    if (revoked || !remembered || model === undefined) continue;
    const key = `${madeBy(model)}${given.owner}/${id}`;
    made.set(key, { tried: [...(made.get(key)?.tried ?? []), tried] });
  }
  for (const key of given.before) if (!made.has(key)) rows.delete(key);
  for (const [key, row] of made) rows.set(key, row);
  return [...made.keys()];
}

/** Ids of models come from outside. */
const madeBy = (model: string): string => `m/${encodeURIComponent(model)}/`;

/** Corrections that leave speech with whom it was. */
const isOfWords = (fact: LoggedFact): boolean =>
  (fact.type === 'turn.edited' ||
    fact.type === 'turns.recut' ||
    fact.type === 'corrections.carried_over') &&
  fact.data.moved === undefined;

/** The recordings in which a user named somebody, those of late first. */
async function listedOf(
  storage: ProjectionStorage,
  owner: string,
  { voices, model, all }: { voices?: true; model?: string; all?: true },
): Promise<string[]> {
  const found: string[] = [];
  const newest = { ...startingWith(`i/${owner}/`), reverse: true };
  // What is taken back is taken back whole.
  const within = all ? newest : { ...newest, limit: recordingsMax };
  for await (const [key, row] of storage.range<{ models: string[] }>(people.name, within)) {
    if (voices && row.models.length === 0) continue;
    if (model !== undefined && !row.models.includes(model)) continue;
    found.push(key.slice(key.lastIndexOf('/') + 1));
  }
  return found;
}

/** What rows hold of names; none where the key of a recording is missing. */
async function namedIn(
  storage: ProjectionStorage,
  keys: readonly string[],
): Promise<(readonly NamedLabel[])[]> {
  const rows = await storage.getMany<Pick<NamedIn, 'named'>>(people.name, keys);
  return rows.map((row) => row?.named ?? []);
}
