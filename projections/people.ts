import { hashedKey } from '../events/key-store.ts';
import type { LoggedFact } from '../events/facts/catalogue.ts';
import { recordingOf } from '../events/facts/recording.ts';
import { startingWith } from './list-page.ts';
import { isErased } from './recording/digest.ts';
import { type NamedLabel, type Voice, namedAfter } from './recording/voices.ts';
import type { Projection, ProjectionStorage, Rows, Seal } from './runner/projection.ts';

/**
 * Whom each user named, and how they sound. Rows:
 * - `r/<recording>` the names given in it, sealed with its key; whose they are and where they are listed stay
 *   readable, so that they can be taken out of the lists without it
 * - `i/<owner>/<hash of the name>/<position>/<recording>` one a name and recording: the model of the voice, if
 *   there is one. Without words.
 *
 * So an erased recording leaves nothing, and asking costs by the names, not by the recordings there are.
 */
export const people: Projection = {
  name: 'people',
  version: 1,
  interests: new Set<LoggedFact['type']>([
    'recording.started',
    'audio.imported',
    'recording.handed_over',
    'recording.discarded',
    'recording.erased',
    'speakers.named',
    'speakers.renamed',
    'version.restored',
    'voice.renamed',
    'voice.revoked',
  ]),
  keys(fact) {
    const id = recordingOf(fact.stream);
    return id === undefined ? [] : [rowKey(id)];
  },
  apply(rows, fact) {
    const id = recordingOf(fact.stream);
    if (id === undefined) return;
    const before = rows.get<NamedIn>(rowKey(id));
    if (isErased(fact)) {
      for (const key of before?.listed ?? []) rows.delete(key);
      rows.delete(rowKey(id));
      return;
    }
    const owner = ownerAfter(before?.owner, fact);
    if (owner === undefined) return;
    // What cannot be read now is read when its key is back: until then nothing is known of it.
    const named = fact.unreadable ? [] : namedAfter(before?.named ?? [], fact as NamedFact);
    if (before && before.owner === owner && named === before.named) return;
    const listed = list(rows, id, { owner, named, before: before?.listed ?? [] });
    const row: NamedIn = { owner, listed, named };
    rows.set(rowKey(id), fact.unreadable ? { ...row, unreadable: true } : row);
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
};

/** A name, with everything it rests on, newest first. */
export type Person = {
  /** Stays as long as the name does. */
  id: string;
  name: string;
  confirmations: Confirmation[];
};

/** Confirmations of one person that count, the newest: how somebody sounds changes, and what is read is bounded. */
export const confirmationsMax = 8;
/** People of one user that are known at all: those named last. */
export const peopleMax = 1_000;

/**
 * Whom a user named, those named last first. Reads the rows of at most `confirmationsMax` recordings a person.
 * @param options.voices only those whose voice is known, by these models if any are given; all their
 *   confirmations with a voice, if `all` is set
 */
export async function peopleNamed(
  storage: ProjectionStorage,
  owner: string,
  options: { voices?: true; model?: string; all?: true } = {},
): Promise<Person[]> {
  const listed = await listedOf(storage, owner, options);
  const wanted = [...listed.values()].toSorted((a, b) => b[0]!.position - a[0]!.position);
  const entries = wanted
    .slice(0, peopleMax)
    .flatMap((some) => (options.all ? some : some.slice(0, options.voices ? confirmationsMax : 1)));
  const rows = new Map<string, NamedIn>();
  const ids = [...new Set(entries.map(({ recordingId }) => recordingId))];
  const found = await storage.getMany(people.name, ids.map(rowKey));
  for (const [at, id] of ids.entries()) if (found[at]) rows.set(id, found[at] as NamedIn);
  const byHash = new Map<string, Person>();
  for (const { hash, position, recordingId } of entries) {
    const own = (rows.get(recordingId)?.named ?? []).filter(
      (one) => one.position === position && !one.revoked && nameHash(one.name) === hash,
    );
    const [first] = own;
    if (!first) continue;
    const person = byHash.get(hash) ?? {
      id: personId(first.name),
      name: first.name,
      confirmations: [],
    };
    byHash.set(hash, person);
    person.confirmations.push({
      n: position,
      recordingId,
      at: first.at,
      version: first.version,
      labels: own.map(({ label }) => label),
      name: first.name,
      voices: own.flatMap(({ voice }) => voice ?? []),
    });
  }
  return [...byHash.values()];
}

/** The id of whoever is called that: names are compared without case and without differences of notation. */
export const personId = (name: string): string => nameHash(name).slice(0, 32);

const nameHash = (name: string): string => hashedKey(name.normalize('NFKC').toLowerCase());

type NamedIn = {
  owner: string;
  /** Keys of the entries. */
  listed: string[];
  /** Missing where the key is. */
  named?: readonly NamedLabel[];
  unreadable?: true;
};
type Entry = { hash: string; position: number; recordingId: string };
type NamedFact = Parameters<typeof namedAfter>[1];

const rowKey = (recordingId: string): string => `r/${recordingId}`;

function sealOfNames(key: string): Seal | undefined {
  const [kind, subject] = key.split('/', 2);
  return kind === 'r' && subject !== undefined ? { subject, open: ['owner', 'listed'] } : undefined;
}

function ownerAfter(owner: string | undefined, fact: LoggedFact): string | undefined {
  switch (fact.type) {
    case 'recording.started':
    case 'audio.imported':
    case 'recording.handed_over':
      return fact.data.owner;
    default:
      return owner;
  }
}

/** Brings the entries up to what is named; returns their keys. */
function list(
  rows: Rows,
  id: string,
  given: { owner: string; named: readonly NamedLabel[]; before: readonly string[] },
): string[] {
  const entries = new Map<string, string | null>();
  for (const { name, position, voice, revoked } of given.named) {
    if (revoked) continue;
    const key = `i/${given.owner}/${nameHash(name)}/${String(position).padStart(16, '0')}/${id}`;
    entries.set(key, voice?.embedding_model ?? entries.get(key) ?? null);
  }
  for (const key of given.before) if (!entries.has(key)) rows.delete(key);
  for (const [key, model] of entries) rows.set(key, { model });
  return [...entries.keys()];
}

/** A user's entries by name, newest first. */
async function listedOf(
  storage: ProjectionStorage,
  owner: string,
  { voices, model }: { voices?: true; model?: string },
): Promise<Map<string, Entry[]>> {
  const found = new Map<string, Entry[]>();
  const within = { ...startingWith(`i/${owner}/`), reverse: true };
  for await (const [key, row] of storage.range<{ model: string | null }>(people.name, within)) {
    if (voices && row.model === null) continue;
    if (model !== undefined && row.model !== model) continue;
    const [, , hash = '', position, recordingId = ''] = key.split('/');
    const some = found.get(hash) ?? [];
    found.set(hash, some);
    some.push({ hash, position: Number(position), recordingId });
  }
  return found;
}
