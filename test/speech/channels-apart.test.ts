import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openSpeechFile } from '../../src/audio/speech-file.ts';
import { channelsApart } from '../../src/speech/diarization/channels-apart.ts';
import { callLines, channelRates, channelTalk, echoing } from '../support/channel-talk.ts';
import { writeDialogue } from '../support/dialogues.ts';
import { folderFor } from '../support/espeak.ts';

const { signal } = new AbortController();
const lines = callLines(8);

test('two channels with different speech are apart; what one hears of the other is silent in it', async (t) => {
  const { folder, said, ...talk } = await twoChannels(t);
  const apart = (await opened(t, folder, echoing({ said, ...talk }, 0.1), talk.right))!;
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

test('of a call in which people interrupt each other, the channels apart have half the word errors of the mix', async (t) => {
  const { folder, ...talk } = await twoChannels(t);
  const plain = await channelRates(talk, folder);
  assert.ok(plain.apart <= plain.mix / 2, JSON.stringify(plain));
  const left = echoing(talk, 0.1);
  const gated = await channelRates({ ...talk, left }, folder);
  assert.ok(gated.apart <= plain.apart + 0.05, JSON.stringify(gated));
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
  return { folder: await folderFor(t), ...(await channelTalk(lines)) };
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
