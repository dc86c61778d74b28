import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { acceptsAudio } from '../../src/audio/accepts-audio.ts';
import { hasFfmpeg } from '../../src/audio/ffmpeg.ts';
import { StageError } from '../../src/shared/errors.ts';
import { folderFor, make } from '../support/espeak.ts';

/** Runs something as if nothing but the given folder were on the PATH. */
async function withPath<T>(folder: string, action: () => Promise<T>): Promise<T> {
  const { PATH } = process.env;
  process.env['PATH'] = folder;
  try {
    return await action();
  } finally {
    process.env['PATH'] = PATH;
  }
}

test('audio is known by what is in it, whatever its name', async (t) => {
  const folder = await folderFor(t);
  const wav = join(folder, 'notes.txt');
  const mp3 = join(folder, 'mp3.wav');
  await make('sox', '-n', '-t', 'wav', wav, 'synth', '1', 'sine', '440');
  await make('ffmpeg', '-i', wav, '-f', 'mp3', mp3);
  await acceptsAudio(wav);
  await acceptsAudio(mp3);
});

test('what is refused is refused with one class, and a code that says why', async (t) => {
  const folder = await folderFor(t);
  const path = join(folder, 'upload');
  for (const [content, code] of [
    ['', 'audio-empty'],
    ['plain text', 'not-audio'],
    ['%PDF-1.7\n%âãÏÓ\n', 'not-audio'],
  ] as const) {
    await writeFile(path, content);
    await assert.rejects(acceptsAudio(path), (error: unknown) => {
      assert.ok(error instanceof StageError);
      assert.equal(error.code, 'unsupported-media');
      assert.equal(error.retriable, false);
      assert.equal(error.sentence.code, code);
      return true;
    });
  }
});

test('a playlist cannot make ffmpeg read another file', async (t) => {
  const folder = await folderFor(t);
  await make('sox', '-n', '-r', '16000', join(folder, 'secret.wav'), 'synth', '1', 'sine', '440');
  const scripts = {
    'list.m3u8': '#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:3,\nsecret.wav\n#EXT-X-ENDLIST\n',
    'concat.txt': "ffconcat version 1.0\nfile 'secret.wav'\n",
  };
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(folder, name), script);
    await assert.rejects(acceptsAudio(join(folder, name)), { code: 'unsupported-media' });
  }
});

test('a file name that looks like an option or an address stays a file name', async (t) => {
  const folder = await folderFor(t);
  await mkdir(join(folder, 'http:'));
  for (const name of ['-version', 'http:/x.mp3', 'a;b $(c).mp3']) {
    const wav = join(folder, 'in.wav');
    await make('sox', '-n', '-r', '16000', wav, 'synth', '1', 'sine', '440');
    await make('ffmpeg', '-i', wav, '-f', 'mp3', `file:${join(folder, name)}`);
    await acceptsAudio(join(folder, name));
  }
});

test('without ffmpeg WAV still works, and the rest is refused with what to install', async (t) => {
  const folder = await folderFor(t);
  const [wav, mp3] = [join(folder, 'a.wav'), join(folder, 'a.mp3')];
  await make('sox', '-n', '-r', '16000', wav, 'synth', '1', 'sine', '440');
  await make('ffmpeg', '-i', wav, mp3);
  await withPath(folder, async () => {
    assert.equal(await hasFfmpeg(), false);
    await acceptsAudio(wav);
    await assert.rejects(acceptsAudio(mp3), /install ffmpeg/);
  });
  assert.equal(await hasFfmpeg(), true);
});

/** A script called ffmpeg. */
async function fakeFfmpeg(folder: string, script: string): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'ffmpeg'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return `${bin}:${process.env['PATH']}`;
}

test('a large picture in an audio file is not decoded on the way to its sound', async (t) => {
  const folder = await folderFor(t);
  const [cover, plain, path] = ['cover.png', 'in.wav', 'in.mp3'].map((name) => join(folder, name));
  await make('ffmpeg', '-f', 'lavfi', '-i', 'color=blue:s=1200x1200', '-frames:v', '1', cover!);
  await make('sox', '-n', plain!, 'synth', '1', 'sine', '440');
  const maps = ['-map', '0', '-map', '1', '-c:v', 'copy', '-disposition:v', 'attached_pic'];
  await make('ffmpeg', '-i', plain!, '-i', cover!, ...maps, path!);
  // What it says is kept as a folder: it may write no files.
  const refused = join(folder, 'refused');
  const bin = await fakeFfmpeg(
    folder,
    `PATH="\${PATH#*:}"
    ffmpeg "$@" 2>&1 | grep -q '1200x1200 exceeds specified max pixel count' && mkdir -p ${refused}
    exec ffmpeg "$@"`,
  );
  await withPath(bin, () => acceptsAudio(path!));
  assert.deepEqual(await readdir(refused), []);
});

test('files are probed two at a time, with limited memory', async (t) => {
  const folder = await folderFor(t);
  const path = join(folder, 'in.mp3');
  await writeFile(path, 'ID3 and so on');
  for (const name of ['running', 'seen', 'limits']) await mkdir(join(folder, name));
  // Long enough for the others to begin, if they may. It may write no files, so it makes folders.
  const bin = await fakeFfmpeg(
    folder,
    `[ "$1" = -version ] && exit 0
    cd ${folder}
    mkdir running/$$
    mkdir seen/$$-$(ls running | wc -l) limits/$$-$(ulimit -d)
    sleep 0.3
    rmdir running/$$
    echo "  Stream #0:0: Audio: mp3, 16000 Hz, mono" >&2`,
  );
  await withPath(bin, () => Promise.all([1, 2, 3, 4, 5].map(() => acceptsAudio(path))));
  const after = async (name: string) =>
    (await readdir(join(folder, name))).map((entry) => Number(entry.split('-')[1]));
  const counts = await after('seen');
  assert.equal(counts.length, 5);
  assert.ok(Math.max(...counts) <= 2, String(counts));
  assert.deepEqual(new Set(await after('limits')), new Set([512 * 1024]));
});
