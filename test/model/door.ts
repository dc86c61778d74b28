import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { testProgram } from '../support/program.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { nodeVariables } from '../support/test-store.ts';
import { type HasEnd, tempDir } from '../support/temp-dir.ts';

export type Store = 'LevelDB' | 'PostgreSQL';
export type Answered<T> = { status: number; body: T };

/** A service behind its public doors, that is killed when it is told to, and begun again. */
export type Door = {
  url(): string;
  token: string;
  dataDir: string;
  /** What it is started with. */
  env: Record<string, string>;
  /** It is killed so many milliseconds after the next command was sent. */
  plan(milliseconds: number): void;
  /** Resolves when a kill that is going on is over, and the service is there again. */
  whole(): Promise<void>;
  kill(): Promise<void>;
  /** It ends as it is asked to, and is begun again after `meanwhile`. */
  closedFor(meanwhile: () => Promise<void>): Promise<void>;
  /** Sends a command until it is answered, as a page does: with the same key. */
  command<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: object | FormData,
  ): Promise<Answered<T>>;
  get<T>(path: string): Promise<Answered<T>>;
  bytes(path: string): Promise<Uint8Array>;
  logged(): string[];
};

/** A request that is not answered by then hangs, in milliseconds. */
const answeredWithinMs = 120_000;
const repeatedMax = 8;
const login = { username: 'ada', password: 'correct horse battery' };

/** @param languageModel where one is asked; null: there is none */
export async function openDoor(
  t: HasEnd,
  { store, name, languageModel }: { store: Store; name: string; languageModel: string | null },
): Promise<Door> {
  const dataDir = await tempDir(t);
  const env = store === 'LevelDB' ? { MITSCHRIFT_DATA: dataDir } : await nodeVariables(dataDir);
  const command = [process.execPath, testProgram('test/support/spelling-process'), dataDir];
  const logged: string[] = [];
  const start = async () => await startServiceProcess(dataDir, env, [], { command });
  let service: ServiceProcess = await start();
  let planned: number | null = null;
  let restarting: Promise<void> = Promise.resolve();
  let commands = 0;
  t.after(async () => {
    await restarting.catch(() => {});
    await service.end('SIGKILL');
  });
  const again = (signal: 'SIGKILL' | 'SIGTERM', meanwhile = async () => {}): Promise<void> =>
    (restarting = restarting.then(async () => {
      await service.end(signal);
      logged.push(...service.logged);
      await meanwhile();
      service = await start();
    }));
  const kill = () => again('SIGKILL');

  const ask = async (method: string, path: string, body?: object | FormData, key?: string) => {
    for (let repeated = 0; ; repeated += 1) {
      await restarting;
      try {
        const isForm = body instanceof FormData;
        const answer = await fetch(`${service.url}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${door.token}`,
            ...(key === undefined ? {} : { 'idempotency-key': key }),
            ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
          },
          signal: AbortSignal.timeout(answeredWithinMs),
          ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
        });
        const bytes = new Uint8Array(await answer.arrayBuffer());
        if (answer.status === 503 && repeated < repeatedMax) {
          await pause(200);
          continue;
        }
        return { status: answer.status, bytes, type: answer.headers.get('content-type') ?? '' };
      } catch (error) {
        // The kill that was planned, or one that is going on.
        if (repeated === repeatedMax) throw error;
        await pause(5);
      }
    }
  };
  const read = <T>({ status, bytes, type }: Awaited<ReturnType<typeof ask>>): Answered<T> => {
    const text = Buffer.from(bytes).toString();
    return { status, body: (type.includes('json') ? JSON.parse(text) : text) as T };
  };
  const door: Door = {
    url: () => service.url,
    token: '',
    dataDir,
    env,
    plan: (milliseconds) => void (planned = milliseconds),
    whole: () => restarting,
    kill,
    closedFor: (meanwhile) => again('SIGTERM', meanwhile),
    async command(method, path, body) {
      await restarting;
      commands += 1;
      const key = createHash('sha256').update(`${name} ${commands}`).digest('hex').slice(0, 24);
      let death: Promise<unknown> = Promise.resolve();
      if (planned !== null) {
        death = pause(planned).then(kill);
        planned = null;
      }
      const [answer] = await Promise.all([ask(method, path, body, key), death]);
      return read(answer);
    },
    get: async (path) => read(await ask('GET', path)),
    bytes: async (path) => {
      const { status, bytes } = await ask('GET', path);
      if (status !== 200) throw new Error(`GET ${path}: ${status}`);
      return bytes;
    },
    logged: () => [...logged, ...service.logged, ...service.said],
  };
  door.token = (await door.command<{ token: string }>('POST', '/setup', login)).body.token;
  if (languageModel !== null)
    await door.command('PUT', '/config', { llm: { base_url: languageModel } });
  return door;
}
