import pino from 'pino';
import { WebSocket } from 'ws';
import { EventEmitter, once } from 'node:events';
import { mkdir, realpath } from 'node:fs/promises';
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { openLog } from '../../events/log/level-log.ts';
import type { Stage } from '../../events/facts/recording.ts';
import { commands, importedBy } from '../../projections/commands.ts';
import { recordingById, recordings, unsettledRecordings } from '../../projections/recordings.ts';
import type { Projection } from '../../projections/projection.ts';
import { startProjections } from '../../projections/runner.ts';
import { openAccounts } from '../../src/accounts/accounts.ts';
import { retireSpace } from '../../src/accounts/retired-spaces.ts';
import { acceptsAudio } from '../../src/audio/accepts-audio.ts';
import { levelChores } from '../../src/storage/level-chores.ts';
import { levelSessionRows } from '../../src/storage/session-rows.ts';
import { measureTaken, openSpaceLimit } from '../../src/storage/quota.ts';
import { openRows } from '../../src/storage/open-rows.ts';
import { openSpace } from '../../src/documents/space.ts';
import { dataFolder } from '../../src/shared/data-directory.ts';
import { createApp } from '../../src/http/app.ts';
import { listen } from '../../src/http/server.ts';
import type { HttpServices } from '../../src/http/services.ts';
import { healthOf } from '../../src/integrity/verify.ts';
import { openMetrics } from '../../src/metrics/metrics.ts';
import { write } from '../../src/recordings/activities/write.ts';
import { openActivityBoard } from '../../src/recordings/activity-board.ts';
import { openCaptures } from '../../src/capture/captures.ts';
import { openToggle } from '../../src/capture/toggle.ts';
import { endWorkOf } from '../../src/recordings/end-work.ts';
import { openDesk } from '../../src/recordings/open-desk.ts';
import type { Job, StageActivity } from '../../src/recordings/run-stage.ts';
import { openTurns } from '../../src/recordings/turns.ts';
import { openConfig } from '../../src/config/config.ts';
import { StageError } from '../../src/shared/errors.ts';
import { checkAnswer, checkFrame } from './check-answer.ts';
import { tempDir } from './temp-dir.ts';

export type Answer<T = Record<string, unknown>> = {
  status: number;
  headers: Headers;
  body: T;
};

/** What a problem document holds. */
export type ProblemAnswer = {
  type: string;
  title: string;
  status: number;
  detail: string;
  errors?: { path: string; message: string }[];
  [member: string]: unknown;
};

export const password = 'correct horse battery';

/**
 * A service of real parts (log, keys, projections, accounts, desk, documents) behind real HTTP on a free
 * loopback port. Only the engines are scripted: what they hear is known, and they can be held or fail.
 */
export async function startService(
  t: TestContext,
  options: {
    env?: Record<string, string>;
    /** More projections than the service's own. */
    projections?: Projection[];
    overrides?: Partial<HttpServices>;
    /** A word that is in everything the engines say of an owner's recordings. */
    marker?: (owner: string) => string;
    /** Of a service that was closed: this one is its restart. */
    dataDir?: string;
  } = {},
) {
  const opened: (() => Promise<void>)[] = [];
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= closeAll());
  const closeAll = async (): Promise<void> => {
    for (const shut of opened.toReversed()) await shut();
  };
  // Hooks run in the order they are given in: before the directory is removed.
  t.after(close);
  const dataDir = options.dataDir ?? (await realpath(await tempDir(t)));
  const logged: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
  const recordingsDir = join(dataDir, 'recordings');
  await mkdir(recordingsDir, { recursive: true });
  const keys = await openFileKeys(join(dataDir, 'keys'));
  const store = await openLog({ directory: join(dataDir, 'log'), keys });
  opened.push(() => store.close());
  const config = await openConfig({
    store,
    secretsPath: join(dataDir, 'secrets.json'),
    env: options.env ?? {},
    log,
  });
  const { settings } = config;
  const served = [recordings, commands, ...(options.projections ?? [])];
  const directory = join(dataDir, 'rows');
  const rows = await openRows({ directory, keys, projections: served, log });
  opened.push(() => rows.close());
  const { storage } = rows;
  const projections = startProjections({ store, storage, projections: served });
  opened.push(() => projections.stop());
  await projections.ready();
  const upToDate = () => projections.applied(recordings.name, store.head());
  const accounts = await openAccounts({
    store,
    keys,
    endWork: (userId, onBehalf) =>
      endWorkOf(userId, onBehalf, { storage, upToDate, desk, captures, log }),
    retireSpace: retireSpace(dataFolder(dataDir), () => new Date()),
    sessions: levelSessionRows(store.db),
    settings,
    clock: () => new Date(),
    dataDir,
    log,
  });
  const engines = scriptedEngines((owner) => openSpace(dataDir, owner), options.marker);
  const desk = openDesk({
    store,
    activities: engines.activities,
    turns: openTurns(),
    board: openActivityBoard(),
    log,
    recordingsDir,
    quarantineDir: join(dataDir, 'quarantine'),
    removal: {
      keys,
      spaceOf: (owner) => openSpace(dataDir, owner),
      chores: levelChores(store.db),
      applied: (position) => projections.applied('all', position),
    },
    importedBy: (command) => importedBy(storage, command),
  });
  opened.push(async () => {
    engines.releaseAll();
    await desk.close();
  });
  const captures = openCaptures({
    dataRoot: dataDir,
    recordingsDir,
    store,
    log,
    combinedChannels: () => 'mix',
    hoursMax: () => 8,
  });
  if (options.dataDir !== undefined) {
    await desk.restart(unsettledRecordings(storage));
    await accounts.finishDeletions();
  }
  const space = openSpaceLimit({
    measure: (signal) => measureTaken(dataFolder(dataDir), signal),
    settings,
    log,
  });
  opened.push(() => space.stop());
  const services: HttpServices = {
    captures,
    space,
    toggle: openToggle({
      desk,
      captures,
      space,
      storage,
      settings,
      upToDate,
      head: () => store.head(),
    }),
    log,
    version: '0.0.0-test',
    address: '127.0.0.1',
    dataDir,
    settings,
    config,
    desk,
    store,
    storage,
    projections,
    accounts,
    acceptsAudio,
    metrics: openMetrics({ store, storage, projections, desk, space }),
    health: () => healthOf(store, []),
    ...options.overrides,
  };
  const server = await listen(createApp(services), services, { port: 0 });
  opened.push(() => server.close());

  const { url } = server;
  const call = async <T = Record<string, unknown>>(
    method: string,
    path: string,
    init: {
      token?: string | null;
      json?: unknown;
      body?: FormData | string;
      headers?: object;
    } = {},
  ): Promise<Answer<T>> => {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(init.token ? { Authorization: `Bearer ${init.token}` } : {}),
        ...(init.json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...init.headers,
      },
      ...(init.json === undefined ? {} : { body: JSON.stringify(init.json) }),
      ...(init.body === undefined ? {} : { body: init.body }),
    });
    const text = await response.text();
    const contentType = response.headers.get('content-type');
    const isJson = contentType?.includes('json') ?? false;
    const body = (isJson ? JSON.parse(text) : text) as T;
    checkAnswer({ method, path }, { status: response.status, contentType, body });
    return { status: response.status, headers: response.headers, body };
  };
  const login = async (username: string): Promise<string> => {
    const answer = await call<{ token: string }>('POST', '/login', {
      json: { username, password },
    });
    if (answer.status !== 200) throw new Error(`login: ${answer.status}`);
    return answer.body.token;
  };

  return {
    url,
    port: server.port,
    dataDir,
    logged,
    services,
    store,
    storage,
    projections,
    accounts,
    desk,
    engines,
    close,
    call,
    login,
    /** The first administrator's token. */
    async setUp(): Promise<string> {
      const json = { username: 'ada', password };
      return (await call<{ token: string }>('POST', '/setup', { json })).body.token;
    },
    /** Another user's token. */
    async addUser(username: string, isAdmin = false): Promise<string> {
      await accounts.createUser({ username, password, isAdmin }, { by: 'system' });
      return await login(username);
    },
    upload: <T = { recording_id: string; status: string }>(
      token: string | null,
      fields: Record<string, string> = {},
      init: { audio?: Uint8Array; filename?: string; headers?: object } = {},
    ) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      const audio = init.audio ?? wav();
      form.set('file', new Blob([audio]), init.filename ?? 'talk.wav');
      const headers = init.headers ?? {};
      return call<T>('POST', '/recordings', { token, body: form, headers });
    },
    /** Resolves when a recording is in a state (canonical name or its beginning). */
    async reaches(recordingId: string, state: string): Promise<void> {
      await new Promise<void>((resolve, reject) => {
        const look = async () => {
          const row = await recordingById(storage, recordingId);
          if (!row?.state.startsWith(state)) return;
          stop();
          clearTimeout(timer);
          resolve();
        };
        const stop = projections.onApplied(() => void look());
        const timer = setTimeout(() => {
          stop();
          reject(new Error(`${recordingId} never became ${state}`));
        }, 10_000);
        void look();
      });
    },
  };
}

export type TestService = Awaited<ReturnType<typeof startService>>;

/** A request with full control of its headers, which `fetch` does not give. */
export function rawRequest(
  url: string,
  options: { method?: string; headers?: Record<string, string>; path?: string; body?: string },
): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = options;
    const target = new URL(url);
    const request = httpRequest(
      { host: target.hostname, port: target.port, path: options.path ?? '/', method, headers },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

export type Frame = { type: string; position?: number; [member: string]: unknown };

/** A WebSocket that keeps what it got, and tells when something it waits for is there. */
export function connect(
  url: string,
  token: string,
  options: { after?: number; query?: string; protocols?: string[]; headers?: object } = {},
) {
  const after = options.after === undefined ? '' : `&after=${options.after}`;
  const query = options.protocols ? '?' : `?token=${token}`;
  const socket = new WebSocket(
    `${url.replace('http', 'ws')}/ws${query}${after}${options.query ?? ''}`,
    options.protocols ?? [],
    { headers: { ...options.headers } },
  );
  const frames: Frame[] = [];
  const watchers = new Set<() => void>();
  const closed = new Promise<number>((resolve) => socket.once('close', (code) => resolve(code)));
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as Frame;
    checkFrame(frame);
    frames.push(frame);
    for (const look of watchers) look();
  });
  // A refused handshake is told by `refusal`.
  socket.on('error', () => {});
  const refusal = new Promise<{ status: number; body: ProblemAnswer }>((resolve) => {
    socket.once('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as ProblemAnswer }),
      );
    });
  });
  return {
    socket,
    frames,
    closed,
    refusal,
    /** The first frame that meets the condition, come or to come. */
    until(condition: (frame: Frame) => boolean, timeoutMs = 10_000): Promise<Frame> {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          watchers.delete(look);
          reject(new Error(`no such frame among ${frames.map(({ type }) => type).join(', ')}`));
        }, timeoutMs);
        const look = () => {
          const found = frames.find(condition);
          if (!found) return;
          watchers.delete(look);
          clearTimeout(timer);
          resolve(found);
        };
        watchers.add(look);
        look();
      });
    },
    close: () => socket.close(),
  };
}

/** A short WAV file: 16 kHz mono 16-bit silence. */
export function wav(seconds = 0.1): Uint8Array {
  const bytes = Math.round(seconds * 16_000) * 2;
  const file = Buffer.alloc(44 + bytes);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + bytes, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(16_000, 24);
  file.writeUInt32LE(32_000, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(bytes, 40);
  return file;
}

/** Engines that heard two sentences. `hold` makes a stage wait, `fail` makes it fail, until `release`. */
function scriptedEngines(
  spaceOf: Parameters<typeof write>[0]['spaceOf'],
  marker?: (owner: string) => string,
) {
  const held = new Map<Stage, { promise: Promise<void>; release: () => void }>();
  const failing = new Set<Stage>();
  const engine = { engine: 'scripted', model: null };
  const utterances = ['Hello there.', 'This is the secret plan.'];
  /** With the owner's marker, if there are any. */
  const marked = (text: string, { owner }: Pick<Job, 'owner'>): string =>
    marker === undefined ? text : `${text} ${marker(owner)}`;

  const stage =
    (work: (job: Job) => Promise<void>, name: Stage): StageActivity =>
    async (job) => {
      await job.begin({ name, places: 8 });
      job.progress(0.5);
      await Promise.race([
        held.get(name)?.promise,
        new Promise((_, reject) => {
          job.signal.addEventListener('abort', () => reject(job.signal.reason as Error));
        }),
      ]);
      if (failing.has(name)) {
        throw new StageError('engine-failed', 'The engine is out of order', { retriable: true });
      }
      await work(job);
    };
  const block = (id: number, speaker: string | null, job: Job) => ({
    id: `t-000${id + 1}`,
    speaker,
    start: id,
    end: id + 1,
    text: marked(utterances[id]!, job),
    words: [],
  });

  const realWrite = write({
    spaceOf,
    uiLanguage: () => 'en',
    async *promisedBases() {},
  });
  const activities: Record<Stage, StageActivity> = {
    capture: stage(async () => {}, 'capture'),
    transcribe: stage(async (job) => {
      const stretches = utterances.map((_, index): [number, number] => [index, index + 1]);
      const plan = { detector: 'scripted', duration: 2, stretches, warnings: [] };
      await job.offer({ type: 'speech.detected', data: plan });
      for (const [index, said] of utterances.entries()) {
        const text = marked(said, job);
        const [start, end] = stretches[index]!;
        await job.offer({
          type: 'utterance.recognised',
          data: { index, start, end, words: 2, language: 'en' },
          content: { segments: [{ start, end, text, words: [] }] },
        });
      }
      await job.offer({
        type: 'transcription.completed',
        data: { ...engine, language: 'en', utterances: 2, words: 4 },
      });
    }, 'transcribe'),
    diarize: stage(
      (job) => job.offer({ type: 'diarization.skipped', data: { reason: 'scripted' } }),
      'diarize',
    ),
    identify: stage(
      (job) => job.offer({ type: 'identification.skipped', data: { reason: 'scripted' } }),
      'identify',
    ),
    join: stage(async (job) => {
      await job.offer({
        type: 'turns.joined',
        data: { speakers: [0, 1].map((id) => ({ label: label(id), seconds: 1 })) },
        content: {
          turns: [0, 1].map((id) => block(id, label(id), job)),
          suggestions: [0, 1].map((id) => ({
            label: label(id),
            name: null,
            confidence: null,
            reason: null,
            sample: { start: id, end: id + 1, text: marked(utterances[id]!, job) },
          })),
        },
      });
    }, 'join'),
    punctuate: stage(async (job) => {
      const { kind } = (await job.recording()).sources.draft;
      const blocks = [0, 1].map((id) => block(id, kind === 'meeting' ? label(id) : null, job));
      await job.offer({
        type: 'transcript.punctuated',
        data: { ...engine, parts: 1, kept: [] },
        content: { blocks },
      });
    }, 'punctuate'),
    summarise: stage(
      (job) =>
        job.offer({
          type: 'summary.completed',
          data: { ...engine, parts: 1, language: 'en' },
          content: { text: marked('Somebody greets and has a plan.', job) },
        }),
      'summarise',
    ),
    entitle: stage(
      (job) =>
        job.offer({
          type: 'title.chosen',
          data: engine,
          content: {
            title: marked('A plan', job),
            abstract: marked('There is a plan. It is secret.', job),
          },
        }),
      'entitle',
    ),
    write: realWrite,
  };

  return {
    activities,
    hold(name: Stage): void {
      const gate = new EventEmitter();
      const promise = once(gate, 'open').then(() => undefined);
      held.set(name, { promise, release: () => void gate.emit('open') });
    },
    release(name: Stage): void {
      held.get(name)?.release();
      held.delete(name);
    },
    releaseAll(): void {
      for (const { release } of held.values()) release();
      held.clear();
    },
    fail: (name: Stage) => void failing.add(name),
    mend: (name: Stage) => void failing.delete(name),
  };
}

const label = (id: number): string => `SPEAKER_${id + 1}`;
