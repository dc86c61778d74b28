/**
 * Run in a network namespace of its own, in which there is the loopback device alone: starts the service under
 * strace, turns a recording into documents by a model of this host, and prints what it came to.
 * Arguments: the data directory, an audio file, and where strace writes.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { eventually } from './eventually.ts';
import { program } from './program.ts';
import { apiOf, setUp, startServiceProcess, uploadForm } from './service-process.ts';

const [dataDir, audio, trace] = process.argv.slice(2) as [string, string, string];
const calls = 'trace=bind,connect,sendto,sendmsg,sendmmsg';
const service = await startServiceProcess(dataDir, {}, [
  'strace',
  '-f',
  '-qq',
  '-e',
  calls,
  '-o',
  trace,
]);
const token = await setUp(service.url, { username: 'ada' });
const api = apiOf(service.url, token);
const form = uploadForm(new Uint8Array(await readFile(audio)), { kind: 'meeting' });
const { recording_id: id } = await api.post<{ recording_id: string }>('/recordings', form);
const status = async () => (await api.get<{ status: string }>(`/recordings/${id}`)).status;
await eventually('it waits for names', async () => (await status()) === 'AWAITING_SPEAKERS');
await api.post('/speakers', { skip: true });
await eventually('documents', async () => (await status()) === 'IDLE');
for (const path of ['/models', '/status', '/docs', '/openapi.json']) await api.get(path);
const left = { status: await status() };

// Its address is gone; commands of this machine still reach it.
const run = promisify(execFile);
await run('ip', ['link', 'set', 'lo', 'down']);
const env = { ...process.env, MITSCHRIFT_DATA: dataDir };
const { stdout } = await run(process.execPath, [program, 'doctor', '--json'], { env }).catch(
  (ended: { stdout: string }) => ended,
);
const { checks } = JSON.parse(stdout) as { checks: { id: string }[] };
process.stdout.write(JSON.stringify({ ...left, checks }));
await service.end('SIGTERM');
