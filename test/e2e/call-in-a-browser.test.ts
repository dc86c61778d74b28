import assert from 'node:assert/strict';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { speechRate } from '../../src/audio/wav.ts';
import { browserClient } from '../support/browser-client.ts';
import { type ChannelTalk, callLines, channelTalk, echoing } from '../support/channel-talk.ts';
import { wordErrorRate } from '../support/espeak.ts';
import { modelsDir } from '../support/models.ts';
import { seed, seeded } from '../support/seeded.ts';
import { apiOf, setUp, startServiceProcess, watchUntil } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

type Detail = {
  status: string;
  error: object | null;
  utterances: { speaker: string | null; text: string }[];
};

/** The test model errs in about one word of six here, where the microphone hears the loudspeakers. */
const errorRateMax = 0.3;

test(`a call of a browser is recognised on either side by itself, through a kill: each sentence is under who said it (SEED=${seed})`, async (t) => {
  const dataDir = await tempDir(t);
  await mkdir(join(dataDir, 'models'));
  await cp(join(modelsDir, 'espeak-en'), join(dataDir, 'models', 'espeak-en'), { recursive: true });
  const start = () => startServiceProcess(dataDir, { MITSCHRIFT_UI_LANGUAGE: 'en' });
  let service = await start();
  t.after(() => service.end('SIGKILL'));
  const token = await setUp(service.url);
  // Without headphones: the microphone hears the other side, softer.
  const talk = await channelTalk(callLines(8));
  const pcm = inTurn({ ...talk, left: echoing(talk, 0.15) });
  const samples = pcm.length / 4;
  const browser = browserClient({
    url: () => service.url,
    token,
    pcm,
    rate: speechRate,
    channels: 2,
    frameSamples: 1600,
    kind: 'meeting',
  });
  t.after(() => browser.vanish());
  await browser.sendTo(seeded(seed).below(samples));
  await service.end('SIGKILL');
  service = await start();
  await browser.sendTo(samples);
  await browser.stop();

  const id = browser.recordingId()!;
  const detail = () => apiOf(service.url, token).get<Detail>(`/recordings/${id}`);
  const isDone = async () => {
    const { status, error } = await detail();
    assert.notEqual(status, 'ERROR', JSON.stringify(error));
    return status === 'AWAITING_SPEAKERS';
  };
  await watchUntil(service.url, token, isDone, 120_000);
  const { utterances } = await detail();
  const labels = [...new Set(utterances.map(({ speaker }) => speaker))].toSorted();
  assert.deepEqual(labels, ['SPEAKER_00', 'SPEAKER_01']);
  const textOf = (lines: { text: string }[]) => lines.map(({ text }) => text).join(' ');
  for (const [speaker, label] of labels.entries()) {
    const own = textOf(talk.said.filter((line) => line.speaker === speaker));
    const under = textOf(utterances.filter((one) => one.speaker === label));
    const errors = wordErrorRate(own, under);
    assert.ok(errors <= errorRateMax, `${label}: ${errors}: ${under}`);
  }
});

/** Samples of two channels in turn, as a browser sends them. */
function inTurn({ left, right }: Pick<ChannelTalk, 'left' | 'right'>): Buffer {
  const both = new Int16Array(left.length * 2);
  left.forEach((sample, at) => {
    both[at * 2] = sample;
    both[at * 2 + 1] = right[at]!;
  });
  return Buffer.from(both.buffer);
}
