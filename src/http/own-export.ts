import { createHash } from 'node:crypto';
import { basename, extname } from 'node:path';
import { Readable } from 'node:stream';
import { decodeTime } from 'ulid';
import { isIn } from '../../machines/states.ts';
import { peopleNamed } from '../../projections/people.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import { recordingById, recordingsOf } from '../../projections/recordings.ts';
import { transcriptOf } from '../../projections/texts.ts';
import type { Caller } from '../accounts/caller.ts';
import { zipStream } from '../export/zip-stream.ts';
import { detail } from '../words/details.ts';
import type { Language } from '../words/params.ts';
import { sayWhole } from '../words/say.ts';
import { isStillIn } from './access-watch.ts';
import { exportInputOf, readDocuments } from './documents-seen.ts';
import { Problem } from './problems.ts';
import { exportedAnswer, recordingAnswer } from './recording-answer.ts';
import { grantsShown } from './routes/access.ts';
import type { HttpServices } from './services.ts';
import { asSeen } from './shared-answer.ts';
import { ownersRight } from './visible-recording.ts';

/** Why something is not in the file. */
type Reason = 'unfinished' | 'no-audio' | 'damaged-audio' | 'unreadable';

type Writing = {
  services: HttpServices;
  caller: Caller;
  language: Language;
  now: Date;
  missing: string[];
};

/** Recordings that are listed at once. */
const page = 50;

/**
 * All that a user has, as one zip file: recordings with documents and audio, account and order. It is written as it is sent,
 * one file after the other. What is damaged or missing is named in `MISSING.txt`.
 */
export async function ownExport(
  services: HttpServices,
  caller: Caller,
  language: Language,
): Promise<Readable> {
  const writing = { services, caller, language, now: new Date(), missing: [] };
  return await zipStream(filesOf(writing), (err) =>
    services.log.warn({ err, user_id: caller.userId }, 'export of a user ended early'),
  );
}

async function* filesOf(writing: Writing) {
  const { services, caller, now, missing } = writing;
  for (const [path, content] of await aboutUser(services, caller))
    yield { path, content: json(content), mtime: now };
  let cursor: string | undefined;
  do {
    const { rows, nextCursor } = await recordingsOf(services.storage, caller.userId, {
      limit: page,
      cursor,
      words: false,
    });
    for (const { recordingId } of rows) {
      if (!(await isStillIn(services, caller))) throw new Problem('not-authenticated');
      yield* ofRecording(writing, recordingId);
    }
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  if (missing.length > 0) yield { path: 'MISSING.txt', content: missing.join(''), mtime: now };
}

/** Files about the user, none of which holds a secret or what another person has. */
async function aboutUser(
  services: HttpServices,
  { userId, username, isAdmin }: Caller,
): Promise<[name: string, content: unknown][]> {
  const { accounts, order, storage } = services;
  await accounts.takeIn();
  const groups = new Set(accounts.groupsOf(userId));
  const sessions = await accounts.sessions(userId);
  const account = {
    user_id: userId,
    username,
    created_at: new Date(decodeTime(userId)).toISOString(),
    is_admin: isAdmin,
    notes_folder: accounts.vaultOf(userId),
    groups: accounts
      .listGroups()
      .filter(({ id }) => groups.has(id))
      .map(({ name }) => name),
    sessions: sessions.map(({ createdAt, lastSeenAt, agent }) => ({
      program: agent,
      created_at: createdAt.toISOString(),
      last_seen_at: lastSeenAt.toISOString(),
    })),
  };
  const { folders, tags, rules, templates, words, retention } = await order.of(userId);
  const voices = await peopleNamed(storage, userId, { voices: true });
  return [
    ['account.json', account],
    [
      'folders.json',
      [...folders.values()].map(({ access, ...folder }) => ({
        ...folder,
        shared_with: grantsShown(services, access),
      })),
    ],
    ['tags.json', [...tags.values()]],
    ['rules.json', [...rules.values()]],
    ['templates.json', [...templates.values()]],
    [
      'words.json',
      [...words.values()].map(({ savedAt, ...word }) => ({ ...word, saved_at: savedAt })),
    ],
    // Periods of a folder are in `folders.json`.
    ['retention.json', { ...retention.terms, changed_at: retention.at }],
    ['voices.json', voices.map(({ name }) => ({ name }))],
  ];
}

async function* ofRecording(writing: Writing, recordingId: string) {
  const { services } = writing;
  const row = await recordingById(services.storage, recordingId);
  // Erased or handed over since.
  if (!row || isIn(row.state, 'idle.erased') || row.owner !== writing.caller.userId) return;
  const base = row.documents && basename(row.documents.index, '.md');
  const folder = `recordings/${base ?? recordingId}`;
  if (row.notes.some(({ code }) => code === 'unreadable')) note(writing, row, 'unreadable');
  try {
    yield* wordsOf(writing, row, folder);
  } catch (error) {
    services.log.warn({ err: error, recording_id: recordingId }, 'recording not exported');
    note(writing, row, 'unreadable');
  }
  yield* audioOf(writing, row, folder);
}

/** Documents as they are stored, and made again where they are missing; what else is known as JSON. */
async function* wordsOf(writing: Writing, row: RecordingRow, folder: string) {
  const { services, language } = writing;
  const mtime = new Date(row.startedAt);
  const transcript = await transcriptOf(services.storage, row.recordingId);
  const reader = { language, isAdmin: false };
  const uiLanguage = services.settings()['ui.language'];
  const input = transcript && (await exportInputOf(services, row, transcript));
  const answer =
    transcript && input
      ? exportedAnswer(row, transcript, input)
      : recordingAnswer(row, transcript, [], { uiLanguage, reader });
  const said = asSeen(services, { row, right: ownersRight }, answer);
  const content = json({ ...said, shared_with: grantsShown(services, row.access) });
  yield { path: `${folder}/recording.json`, content, mtime };
  for (const { path, bytes } of await readDocuments(services, { row, right: ownersRight })) {
    if (bytes === undefined) note(writing, row, 'unreadable', basename(path));
    else yield { path: `${folder}/${basename(path)}`, content: bytes, mtime };
  }
}

/** The audio as it is kept, checked while it is sent. */
async function* audioOf(writing: Writing, row: RecordingRow, folder: string) {
  const { services } = writing;
  const { audio, recordingId, startedAt } = row;
  if (audio === null) {
    if (row.status === 'recording') note(writing, row, 'unfinished');
    return;
  }
  const fault = (err: unknown, reason: Reason) => {
    services.log.warn({ err, recording_id: recordingId }, 'audio not exported as it was kept');
    note(writing, row, reason);
  };
  const file = await services.audio.open(recordingId, audio).catch((error: unknown) => {
    fault(error, 'no-audio');
    return null;
  });
  if (file === null) return;
  if (file.size === 0) {
    fault(undefined, 'damaged-audio');
    await file.close();
    return;
  }
  const checked = async function* (): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    try {
      for await (const chunk of (await file.stream(0, file.size - 1)) as AsyncIterable<Buffer>) {
        hash.update(chunk);
        yield chunk;
      }
    } catch (error) {
      // What follows is another entry: the archive must stay whole.
      fault(error, 'damaged-audio');
      return;
    }
    if (hash.digest('hex') !== audio.sha256) fault(undefined, 'damaged-audio');
  };
  const content = Readable.from(checked(), { objectMode: false });
  const path = `${folder}/audio${extname(audio.path)}`;
  yield { path, content, mtime: new Date(startedAt), stored: true } as const;
}

const note = (
  { missing, language }: Writing,
  row: RecordingRow,
  reason: Reason,
  document?: string,
): void => void missing.push(missingLine(row, reason, language, document));

/** A line of `MISSING.txt`, of a recording or of one of its documents. */
export function missingLine(
  { startedAt, recordingId }: RecordingRow,
  reason: Reason,
  language: Language,
  document?: string,
): string {
  const of = document === undefined ? '' : ` ${document}`;
  return `${startedAt} ${recordingId}${of}: ${sayWhole(detail(`own-export-${reason}`), language)}\n`;
}

const json = (content: unknown): string => `${JSON.stringify(content, null, 2)}\n`;
