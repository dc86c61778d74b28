import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  copyFile,
  mkdir,
  readFile,
  readdir,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { exists } from '../../src/shared/files.ts';
import { openCounter } from '../../src/cli/transcribe-progress.ts';
import { startLanguageServer } from '../support/language-servers.ts';
import { program } from '../support/program.ts';
import { eventually } from '../support/eventually.ts';
import { speak } from '../support/espeak.ts';
import { type SpeechServer, speechServer } from '../support/speech-servers.ts';
import { times } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';

const transcriptions = ({ received }: SpeechServer): number =>
  received.filter(({ method }) => method === 'POST').length;

type Run = { code: number | null; out: string; err: string };

/** A folder of two talks, a file that is no audio, one of no interest, and a talk in a folder in it. */
async function talks(t: TestContext) {
  const folder = await tempDir(t);
  const audio = join(folder, 'audio');
  await mkdir(join(audio, 'more'), { recursive: true });
  await speak('good morning everyone', join(audio, 'talk 2.wav'));
  await speak('good evening everyone', join(audio, 'talk 10.wav'));
  await speak('good night everyone', join(audio, 'more/late.WAV'));
  await writeFile(join(audio, 'broken.mp3'), 'this is not audio');
  await writeFile(join(audio, 'read me.txt'), 'this is not audio either');
  const server = await speechServer('speaches');
  t.after(() => server.close());
  const out = join(folder, 'out');
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    TMPDIR: folder,
    MITSCHRIFT_DATA: join(folder, 'data'),
    MITSCHRIFT_STT_BASE_URL: server.url,
    MITSCHRIFT_STT_MODEL: 'a',
  };
  /** Options of Node.js, which its programs beside have too. */
  const execArgv: string[] = [];
  const start = (...args: string[]) => {
    const command = [...execArgv, program, 'transcribe', '--out', out, ...args];
    const child = spawn(process.execPath, command, {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.after(() => child.kill('SIGKILL'));
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const ended = Promise.all([exited, text(child.stdout), text(child.stderr)]).then(
      ([code, printed, err]): Run => ({ code, out: printed, err }),
    );
    return { child, ended };
  };
  const run = async (...args: string[]): Promise<Run> => await start(...args).ended;
  /** Of how many recordings there is audio. */
  const copies = async () => {
    const all = await readdir(folder, { recursive: true });
    const audio = all.filter((path) => /mitschrift-transcribe-.*recordings\/.*\.wav$/.test(path));
    return new Set(audio.map(dirname)).size;
  };
  const notes = async () => (await readdir(out)).filter((name) => name.endsWith('.md')).toSorted();
  return { audio, out, env, copies, execArgv, server, start, run, notes };
}

test('a folder: each file and stage by name, on past a bad one, a summary; what is done is not done again', async (t) => {
  const { audio, server, run, notes } = await talks(t);
  const first = await run(audio);
  assert.equal(first.code, 1, first.err);
  const lines = first.err.trim().split('\n');
  assert.match(lines.join('\n'), /^file 1 of 3: broken\.mp3: failed: /m);
  for (const stage of [
    'reading the file',
    'transcribing',
    'adding punctuation',
    'summarising',
    'creating a title',
    'saving documents',
  ])
    assert.ok(lines.includes(`file 2 of 3: talk 2.wav: ${stage}`), `${stage}\n${first.err}`);
  assert.match(lines.join('\n'), /^file 3 of 3: talk 10\.wav: done: .+\.md/m);
  assert.match(
    lines.join('\n'),
    /^3 files: 2 transcribed, 1 failed; 1 folder with audio not searched \(--recursive\)\n {2}\S+broken\.mp3: /m,
  );
  assert.equal(first.out.trim().split('\n').length, 6, 'three paths of each');
  assert.equal((await notes()).length, 2);

  const asked = transcriptions(server);
  const second = await run(audio, '--recursive', '--json');
  assert.equal(second.code, 1);
  const results = JSON.parse(second.out) as {
    file: string;
    error: string | null;
    done_before: boolean;
  }[];
  assert.deepEqual(
    results.map(({ file, error, done_before }) => [
      file.slice(audio.length + 1),
      error === null,
      done_before,
    ]),
    [
      ['broken.mp3', false, false],
      ['more/late.WAV', true, false],
      ['talk 2.wav', true, true],
      ['talk 10.wav', true, true],
    ],
  );
  assert.equal(transcriptions(server), asked + 1, 'only the new one is recognised');

  // The same audio by another name is the same audio; documents that are gone are made again.
  await copyFile(join(audio, 'talk 2.wav'), join(audio, 'copy.wav'));
  const same = await run(join(audio, 'copy.wav'));
  assert.equal(same.code, 0);
  assert.match(
    same.err,
    /already done: .+\.md, the same audio as talk 2\.wav \(--again transcribes it again\)/,
  );
  assert.equal((await run(join(audio, 'copy.wav'), '--again')).code, 0);
  assert.equal((await notes()).length, 4);
});

test('--format writes what is asked for beside each other, and what is missing of it by the next run', async (t) => {
  const { audio, out, server, run } = await talks(t);
  const talk = join(audio, 'talk 2.wav');
  const files = async () => (await readdir(out)).filter((name) => !name.startsWith('.')).toSorted();
  const subtitles = await run(talk, '--format', 'srt,vtt');
  assert.equal(subtitles.code, 0, subtitles.err);
  const endings = (names: string[]) => names.map((name) => name.split('.').at(-1));
  assert.deepEqual(endings(await files()), ['srt', 'vtt'], 'no Markdown');
  assert.deepEqual(
    subtitles.out.trim().split('\n'),
    (await files()).map((name) => join(out, name)),
  );
  const [srt = ''] = await files();
  assert.match(await readFile(join(out, srt), 'utf8'), /^1\r?\n00:00:00,\d{3} --> /);

  const asked = transcriptions(server);
  assert.match((await run(talk, '--format', 'srt')).err, /already done: .+\.srt/);
  assert.equal(transcriptions(server), asked);
  const more = await run(talk, '--format', 'md,docx,txt,json');
  assert.equal(more.code, 0, more.err);
  const all = endings(await files());
  for (const ending of ['docx', 'json', 'md', 'txt']) assert.ok(all.includes(ending), ending);
  const json = (await files()).find((name) => name.endsWith('.json'))!;
  const { utterances } = JSON.parse(await readFile(join(out, json), 'utf8')) as {
    utterances: unknown[];
  };
  assert.ok(utterances.length > 0);

  const wrong = await run(talk, '--format', 'md,pdf');
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /--format pdf: choose from md, srt, vtt, docx, txt, json/);
  const klingon = await run(talk, '--language', 'klingon');
  assert.equal(klingon.code, 2);
  assert.match(klingon.err, /--language klingon: choose a language .* such as de/);
});

test('where a format cannot be made, or is not waited for, no document is left that the next run would not know', async (t) => {
  const { audio, out, execArgv, start, run } = await talks(t);
  const file = join(audio, 'talk 2.wav');
  const [hook, state, atWork] = ['hook.cjs', 'state', 'at-work'].map((name) => join(audio, name));
  await writeFile(
    hook!,
    `const { existsSync, readFileSync, writeFileSync } = require('node:fs');
    const state = ${JSON.stringify(state)};
    if (/word-file-process/.test(process.argv[1]) && existsSync(state)) {
      if (readFileSync(state, 'utf8') === 'fails') process.exit(1);
      writeFileSync(${JSON.stringify(atWork)}, '');
      while (existsSync(state)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }`,
  );
  execArgv.push('--require', hook!);
  const visible = async () => (await readdir(out)).filter((name) => !name.startsWith('.'));
  await writeFile(state!, 'fails');
  const failed = await run(file, '--format', 'md,srt,docx');
  assert.equal(failed.code, 1, failed.err);
  assert.match(failed.err, /making a Word file ended/);
  assert.deepEqual(await visible(), []);

  await writeFile(state!, 'waits');
  const { child, ended } = start(file, '--format', 'md,srt,docx');
  await eventually('the Word file is made', () => exists(atWork!));
  child.kill('SIGINT');
  const stopped = await ended;
  await rm(state!);
  assert.equal(stopped.code, 130, stopped.err);
  assert.match(stopped.err, /nothing of this file was saved/);
  assert.deepEqual(await visible(), []);

  const done = await run(file, '--format', 'md,srt,docx');
  assert.equal(done.code, 0, done.err);
  const names = await visible();
  assert.equal(names.length, 4, names.join());
});

test('of silence no documents are written, and a link that leads nowhere is named', async (t) => {
  const { audio, out, server, run, notes } = await talks(t);
  server.hear = () => [];
  await rm(join(audio, 'broken.mp3'));
  await rm(join(audio, 'talk 10.wav'));
  await symlink(join(audio, 'gone.wav'), join(audio, 'link.wav'));
  const { code, err, out: paths } = await run(audio);
  assert.equal(code, 1, err);
  assert.match(err, /talk 2\.wav: no speech was found, so no documents were created/);
  assert.match(
    err,
    /^2 files: 0 transcribed, 1 without speech, 1 failed; 1 folder with audio not/m,
  );
  assert.match(err, /link\.wav: File not found/);
  assert.equal(paths, '');
  assert.deepEqual(await notes(), []);
  assert.deepEqual(
    (await readdir(out)).filter((name) => !name.startsWith('.')),
    [],
  );
  const asked = transcriptions(server);
  assert.match((await run(audio)).err, /^2 files: 0 transcribed, 1 without speech, 1 failed/m);
  assert.equal(transcriptions(server), asked, 'silence is not listened to again');
});

test('notes in a vault embed the audio that lies in it', async (t) => {
  const { audio, out, run, notes } = await talks(t);
  await mkdir(join(out, '../.obsidian'));
  assert.equal((await run(join(audio, 'talk 2.wav'))).code, 0);
  const [index = ''] = await notes();
  for (const path of [index, join(index.slice(0, -3), 'transkript.md')])
    assert.match(await readFile(join(out, path), 'utf8'), /^!\[\[audio\/talk 2\.wav\]\]$/m);
});

test('stopped in the second file, it goes on with that one', async (t) => {
  const { audio, out, copies, server, start, run } = await talks(t);
  await rm(join(audio, 'broken.mp3'));
  const { child, ended } = start(audio);
  await server.asked(1);
  server.faults.push({ do: 'hang' });
  await server.asked(2);
  await eventually('the copy of the first is gone', async () => (await copies()) === 1);
  // Under npm one Ctrl-C comes twice; it is one all the same.
  child.kill('SIGINT');
  child.kill('SIGTERM');
  const stopped = await ended;
  assert.equal(stopped.code, 130, stopped.err);
  assert.match(stopped.err, /^Stopped at file 2 of 2; .*Finished documents are in /m);
  assert.equal(stopped.out.trim().split('\n').length, 3, 'the paths of the first');
  assert.equal((await readdir(out)).filter((name) => name.endsWith('.md')).length, 1);
  const rest = await run(audio);
  assert.equal(rest.code, 0, rest.err);
  assert.match(
    rest.err,
    /^2 files: 1 transcribed, 1 already done; 1 folder with audio not searched \(--recursive\)$/m,
  );
});

test('of a file that fails no copy stays while the next one is transcribed', async (t) => {
  const { audio, copies, server, start } = await talks(t);
  server.faults.push({ do: 'answer', status: 400, body: '{}' }, { do: 'hang' });
  start(audio);
  await server.asked(2);
  await eventually('there is one of the second', async () => (await copies()) > 0);
  assert.equal(await copies(), 1);
});

test('what the server refuses fails by itself, and is done by the next run', async (t) => {
  const { audio, server, run } = await talks(t);
  await rm(join(audio, 'broken.mp3'));
  server.faults.push({ do: 'answer', status: 400, body: '{"error":"no such model"}' });
  const first = await run(audio);
  assert.equal(first.code, 1, first.err);
  assert.match(first.err, /^file 1 of 2: talk 2\.wav: failed: /m);
  assert.match(first.err, /^2 files: 1 transcribed, 1 failed; 1 folder/m);
  const second = await run(audio);
  assert.equal(second.code, 0, second.err);
  assert.match(
    second.err,
    /^2 files: 1 transcribed, 1 already done; 1 folder with audio not searched \(--recursive\)$/m,
  );
});

test('documents are dated by --date, else by the file', async (t) => {
  const { audio, run, notes } = await talks(t);
  const talk = join(audio, 'talk 2.wav');
  await utimes(talk, new Date(2024, 4, 6, 7, 8), new Date(2024, 4, 6, 7, 8));
  assert.equal((await run(talk)).code, 0);
  const given = times({
    short: { '2023-02-03T09:10': '2023-02-03 09.10' },
    long: { '2023-02-03T09:10': '2023-02-03 09.10', '2023-02-04': '2023-02-04 00.00' },
  });
  for (const date of Object.keys(given))
    assert.equal((await run(talk, '--again', '--date', date)).code, 0);
  assert.deepEqual(
    (await notes()).map((name) => name.slice(0, 16)),
    [...Object.values(given), '2024-05-06 07.08'],
  );
});

test('of the people who may be heard, who says so has the name in the documents', async (t) => {
  const language = await startLanguageServer({ flavour: 'llama.cpp' });
  t.after(() => language.close());
  const { audio, env, out, server, run, notes } = await talks(t);
  env['MITSCHRIFT_LLM_BASE_URL'] = language.url;
  server.hear = () =>
    'hello i am anna and i say welcome'
      .split(' ')
      .map((word, at) => ({ text: word, start: at / 8, end: at / 8 + 0.1 }));
  const talk = join(audio, 'talk 2.wav');
  const { code, err } = await run(talk, '--meeting', '--people', 'Ben, Anna Schmidt');
  assert.equal(code, 0, err);
  const [index = ''] = await notes();
  const transcript = await readFile(join(out, index.slice(0, -3), 'transkript.md'), 'utf8');
  assert.match(transcript, /^\*\*Anna Schmidt\*\* \[00:00:00\] Hello i am anna/mu);
});

test('on a terminal it asks before it transcribes the same audio again', async (t) => {
  const { audio, env, out, run, notes } = await talks(t);
  const talk = join(audio, 'talk 2.wav');
  assert.equal((await run(talk)).code, 0);
  const words = [process.execPath, program, 'transcribe', '--out', out, talk];
  const command = words.map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--flush', '--command', command, '/dev/null'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  let shown = '';
  for await (const chunk of child.stdout) {
    shown += String(chunk);
    if (shown.includes('Transcribe again? [y/N]')) child.stdin.end('n\n');
  }
  assert.match(shown, /This file already has documents/);
  assert.match(shown, /already done/);
  assert.equal((await notes()).length, 1);
});

test('wrong usage: a file to write to, a date that is none, a folder without audio, a variable that nothing reads', async (t) => {
  const { audio, env, run } = await talks(t);
  const talk = join(audio, 'talk 2.wav');
  const misspelt = { ...env, MITSCHRIFT_STT_BASEURL: 'http://localhost' };
  const checked = spawn(process.execPath, [program, 'doctor'], { env: misspelt });
  assert.match(
    await text(checked.stdout),
    /STT_BASEURL is unknown .* Did you mean MITSCHRIFT_STT_BASE_URL\?/,
  );
  const intoFile = await run(talk, '--out', talk);
  assert.equal(intoFile.code, 2);
  assert.match(intoFile.err, /talk 2\.wav is a file\. Choose a folder\./);
  const tooLong = await run(talk, '--people', 'x'.repeat(61));
  assert.equal(tooLong.code, 2);
  assert.match(tooLong.err, /--people/);
  for (const date of times({
    short: ['2026-02-31'],
    long: ['yesterday', '2026-02-31', '2026-13-01'],
  })) {
    const refused = await run(talk, '--date', date);
    assert.equal(refused.code, 2, date);
    assert.match(refused.err, /Use the form 2026-11-21/);
  }
  await rm(join(audio, 'more/late.WAV'));
  const empty = await run(join(audio, 'more'));
  assert.equal(empty.code, 1);
  assert.match(empty.err, /No audio files in this folder \(add --recursive/);
});

test('the time left is that of all files, and follows how long the work takes', () => {
  const file = (bytes: number) => ({ path: 'a.wav', bytes, modifiedAt: new Date(0), fault: null });
  const files = [file(1000), file(1000), file(2000), file(500)];
  let now = 0;
  const counter = openCounter(files, () => now);
  counter.begin(files[0]!);
  assert.equal(counter.timeLeft(), null);
  now = 60_000;
  counter.end(true);
  assert.equal(counter.timeLeft(), 'about 4 min left', '3500 bytes at 1000 a minute');
  counter.begin(files[1]!);
  counter.end(false);
  assert.equal(counter.timeLeft(), 'about 3 min left', 'what was left out takes no time');
  counter.begin(files[2]!);
  counter.show({ stage: 'write', fraction: 1, waiting: null });
  now = 180_000;
  assert.match(counter.timeLeft() ?? '', /^about 30 s left$/);
  assert.equal(counter.label(), 'file 3 of 4: a.wav');
});
