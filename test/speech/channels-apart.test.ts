import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openSpeechFile } from '../../src/audio/speech-file.ts';
import { channelsApart } from '../../src/speech/diarization/channels-apart.ts';
import { type Line, linesOf, synthesise, writeDialogue } from '../support/dialogues.ts';
import { folderFor } from '../support/espeak.ts';

const { signal } = new AbortController();
/** Now and then one begins before the other has ended. */
const lines = linesOf(2, 8).map((line, at): Line => (at % 3 === 2 ? { ...line, gap: -0.8 } : line));

test('two channels with different speech are apart; what one hears of the other is silent in it', async (t) => {
  const { folder, said, left, right } = await twoChannels(t);
  // A microphone that hears the loudspeakers, late and softer.
  const echoing = left.map((sample, at) => Math.round(sample * 0.5 + (right[at - 800] ?? 0) * 0.1));
  const apart = (await opened(t, folder, echoing, right))!;
  const [mine] = apart.files;
  for (const { speaker, start, end } of said) {
    const isAlone = !said.some(
      (one) => one.speaker !== speaker && one.start < end && one.end > start,
    );
    if (!isAlone) continue;
    const middle = (start + end) / 2;
    const samples = await mine.read(middle - 0.4, middle + 0.4);
    const isHeard = samples.some((sample) => Math.abs(sample) > 100);
    assert.equal(isHeard, speaker === 0, `at ${middle} s`);
  }
});

test('two microphones in a room, one voice alone, and silence beside a voice are no channels apart', async (t) => {
  const { folder, left, right } = await twoChannels(t);
  const both = left.map((sample, at) => sample + right[at]!);
  const softer = both.map((sample) => Math.round(sample * 0.7));
  assert.equal(await opened(t, folder, both, softer), null);
  assert.equal(await opened(t, folder, both, both), null);
  assert.equal(await opened(t, folder, both, new Int16Array(both.length)), null);
});

async function twoChannels(t: TestContext) {
  const folder = await folderFor(t);
  const { samples, said } = await synthesise(lines);
  const silence = new Int16Array(samples.length);
  const [left, right] = [silence, silence.slice()];
  for (const [at, line] of lines.entries()) {
    const alone = (await synthesise([{ ...line, gap: 0 }])).samples;
    const first = Math.round((said[at]!.start - 0.3) * 16_000);
    const channel = line.speaker === 0 ? left : right;
    alone.forEach((sample, i) => {
      if (first + i < channel.length) channel[first + i] = channel[first + i]! + sample;
    });
  }
  return { folder, said, left, right };
}

async function opened(t: TestContext, folder: string, left: Int16Array, right: Int16Array) {
  const paths = [join(folder, 'left.wav'), join(folder, 'right.wav')] as const;
  await writeDialogue(paths[0], left);
  await writeDialogue(paths[1], right);
  const channels = [await openSpeechFile(paths[0]), await openSpeechFile(paths[1])] as const;
  const targets = [join(folder, 'own-left.wav'), join(folder, 'own-right.wav')] as const;
  const apart = await channelsApart(channels, targets, signal);
  for (const file of [...channels, ...(apart?.files ?? [])]) t.after(() => file.close());
  return apart;
}
