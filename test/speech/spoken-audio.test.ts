import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSpeechFile } from '../../src/audio/speech-file.ts';
import { spokenAudio } from '../../src/speech/spoken-audio.ts';
import { folderFor, make, speak } from '../support/espeak.ts';

const { signal } = new AbortController();

test('the sound track in which somebody speaks is taken, the first one if nobody does', async (t) => {
  const folder = await folderFor(t);
  const at = (name: string): string => join(folder, name);
  await speak('can you hear me clearly on the second track of this file', at('speech.wav'));
  await make('sox', '-n', '-r', '48000', '-c', '2', at('silence.wav'), 'trim', '0', '5');
  const tracks = async (...names: string[]): Promise<string> => {
    const file = at(`${names.join('-')}.mkv`);
    const inputs = names.flatMap((name) => ['-i', at(`${name}.wav`)]);
    const maps = names.flatMap((_, index) => ['-map', String(index)]);
    await make('ffmpeg', ...inputs, ...maps, file);
    return file;
  };
  const target = at('target');
  const hear = async (file: string) => {
    const { located } = await spokenAudio(file, target, { secondsMax: 25, signal });
    const speech = await openSpeechFile(target);
    await speech.close();
    return { spoken: located.stretches.length > 0, seconds: Math.round(speech.duration) };
  };
  const heard = await hear(await tracks('silence', 'speech'));
  assert.ok(heard.spoken);
  assert.notEqual(heard.seconds, 5);
  assert.deepEqual(await hear(await tracks('silence', 'silence')), { spoken: false, seconds: 5 });
});
