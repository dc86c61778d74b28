import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
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
  await acceptsAudio(wav, 'notes.txt');
  await acceptsAudio(mp3, 'mp3.wav');
});

test('what is refused is refused with one code and a sentence that names the file', async (t) => {
  const folder = await folderFor(t);
  const path = join(folder, 'upload');
  for (const content of ['', 'plain text', '%PDF-1.7\n%âãÏÓ\n']) {
    await writeFile(path, content);
    await assert.rejects(acceptsAudio(path, 'my\nnotes.pdf'), (error: unknown) => {
      assert.ok(error instanceof StageError);
      assert.equal(error.code, 'unsupported-media');
      assert.equal(error.retriable, false);
      assert.match(error.message, /^“my notes\.pdf”: .+\.$/);
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
    await assert.rejects(acceptsAudio(join(folder, name), name), { code: 'unsupported-media' });
  }
});

test('a file name that looks like an option or an address stays a file name', async (t) => {
  const folder = await folderFor(t);
  await mkdir(join(folder, 'http:'));
  for (const name of ['-version', 'http:/x.mp3', 'a;b $(c).mp3']) {
    const wav = join(folder, 'in.wav');
    await make('sox', '-n', '-r', '16000', wav, 'synth', '1', 'sine', '440');
    await make('ffmpeg', '-i', wav, '-f', 'mp3', `file:${join(folder, name)}`);
    await acceptsAudio(join(folder, name), name);
  }
});

test('without ffmpeg WAV still works, and the rest is refused with what to install', async (t) => {
  const folder = await folderFor(t);
  const [wav, mp3] = [join(folder, 'a.wav'), join(folder, 'a.mp3')];
  await make('sox', '-n', '-r', '16000', wav, 'synth', '1', 'sine', '440');
  await make('ffmpeg', '-i', wav, mp3);
  await withPath(folder, async () => {
    assert.equal(await hasFfmpeg(), false);
    await acceptsAudio(wav, 'a.wav');
    await assert.rejects(acceptsAudio(mp3, 'a.mp3'), /install ffmpeg/);
  });
  assert.equal(await hasFfmpeg(), true);
});
