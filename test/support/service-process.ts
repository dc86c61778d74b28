import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { watchForHang } from '../../src/capture/hung-process.ts';
import { late, onThisMachine } from './eventually.ts';
import { program } from './program.ts';

const root = join(import.meta.dirname, '../..');
/** A service that does nothing for so long before it says where it listens hangs, in milliseconds. */
const startIdleMs = 30_000;
/** However busy the machine is. */
const startWithinMs = 300_000;

export type ServiceProcess = {
  url: string;
  pid: number;
  /** Sends a signal and resolves with the exit code when the process is gone. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
  /** The exit code when it is gone, whoever ended it; null: a signal did. */
  ended: Promise<number | null>;
  /** What it printed on standard output: its log. */
  logged: string[];
  /** What it printed on standard error: its address, and the setup link. */
  said: string[];
};

/**
 * The real service in a process of its own, as it is built, on a free port of the loopback address.
 * Resolves when it is ready, or as soon as the port answers.
 * @param wrap program and arguments in front of node, such as strace's; it must run node as its child
 * @param options.command what starts it where it is installed otherwise, in the folder `cwd`
 */
export async function startServiceProcess(
  dataDir: string,
  env: Record<string, string> = {},
  wrap: readonly string[] = [],
  { ready = true, command = [process.execPath, program, 'serve'], cwd = root } = {},
): Promise<ServiceProcess> {
  const [first, ...args] = [...wrap, ...command] as [string, ...string[]];
  const child = spawn(first, args, {
    cwd,
    env: { ...process.env, MITSCHRIFT_DATA: dataDir, MITSCHRIFT_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const logged: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => logged.push(line));
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const said: string[] = [];
  const failure = (code: number | null) =>
    new Error(`the service ended with ${code}:\n${[...said, ...logged].join('\n')}`);
  const url = await new Promise<string>((resolve, reject) => {
    const giveUp = () => reject(new Error('the service did not start'));
    const limits = { idleMs: startIdleMs, mostMs: startWithinMs };
    const stopWatching = watchForHang(child.pid!, limits, giveUp);
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      const address = /^Mitschrift is running at (\S+)$/.exec(line)?.[1];
      if (!address) return;
      stopWatching();
      resolve(address);
    });
    void exited.then((code) => {
      stopWatching();
      reject(failure(code));
    });
  });
  const pid = wrap.length > 0 ? onlyChildOf(child.pid!) : child.pid!;
  if (ready) await started(url, exited);
  // It listens before it opens its data. One that was killed meanwhile is its caller's doing.
  if (child.exitCode !== null && child.exitCode !== 0) throw failure(child.exitCode);
  return {
    url,
    pid,
    ended: exited,
    logged,
    said,
    async end(signal) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        // It had ended by itself, or by the fault it was under.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
      return await exited;
    },
  };
}

/** Each question waits for a while in the service. Over when the process ends. */
async function started(url: string, exited: Promise<unknown>): Promise<void> {
  const gone = exited.then(() => null);
  for (;;) {
    const asked = fetch(`${url}/health?ready`).then((answer) => answer.json());
    const health = await Promise.race([asked.catch(() => gone), gone]);
    if ((health as { status: string } | null)?.status !== 'starting') return;
  }
}

/** The process a wrapper started: the first one, also when that has children of its own. */
function onlyChildOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0]);
}

/** Talks to a service over HTTP. @throws on any answer that is not a success. */
export function apiOf(url: string, token?: string, headers: Record<string, string> = {}) {
  const call = async <T>(method: string, path: string, body?: object | FormData): Promise<T> => {
    const form = body instanceof FormData;
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...headers,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || form ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text) as T;
  };
  return {
    get: <T>(path: string) => call<T>('GET', path),
    post: <T>(path: string, body?: object | FormData) => call<T>('POST', path, body),
    put: <T>(path: string, body: object) => call<T>('PUT', path, body),
    patch: <T>(path: string, body: object) => call<T>('PATCH', path, body),
    delete: (path: string) => call('DELETE', path),
  };
}

/** The first administrator of a new installation. */
export const firstAdmin = { username: 'anna', password: 'correct horse battery' };

/** Makes the first administrator. @returns their token */
export async function setUp(
  url: string,
  other: { username?: string; setup_code?: string } = {},
): Promise<string> {
  const body = { ...firstAdmin, ...other };
  return (await apiOf(url).post<{ token: string }>('/setup', body)).token;
}

/** Somebody with a password that nobody else set, by an invitation; returns the id. */
export async function inviteUser(
  url: string,
  admin: string,
  wanted: { username: string; password: string; is_admin?: boolean },
): Promise<string> {
  const { username, password, is_admin = false } = wanted;
  const invitation = { is_admin };
  const link = await apiOf(url, admin).post<{ id: string; url: string }>(
    '/users/invitations',
    invitation,
  );
  const token = new URL(link.url).hash.replace('#invitation=', '');
  await apiOf(url).post('/invitations/accept', { token, username, password });
  return link.id;
}

/** A file as the form of `POST /recordings`. */
export function uploadForm(
  audio: Uint8Array<ArrayBuffer>,
  fields: Record<string, string>,
  filename = 'talk.wav',
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([audio]), filename);
  return form;
}

/** Calls `look` at every frame of the service's WebSocket until it answers true. */
export async function watchUntil(
  url: string,
  token: string,
  look: () => Promise<boolean>,
  withinMs: number,
): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?token=${token}`);
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => reject(late('what is watched for', withinMs));
      timer = setTimeout(giveUp, onThisMachine(withinMs));
      let looking = false;
      let again = false;
      const onFrame = async () => {
        again = true;
        if (looking) return;
        looking = true;
        while (again) {
          again = false;
          if (!(await look())) continue;
          resolve();
          return;
        }
        looking = false;
      };
      socket.on('message', () => void onFrame().catch(reject));
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('the WebSocket was closed')));
    });
  } finally {
    clearTimeout(timer);
    socket.removeAllListeners('close');
    socket.close();
  }
}
