import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cp, mkdir, readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { eventually, within } from './eventually.ts';
import { modelsDir } from './models.ts';
import { program } from './program.ts';
import { privatePulse } from './pulse.ts';
import { apiOf, startServiceProcess, watchUntil } from './service-process.ts';
import { tcpProxy } from './tcp-proxy.ts';
import { tempDir } from './temp-dir.ts';

const password = 'correct horse battery';
/** No service is there. */
export const nowhere = 'http://127.0.0.1:9';

/** What is read of a recording's answer. */
export type Detail = {
  status: string;
  title: string | null;
  kind: string;
  started_at: string;
  documents: object | null;
  error: object | null;
  utterances: { text: string }[];
};
type Fact = { type: string; data: Record<string, unknown> };

/** A desk with a sound system of its own, a service elsewhere, and a network between that can be cut. */
export async function deskAndService(t: TestContext) {
  const dataDir = await tempDir(t);
  await mkdir(join(dataDir, 'models'));
  await cp(join(modelsDir, 'espeak-en'), join(dataDir, 'models', 'espeak-en'), { recursive: true });
  const pulse = await privatePulse(t);
  const desk = await tempDir(t);
  const start = () => startServiceProcess(dataDir, { MITSCHRIFT_UI_LANGUAGE: 'en' });
  let process = await start();
  t.after(() => process.end('SIGKILL'));
  const { token } = await apiOf(process.url).post<{ token: string }>('/setup', {
    username: 'anna',
    password,
  });
  const network = await tcpProxy(t, process.url);
  const env = { ...pulse.env, ...xdgOf(desk) };
  return {
    pulse,
    desk,
    network,
    run: (args: string[], input = '') => command(t, env, args, input),
    service: {
      dataDir,
      token,
      url: () => process.url,
      async killAndRestart() {
        await process.end('SIGKILL');
        process = await start();
      },
      facts: async (id: string) =>
        await apiOf(process.url, token)
          .get<{ events: Fact[] }>(`/recordings/${id}/events`)
          .then(
            ({ events }) => events,
            () => [],
          ),
      async done(id: string): Promise<Detail> {
        let detail!: Detail;
        const look = async () => {
          detail = await apiOf(process.url, token).get<Detail>(`/recordings/${id}`);
          assert.notEqual(detail.status, 'ERROR', JSON.stringify(detail.error));
          return detail.status === 'IDLE' && detail.documents !== null;
        };
        await watchUntil(process.url, token, look, 60_000);
        return detail;
      },
    },
  };
}

/** Where a desk keeps what is its own. */
export const xdgOf = (desk: string) => ({
  XDG_CONFIG_HOME: join(desk, 'config'),
  XDG_STATE_HOME: join(desk, 'state'),
});

type Run = Awaited<ReturnType<typeof deskAndService>>['run'];

/** As Anna, at this address. */
export async function logIn(run: Run, url: string): Promise<void> {
  const login = run(
    ['login', '--server', url, '--user', 'anna', '--password-stdin'],
    `${password}\n`,
  );
  assert.equal(await login.code, 0, login.err());
}

/** The built command line. Killed with the test. @param wrap a program before it, which becomes it */
export function command(
  t: TestContext,
  env: NodeJS.ProcessEnv,
  args: string[],
  input = '',
  wrap: readonly string[] = [],
) {
  const [first, ...rest] = [...wrap, process.execPath, program, ...args] as [string, ...string[]];
  const child = spawn(first, rest, { env });
  t.after(() => child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  child.stdin.end(input);
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, code: within(args.join(' '), code, 120_000), out: () => out, err: () => err };
}

/** Where a desk keeps the one session that it has. */
export async function loginFile(desk: string): Promise<string> {
  const folder = join(desk, 'config', 'mitschrift', 'logins');
  const [file] = await readdir(folder);
  return join(folder, file!);
}

/** The newest recording on a desk's disk. */
export async function deskAudio(desk: string) {
  const root = join(desk, 'state', 'mitschrift', 'recorder', 'recordings');
  let id = '';
  const known = new Set<string>(seen.get(desk));
  await eventually('a recording begins', async () => {
    id = (await readdir(root).catch(() => [])).find((name) => !known.has(name)) ?? '';
    return id !== '';
  });
  seen.set(desk, [...known, id]);
  const folder = join(root, id);
  const path = join(folder, 'audio.wav');
  const bytes = async () => Math.max(0, ((await stat(path).catch(() => null))?.size ?? 0) - 44);
  /** What the service calls it. */
  const recordingId = async (): Promise<string> => {
    let known: string | null = null;
    await eventually('the service has begun it', async () => {
      const note = await readFile(join(folder, 'recorder.json'), 'utf8').catch(() => '{}');
      known = (JSON.parse(note) as { recordingId?: string }).recordingId ?? null;
      return known !== null;
    });
    return known!;
  };
  return {
    recordingId,
    folder,
    samples: async () => Math.floor((await bytes()) / 2),
    pcm: async () => (await readFile(path)).subarray(44),
  };
}

const seen = new Map<string, string[]>();
