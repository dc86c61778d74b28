import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSpeechFile } from '../../src/audio/speech-file.ts';
import { spokenAudio } from '../../src/speech/detection/spoken-audio.ts';
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
    const { located, tracks } = await spokenAudio(file, target, { secondsMax: 25, signal });
    const speech = await openSpeechFile(target);
    await speech.close();
    const spoken = located.stretches.length > 0;
    return { spoken, seconds: Math.round(speech.duration), tracks };
  };
  const heard = await hear(await tracks('silence', 'speech'));
  assert.ok(heard.spoken);
  assert.notEqual(heard.seconds, 5);
  assert.deepEqual(heard.tracks, { used: 2, of: 2 });
  const silent = await hear(await tracks('silence', 'silence'));
  assert.deepEqual(silent, { spoken: false, seconds: 5, tracks: { used: 1, of: 2 } });
  const both = await hear(await tracks('speech', 'silence'));
  assert.deepEqual([both.spoken, both.tracks], [true, { used: 1, of: 2 }]);
  assert.equal((await hear(at('speech.wav'))).tracks, undefined);
});
