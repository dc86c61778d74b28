import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { selfSigned } from '../support/certificates.ts';
import { smallDisk } from '../faults/small-disk.ts';
import { modelsDir } from '../support/models.ts';
import { program } from '../support/program.ts';
import { privatePulse } from '../support/pulse.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

type Check = {
  id: string;
  status: string;
  detail: string;
  remedy: { text: string; command?: string } | null;
};

test('where all is there it says so, as the service that runs sees it, and ends with 0', async (t) => {
  const data = await dataWithModel(t);
  const env = {
    MITSCHRIFT_DATA: data,
    MITSCHRIFT_STT_SECOND_PASS: 'espeak-en',
    TZ: 'Europe/Berlin',
  };
  const down = await doctor(env);
  assert.equal(down.code, 0, down.said);
  for (const id of ['node', 'ffmpeg', 'bzip2', 'data', 'log', 'keys', 'speech', 'time-zone']) {
    assert.deepEqual([id, down.checks.get(id)?.status], [id, 'ok'], down.checks.get(id)?.detail);
  }
  assert.match(
    down.checks.get('speech')!.detail,
    /^espeak-en transcribed a sample of \d+ seconds in .*: “.+”/,
  );
  assert.equal(down.checks.get('time-zone')!.detail, 'Documents use the time zone Europe/Berlin.');
  assert.match(down.checks.get('service')!.detail, /isn’t running/);

  const service = await startServiceProcess(data, {
    MITSCHRIFT_STT_SECOND_PASS: 'whisper-small',
    TZ: 'America/Lima',
  });
  t.after(() => service.end('SIGKILL'));
  const up = await doctor({ ...env, MITSCHRIFT_DATA: data });
  assert.equal(up.checks.get('service')!.status, 'ok');
  assert.match(up.checks.get('time-zone')!.detail, /America\/Lima/, 'not that of the command');
  assert.match(up.checks.get('address')!.detail, /from this computer only/);
  const twice = up.checks.get('speech')!;
  assert.equal(twice.status, 'limited');
  assert.match(
    twice.detail,
    /^espeak-en transcribed .*The model whisper-small isn’t available \(stt\.second_pass\)\. Available: espeak-en\./,
  );
  assert.match(twice.remedy!.command!, /mitschrift\.js models install whisper-small$/);
  const { stdout } = await run({ ...env, MITSCHRIFT_DATA: data }, []);
  assert.match(stdout, /^– Speech recognition: espeak-en transcribed/m);
  assert.match(
    stdout,
    /^– Language model: .*\n {4}→ Set a language model server .*\n {6}\(http:\/\/127\.0\.0\.1:\d+\/docs\/settings#servers\)$/m,
  );
});

test('a host without programs, devices and servers: each finding has its remedy, and what hangs harms no other', async (t) => {
  const data = await tempDir(t);
  const programs = await tempDir(t);
  await writeFile(join(programs, 'bzip2'), '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
  await symlink('/bin/sleep', join(programs, 'sleep'));
  const taken = createServer().listen(0, '127.0.0.1');
  t.after(() => taken.close());
  const ended = await selfSigned(programs, 'ended', { days: -1 });
  const preload = join(programs, 'preload.cjs');
  await writeFile(preload, oldNode + withoutPackage('naudiodon'));
  const { code, checks } = await doctor({
    PATH: programs,
    NODE_OPTIONS: `--require ${preload}`,
    TZ: 'Nowhere/Town',
    MITSCHRIFT_DATA: data,
    MITSCHRIFT_PORT: String((taken.address() as AddressInfo).port),
    MITSCHRIFT_STT_BASEURL: 'http://localhost',
    MITSCHRIFT_LLM_BASE_URL: 'http://127.0.0.1:9',
    MITSCHRIFT_NOTES_VAULT: join(data, 'vault'),
    MITSCHRIFT_SERVER_TLS_CERT: ended.cert,
    MITSCHRIFT_SERVER_TLS_KEY: ended.key,
  });
  assert.equal(code, 1);
  const expected: [id: string, status: string, detail: RegExp, remedy: RegExp][] = [
    ['node', 'missing', /needs Node 20\.19 or newer; this is Node 18\.20\.0/, /Install Node/],
    [
      'modules',
      'missing',
      /can’t be loaded: naudiodon \(no recording from devices .*another Node/,
      /npm rebuild/,
    ],
    [
      'environment',
      'limited',
      /STT_BASEURL is unknown .* Did you mean MITSCHRIFT_STT_BASE_URL\?/,
      /Correct/,
    ],
    ['ffmpeg', 'missing', /only WAV/, /apt-get install ffmpeg/],
    ['bzip2', 'missing', /didn’t finish within 10 seconds/, /[Cc]heck again/],
    ['audio-server', 'limited', /pactl is missing/, /pulseaudio-utils/],
    [
      'speech',
      'missing',
      /No speech recognition is set up: recordings are saved, but not transcribed\.$/,
      /mitschrift\.js models install \S+/,
    ],
    ['language', 'missing', /127\.0\.0\.1:9/, /Start the server/],
    ['vault', 'missing', /vault doesn’t exist \(`notes\.vault`\)/, /Create the folder/],
    ['time-zone', 'limited', /“Nowhere\/Town”, which is not a time zone\. (?!undefined)/, /TZ/],
    [
      'https',
      'missing',
      /^The certificate for localhost and 127\.0\.0\.1 expired on \d/,
      /server\.tls_cert/,
    ],
    ['address', 'missing', /Another program uses 127\.0\.0\.1/, /MITSCHRIFT_PORT/],
  ];
  for (const [id, status, detail, remedy] of expected) {
    const check = checks.get(id)!;
    assert.deepEqual([id, check.status], [id, status], check.detail);
    assert.match(check.detail, detail);
    assert.match(`${check.remedy!.text} ${check.remedy!.command}`, remedy);
  }
  // Devices that nobody asked to join: the audio server alone is reported.
  for (const id of ['data', 'disk', 'permissions', 'log', 'keys', 'combined']) {
    assert.deepEqual([id, checks.get(id)!.status], [id, 'ok'], checks.get(id)!.detail);
  }
});

test('a full disk, a folder that is read-only, files that others may read, wrong values, and a certificate that ends soon', async (t) => {
  const disk = await smallDisk(t);
  const data = join(disk.folder, 'data');
  await mkdir(join(data, 'keys'), { recursive: true });
  await writeFile(join(data, 'keys', 'someone'), 'x');
  await chmod(join(data, 'keys', 'someone'), 0o644);
  await disk.fill(500_000);
  // Wrong values hide those beside them, so the certificate is looked at with the read-only disk.
  const env = { MITSCHRIFT_DATA: data, MITSCHRIFT_LLM_TIMEOUT: 'soon' };
  const full = await doctor(env);
  assert.equal(full.code, 1);
  assert.match(
    full.checks.get('disk')!.detail,
    /^Only .* free\. Below .*, nothing new is accepted/,
  );
  assert.equal(full.checks.get('disk')!.status, 'missing');
  assert.match(full.checks.get('permissions')!.detail, /able to read: .*keys\/someone/);
  assert.equal(full.checks.get('permissions')!.remedy!.command, `chmod -R go-rwx ${data}`);
  assert.match(full.checks.get('environment')!.detail, /MITSCHRIFT_LLM_TIMEOUT/);
  await promisify(execFile)('mount', ['-o', 'remount,ro', disk.folder]);
  const { cert, key } = await selfSigned(await tempDir(t), 'soon', { days: 5 });
  const readOnly = await doctor({
    MITSCHRIFT_DATA: data,
    MITSCHRIFT_SERVER_TLS_CERT: cert,
    MITSCHRIFT_SERVER_TLS_KEY: key,
  });
  const https = readOnly.checks.get('https')!;
  assert.equal(https.status, 'limited');
  assert.match(https.detail, /^The certificate for localhost and 127\.0\.0\.1 expires on \d/);
  assert.match(https.remedy!.text, /server\.tls_cert/);
  assert.match(readOnly.checks.get('data')!.detail, /can’t write to .*read-only/);
  assert.equal(readOnly.checks.get('data')!.status, 'missing');
});

test('a command that it names runs as it stands, in any folder; a terminal opens what explains it', async (t) => {
  const data = join(await tempDir(t), 'it\'s "my" data');
  await mkdir(join(data, 'log'), { recursive: true });
  await writeFile(join(data, 'log', 'CURRENT'), 'nothing\n');
  const env = { ...process.env, XDG_DATA_HOME: '/nonexistent', MITSCHRIFT_DATA: data };
  const { checks } = await doctor(env);
  const { MITSCHRIFT_DATA: _left, ...another } = env;
  const typed = (command: string) =>
    promisify(execFile)('sh', ['-c', command], { cwd: tmpdir(), env: another }).catch(
      (error: { stdout: string }) => error,
    );
  const damage = await typed(checks.get('log')!.remedy!.command!);
  assert.match(damage.stdout, /^✖ event: .*it's "my" data/, damage.stdout);
  const empty = { ...env, MITSCHRIFT_DATA: await tempDir(t) };
  const install = (await doctor(empty)).checks
    .get('speech')!
    .remedy!.command!.replace(/\S+$/, 'no-such-model');
  assert.match(((await typed(install)) as unknown as { stderr: string }).stderr, /no-such-model/);

  const words = [process.execPath, program, 'doctor'].map((word) => `'${word}'`).join(' ');
  const terminal = await promisify(execFile)('script', ['-qefc', words, '/dev/null'], {
    env,
  }).catch((error: { stdout: string }) => error);
  const shown = terminal.stdout.replaceAll('\u001B', 'ESC');
  assert.match(shown, /\(ESC]8;;file:\/\/\S+\.mdESC\\\/\S+\.md#\S+ESC]8;;ESC\\\)/);
  assert.ok(!(await run(env, [])).stdout.includes('\u001B'), 'nothing of it in a pipe');
});

test('of a package without which nothing can be opened it says so, instead of ending with its error', async (t) => {
  const folder = await tempDir(t);
  const preload = join(folder, 'preload.cjs');
  await writeFile(preload, withoutPackage('classic-level'));
  const { code, checks } = await doctor({
    MITSCHRIFT_DATA: join(folder, 'data'),
    NODE_OPTIONS: `--require ${preload}`,
  });
  assert.equal(code, 1);
  assert.deepEqual([...checks.keys()], ['service', 'node', 'modules']);
  assert.match(checks.get('modules')!.detail, /classic-level \(the data can’t be opened\)/);
});

test('devices and the source that joins two of them, on a real audio server', async (t) => {
  const pulse = await privatePulse(t);
  const data = await mkdtemp(join(tmpdir(), 'ms-doctor-'));
  t.after(() => rm(data, { recursive: true, force: true }));
  const env = { ...pulse.env, MITSCHRIFT_DATA: data };
  const join2 = (microphone: string) =>
    writeFile(
      join(data, 'combined.json'),
      JSON.stringify({ microphone, monitor: 'speakers.monitor' }),
    );
  await join2('desk_mic');
  const { checks } = await doctor(env);
  assert.deepEqual(
    ['audio-server', 'devices', 'combined'].map((id) => checks.get(id)!.status),
    ['ok', 'ok', 'ok'],
  );
  assert.match(checks.get('devices')!.detail, /Desk Mic/);
  await join2('gone_mic');
  const without = await doctor({ ...env, MITSCHRIFT_AUDIO_DEVICE: 'Gone Mic' });
  assert.equal(without.checks.get('combined')!.detail, 'gone_mic is not connected.');
  assert.equal(without.checks.get('combined')!.status, 'missing');
  assert.match(without.checks.get('devices')!.detail, /“Gone Mic” is not connected\. Connected: /);

  const alone = await privatePulse(t, 'pipewire', { managed: false });
  const unmanaged = (await doctor({ ...alone.env, MITSCHRIFT_DATA: data })).checks;
  const server = unmanaged.get('audio-server')!;
  assert.equal(server.status, 'missing');
  assert.match(
    server.detail,
    /^The audio server responds, but has neither speakers nor a microphone\.$/,
  );
  assert.match(server.remedy!.command!, /^systemctl --user restart .*wireplumber$/);
});

/** As a release of Node that is too old. */
const oldNode = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.0' } });\n`;

/** As after an update of Node: what was compiled for the one before it is not loaded. */
const withoutPackage = (name: string) => `
const Module = require('node:module');
const load = Module._extensions['.node'];
Module._extensions['.node'] = (module, path) => {
  if (path.includes('/${name}/')) throw new Error('it was compiled for another Node');
  return load(module, path);
};
`;

async function dataWithModel(t: TestContext): Promise<string> {
  const data = await tempDir(t);
  await cp(join(modelsDir, 'espeak-en'), join(data, 'models', 'espeak-en'), { recursive: true });
  return data;
}

async function doctor(env: NodeJS.ProcessEnv) {
  const { code, stdout, stderr } = await run(env, ['--json']);
  if (stdout === '') throw new Error(stderr);
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  return { code, said: stdout, checks: new Map(checks.map((check) => [check.id, check])) };
}

function run(
  env: NodeJS.ProcessEnv,
  args: string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  // The house's own engines must not answer for what a test leaves out.
  const all = { ...process.env, XDG_DATA_HOME: '/nonexistent', ...env };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, 'doctor', ...args],
      { env: all },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}
