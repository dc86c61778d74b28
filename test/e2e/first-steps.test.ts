import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import {
  type Detail,
  finished,
  firstDocument,
  prepared,
  settled,
} from '../support/first-document.ts';
import { speechServer } from '../support/speech-servers.ts';
import { startLanguageServer } from '../support/language-servers.ts';
import {
  apiOf,
  setUp,
  startServiceProcess,
  uploadForm,
  watchUntil,
} from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { program } from '../support/program.ts';

const root = join(import.meta.dirname, '../..');

test('README: a first administrator uploads speech and reads three linked documents', async (t) => {
  const { dataDir, audio } = await prepared(t);
  const language = await startLanguageServer({ flavour: 'openai' });
  t.after(() => language.close());
  const service = await startServiceProcess(dataDir, {
    MITSCHRIFT_LLM_BASE_URL: language.url,
    MITSCHRIFT_UI_LANGUAGE: 'en',
  });
  t.after(() => service.end('SIGKILL'));
  const { token, detail: solo } = await firstDocument(service.url, audio);
  const api = apiOf(service.url, token);
  const documents = solo.documents!;
  const read = (name: keyof typeof documents) =>
    api.get<string>(`/transcripts/${encodeURIComponent(documents[name])}`);
  const transcript = await read('transcript');
  const base = documents.index.replace(/\.md$/, '');
  const index = await read('index');
  assert.ok(
    index.includes(`[[${base}/transkript|`) && index.includes(`[[${base}/zusammenfassung|`),
  );
  assert.ok(transcript.includes(`[[${base}]]`) && (await read('summary')).includes(`[[${base}]]`));
  assert.deepEqual((await readdir(join(dataDir, 'spaces'))).length, 1);

  // A meeting pauses until somebody says who spoke; the name is in the transcript.
  const { recording_id: meeting } = await api.post<Detail>(
    '/recordings',
    uploadForm(audio, { kind: 'meeting' }),
  );
  await watchUntil(
    service.url,
    token,
    async () => (await api.get<Detail>(`/recordings/${meeting}`)).status === 'AWAITING_SPEAKERS',
    60_000,
  );
  await api.post('/speakers', { speakers: { SPEAKER_00: 'Björn Müller' } });
  const named = await settled(service.url, token, meeting);
  const turns = await api.get<string>(
    `/transcripts/${encodeURIComponent(named.documents!.transcript)}`,
  );
  assert.match(turns, /^\*\*Björn Müller\*\* \[00:00:0\d\] /m);

  // Beside the running service the commands work, and find everything as it was recorded.
  const check = JSON.parse(await command(dataDir, 'replay', '--check', '--json')) as object;
  assert.deepEqual(check, { ...check, recordings: 2, documents: 2, differences: [] });

  // What was said and who may ask is not in the log of the service.
  const log = service.logged.join('\n');
  for (const secret of ['deadline', 'Björn', token, 'correct horse']) {
    assert.ok(!log.includes(secret), `the log holds ${secret}`);
  }

  const second = await startServiceProcess(dataDir).then(
    () => assert.fail('a second service started over the same data'),
    (error: Error) => error.message,
  );
  assert.match(second, /another Mitschrift/i);
});

test('README: transcribe writes three documents without server or account', async (t) => {
  const { dataDir, talk } = await prepared(t);
  const out = join(await tempDir(t), 'notes');
  const printed = await command(dataDir, 'transcribe', talk, '--out', out);
  const paths = printed.trim().split('\n');
  assert.equal(paths.length, 3);
  for (const path of paths) assert.ok(path.startsWith(out) && (await readFile(path)).length > 0);
  assert.deepEqual(
    await readdir(dataDir),
    ['models'],
    'nothing but the models is in the data directory',
  );

  const again = JSON.parse(
    await command(dataDir, 'transcribe', talk, '--meeting', '--again', '--out', out, '--json'),
  ) as [{ documents: Record<string, string> }];
  assert.notEqual(again[0].documents['index'], paths[0], 'a taken name is not written over');
});

test('wrong use of the command line exits with 2, failure with 1, both with a sentence', async (t) => {
  const { dataDir } = await prepared(t);
  await assert.rejects(command(dataDir, 'transcribe'), { code: 2 });
  await assert.rejects(command(dataDir, 'no-such-command'), { code: 2 });
  await assert.rejects(
    command(dataDir, 'transcribe', join(dataDir, 'models/espeak-en/tokens.txt'), '--out', dataDir),
    (error: Error & { code: number; stderr: string }) =>
      error.code === 1 && error.stderr.includes('tokens.txt'),
  );
});

test('doctor says what is there and what is missing', async (t) => {
  const { dataDir } = await prepared(t);
  const { checks } = JSON.parse(await command(dataDir, 'doctor', '--json')) as {
    checks: { id: string; status: string; detail: string }[];
  };
  const status = Object.fromEntries(checks.map(({ id, status }) => [id, status]));
  assert.deepEqual(
    { ...status },
    { ...status, data: 'ok', ffmpeg: 'ok', speech: 'ok', service: 'limited' },
  );
  const away = { MITSCHRIFT_STT_BASE_URL: 'http://127.0.0.1:9', MITSCHRIFT_DATA: dataDir };
  await assert.rejects(
    promisify(execFile)(process.execPath, [...cli, 'doctor'], {
      cwd: root,
      env: { ...process.env, ...away },
    }),
    (error: Error & { code: number; stdout: string }) =>
      error.code === 1 && /✖ Speech recognition: .*127\.0\.0\.1:9/.test(error.stdout),
  );
});

test('without the optional packages all else works, and it says what is missing', async (t) => {
  const { dataDir, talk, audio } = await prepared(t);
  const server = await speechServer('openai');
  server.hear = () => [{ text: 'heard', start: 0.5, end: 1 }];
  t.after(() => server.close());
  const without = {
    NODE_OPTIONS: `--require ${join(root, 'test/support/without-optional.cjs')}`,
    MITSCHRIFT_DATA: dataDir,
  };
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [...cli, ...args], {
      cwd: root,
      env: { ...process.env, ...without },
    });
  await assert.rejects(
    run('transcribe', talk, '--out', dataDir),
    (error: Error & { code: number; stderr: string }) =>
      error.code === 1 && error.stderr.includes('sherpa-onnx-node is missing'),
  );
  await assert.rejects(run('doctor', '--json'), (error: Error & { stdout: string }) => {
    const { checks } = JSON.parse(error.stdout) as { checks: { id: string; status: string }[] };
    const missing = checks.filter(({ status }) => status === 'missing').map(({ id }) => id);
    assert.ok(missing.includes('devices') && missing.includes('speech'), missing.join());
    return true;
  });
  const service = await startServiceProcess(dataDir, {
    ...without,
    MITSCHRIFT_STT_BASE_URL: server.url,
  });
  t.after(() => service.end('SIGKILL'));
  const token = await setUp(service.url);
  const { documents } = await finished(service.url, token, audio, { kind: 'solo' });
  const transcript = await apiOf(service.url, token).get<string>(
    `/transcripts/${encodeURIComponent(documents!.transcript)}`,
  );
  assert.match(transcript, /heard/);
});

const cli = [program];

async function command(dataDir: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [...cli, ...args], {
    cwd: root,
    env: { ...process.env, MITSCHRIFT_DATA: dataDir, MITSCHRIFT_UI_LANGUAGE: 'en' },
  });
  return stdout;
}
