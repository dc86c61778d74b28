import type { ServiceOptions } from '../../src/service/compose.ts';
import { draft } from '../../projections/recording/reading.ts';
import pino from 'pino';
import { WebSocket } from 'ws';
import { EventEmitter, once } from 'node:events';
import { realpath } from 'node:fs/promises';
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import type { Stage } from '../../events/facts/recording.ts';
import type { LevelLog } from '../../events/log/level-log.ts';
import { recordingById } from '../../projections/recordings.ts';
import { openSpace } from '../../src/documents/space.ts';
import type { BrowserLimits } from '../../src/capture/browser/browser-writer.ts';
import { hostFrom } from '../../src/shared/data-directory.ts';
import { type Service, startService as startWhole } from '../../src/main.ts';
import type { NodeTrial } from '../../src/service/open-log.ts';
import type { HttpServices } from '../../src/http/services.ts';
import { write } from '../../src/recordings/stages/write.ts';
import type { Job, StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { StageError } from '../../src/shared/errors.ts';
import { failure } from '../../src/words/failures.ts';
import { checkAnswer, checkFrame } from './check-answer.ts';
import { late, onThisMachine } from './eventually.ts';
import { writingParts } from './recording-service.ts';
import { type HasEnd, tempDir } from './temp-dir.ts';
import { nodeVariables, storeVariables } from './test-store.ts';

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
  errors?: { path: string; message: string; code?: string; params?: object }[];
  [member: string]: unknown;
};

export const password = 'correct horse battery';

/**
 * The service as `main.ts` puts it together, behind real HTTP on a free loopback port. Only the engines
 * are scripted: what they hear is known, and they can be held or fail.
 */
export async function startService(
  t: HasEnd,
  options: {
    env?: Record<string, string>;
    overrides?: Partial<HttpServices>;
    /** A word that is in everything the engines say of an owner's recordings. */
    marker?: (owner: string) => string;
    /** Of a service that was closed: this one is its restart. */
    dataDir?: string;
    /** Stages in the place of the scripted ones; undefined: the service's own. */
    stages?: Partial<Record<Stage, StageActivity | undefined>>;
    /** Where to listen, unless on 127.0.0.1. */
    address?: string;
    /** A node on PostgreSQL, with what `dataDir`, or the store at `blobsUrl`, has in common with others: its name and role. */
    node?: { name: string; role: 'serve' | 'work' | 'all'; blobsUrl?: string };
    browserLimits?: Partial<BrowserLimits>;
    trial?: NodeTrial & Pick<NonNullable<ServiceOptions['trial']>, 'retention' | 'passageMaking'>;
  } = {},
) {
  let running: Service | undefined;
  let closed: Promise<void> | undefined;
  const close = () =>
    (closed ??= (async () => {
      engines.releaseAll();
      await running?.close();
    })());
  // Hooks run in the order they are given in: before the directory is removed.
  t.after(close);
  const dataDir = options.dataDir ?? (await realpath(await tempDir(t)));
  const logged: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
  let compose = () => {};
  const composed = new Promise<void>((resolve) => (compose = resolve));
  // A node may begin anew: then there are others.
  const order = {
    async of(userId: string) {
      await composed;
      return await services!.order.of(userId);
    },
  };
  const writing = writingParts((owner) => openSpace(dataDir, owner), order);
  const engines = scriptedEngines(writing, options.marker);
  const hasLanguageModel = () => true;
  let services: HttpServices | undefined;
  running = await startWhole({
    host: hostFrom({
      ...(options.node
        ? {
            ...(await nodeVariables(dataDir, options.node.name)),
            MITSCHRIFT_ROLE: options.node.role,
            ...(options.node.blobsUrl ? { MITSCHRIFT_BLOBS_URL: options.node.blobsUrl } : {}),
          }
        : await storeVariables(dataDir)),
      MITSCHRIFT_PORT: '0',
      MITSCHRIFT_HOST: options.address,
      // Models of the person at this machine are none of the tests'.
      XDG_DATA_HOME: process.env['XDG_DATA_HOME'],
    }),
    env: options.env ?? {},
    log,
    trial: {
      activities: withStages(engines.activities, options.stages ?? {}),
      browserLimits: options.browserLimits ?? {},
      ...options.trial,
      withServices(own) {
        services = Object.assign(own, { hasLanguageModel }, options.overrides);
        compose();
        return services;
      },
    },
  });
  await running.ready;
  const { url, setupLink } = running;
  const { storage, projections, accounts, recordingService } = services!;
  // Routes see less of it than it is.
  const store = services!.store as LevelLog;
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

  const upload = <T = { recording_id: string; status: string }>(
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
  };
  /** Resolves when a recording is in a state (canonical name or its beginning). */
  const reaches = async (recordingId: string, state: string): Promise<void> => {
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
        reject(late(`${recordingId} is ${state}`, 10_000));
      }, onThisMachine(10_000));
      void look();
    });
  };

  return {
    url,
    setupLink,
    /** While there is no user. */
    setupCode: async () => new URL((await setupLink)!).hash.replace('#code=', ''),
    port: Number(new URL(url).port),
    dataDir,
    logged,
    services: services!,
    store,
    storage,
    projections,
    accounts,
    recordingService,
    engines,
    hasLanguageModel,
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
    upload,
    reaches,
    /** An upload that is saved, or waits for its speakers: a meeting. @returns its id */
    async settled(...given: Parameters<typeof upload>): Promise<string> {
      const { recording_id: id } = (await upload(...given)).body;
      await reaches(id, given[1]?.['kind'] === 'meeting' ? 'awaiting-speakers' : 'idle.saved');
      return id;
    },
    /** Gives the speakers of a meeting names, or none, and waits until it is saved. */
    async named(token: string, id: string, speakers?: Record<string, string>): Promise<void> {
      const json = { recording_id: id, ...(speakers ? { speakers } : { skip: true }) };
      await call('POST', '/speakers', { token, json });
      await reaches(id, 'idle.saved');
    },
  };
}

export type TestService = Awaited<ReturnType<typeof startService>>;

/** A service, and the token of its first administrator. */
export async function withAda(...given: Parameters<typeof startService>) {
  const service = await startService(...given);
  return { service, token: await service.setUp() };
}

/** A request with full control of its headers, which `fetch` does not give. */
export function rawRequest(
  url: string,
  options: { method?: string; headers?: Record<string, string>; path?: string; body?: string },
): Promise<{ status: number; headers: IncomingHttpHeaders; body: string; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = options;
    const target = new URL(url);
    const request = httpRequest(
      {
        host: target.hostname.replace(/^\[|\]$/g, ''),
        port: target.port,
        path: options.path ?? '/',
        method,
        headers,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const { statusCode: status = 0, headers: sent } = response;
          const bytes = Buffer.concat(chunks);
          resolve({ status, headers: sent, body: bytes.toString(), bytes });
        });
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
        }, onThisMachine(timeoutMs));
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

/** Without those that are undefined: the service has its own. */
const withStages = (
  scripted: Partial<Record<Stage, StageActivity>>,
  stages: Partial<Record<Stage, StageActivity | undefined>>,
): Partial<Record<Stage, StageActivity>> =>
  Object.fromEntries(Object.entries({ ...scripted, ...stages }).filter(([, stage]) => stage));

/** Engines that heard two sentences. `hold` makes a stage wait, `fail` makes it fail, until `release`. */
function scriptedEngines(writing: Parameters<typeof write>[0], marker?: (owner: string) => string) {
  const held = new Map<Stage, { promise: Promise<void>; release: () => void }>();
  const failing = new Set<Stage>();
  const engine = { engine: 'scripted', model: null };
  const utterances = ['Hello there.', 'This is the secret plan.'];
  /** With the owner's marker, if there are any. */
  const marked = (text: string, { owner }: Pick<Job, 'owner'>): string =>
    marker === undefined ? text : `${text} ${marker(owner)}`;

  const released = (name: Stage, job: Job): Promise<unknown> =>
    Promise.race([
      held.get(name)?.promise,
      new Promise((_, reject) => {
        job.signal.addEventListener('abort', () => reject(job.signal.reason as Error));
      }),
    ]);
  const stage =
    (work: (job: Job) => Promise<void>, name: Stage): StageActivity =>
    async (job) => {
      await job.acquireSlot({ name, concurrency: 8 });
      job.progress(0.5);
      await released(name, job);
      if (failing.has(name)) {
        throw new StageError(failure('speech-failed', { cause: 'out of order' }), {
          retriable: true,
        });
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

  const realWrite = write(writing);
  const activities: Record<Exclude<Stage, 'assemble' | 'continue'>, StageActivity> = {
    capture: stage(async () => {}, 'capture'),
    follow: async () => {},
    transcribe: stage(async (job) => {
      const stretches = utterances.map((_, index): [number, number] => [index, index + 1]);
      const plan = { detector: 'scripted', duration: 2, stretches, warnings: [] };
      // What a start left that was ended is not found again.
      const made = draft(await job.recording());
      if (made.plan === null) await job.append({ type: 'speech.detected', data: plan });
      for (const [index, said] of utterances.entries()) {
        if (index < made.utterances.length) continue;
        const text = marked(said, job);
        const [start, end] = stretches[index]!;
        await job.append({
          type: 'utterance.recognised',
          data: { index, start, end, words: 2, language: 'en' },
          content: { segments: [{ start, end, text, words: [] }] },
        });
      }
      await job.append({
        type: 'transcription.completed',
        data: { ...engine, language: 'en', utterances: 2, words: 4 },
      });
    }, 'transcribe'),
    diarize: stage(
      (job) => job.append({ type: 'diarization.skipped', data: { reason: 'scripted' } }),
      'diarize',
    ),
    identify: stage(
      (job) => job.append({ type: 'identification.skipped', data: { reason: 'scripted' } }),
      'identify',
    ),
    join: stage(async (job) => {
      await job.append({
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
      await job.append({
        type: 'transcript.punctuated',
        data: { ...engine, parts: 1, kept: [] },
        content: { blocks },
      });
    }, 'punctuate'),
    summarise: stage(
      (job) =>
        job.append({
          type: 'summary.completed',
          data: { ...engine, parts: 1, language: 'en' },
          content: { text: marked('Somebody greets and has a plan.', job) },
        }),
      'summarise',
    ),
    entitle: stage(
      (job) =>
        job.append({
          type: 'title.chosen',
          data: engine,
          content: {
            title: marked('A plan', job),
            abstract: marked('There is a plan. It is secret.', job),
          },
        }),
      'entitle',
    ),
    async write(job) {
      await released('write', job);
      await realWrite(job);
    },
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
