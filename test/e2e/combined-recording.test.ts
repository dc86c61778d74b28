import assert from 'node:assert/strict';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { speak, wordErrorRate } from '../support/espeak.ts';
import { type Detail, settled } from '../support/first-document.ts';
import { modelsDir } from '../support/models.ts';
import { privatePulse } from '../support/pulse.ts';
import {
  apiOf,
  setUp,
  startServiceProcess,
  uploadForm,
  watchUntil,
} from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

const said = {
  mic: {
    text: 'good morning everyone and welcome to the weekly planning meeting',
    voice: { voice: 'en-us' },
  },
  speakers: {
    text: 'the server was down for twenty minutes last night',
    voice: { voice: 'en-gb', pitch: 75 },
  },
} as const;
/** What the small model makes of the file itself, and how much worse the recording may be: a starved sound server drops some of it. */
const errorRateMax = 0.3;
const lossMax = 0.3;

type Status = { recording: { duration: number } | null };

for (const channels of ['mix', 'split']) {
  test(`the words of both voices are recognised in a combined recording (${channels})`, async (t) => {
    const pulse = await privatePulse(t);
    const dataDir = await tempDir(t);
    await mkdir(join(dataDir, 'models'));
    await cp(join(modelsDir, 'espeak-en'), join(dataDir, 'models/espeak-en'), { recursive: true });
    const service = await startServiceProcess(dataDir, {
      ...(pulse.env as Record<string, string>),
      MITSCHRIFT_UI_LANGUAGE: 'en',
      MITSCHRIFT_AUDIO_COMBINED_CHANNELS: channels,
    });
    t.after(() => service.end('SIGTERM'));
    const token = await setUp(service.url);
    const api = apiOf(service.url, token);
    const until = (look: () => Promise<boolean>) => watchUntil(service.url, token, look, 60_000);
    const heardIn = async (id: string) => {
      const { utterances } = await settled(service.url, token, id);
      return utterances.map(({ text }) => text).join(' ');
    };

    const selection = { microphone: 'mic.monitor', monitor: 'speakers.monitor' };
    const combined = await api.post<{ device: string; module_ids: number[] }>(
      '/audio/combined',
      selection,
    );
    assert.equal(combined.device, 'mitschrift-combined');
    const before = await pulse.pactl('info');
    const { recording_id } = await api.post<{ recording_id: string }>('/toggle', {});
    const duration = async () => (await api.get<Status>('/status')).recording?.duration ?? 0;
    await until(async () => (await duration()) > 0);
    for (const [sink, { text, voice }] of Object.entries(said)) {
      const path = join(dataDir, `${sink}.wav`);
      await speak(text, path, voice);
      await pulse.play(path, sink);
      // Recognised while it is recorded, from the device's file.
      await until(
        async () => (await api.get<Detail>(`/recordings/${recording_id}`)).utterances.length > 0,
      );
    }
    // What was played last is still in the loopbacks' buffers.
    const played = await duration();
    await until(async () => (await duration()) > played + 0.9);
    await api.post('/toggle', {});
    // Taken down before anything is recognised, and what the user has chosen is as it was.
    assert.doesNotMatch(await pulse.pactl('list', 'short', 'modules'), /mitschrift/);
    const defaults = (info: string) => info.match(/^Default .*: .*$/gm);
    assert.deepEqual(defaults(await pulse.pactl('info')), defaults(before));
    const recorded = await heardIn(recording_id);

    const known: string[] = [];
    for (const [sink, { text }] of Object.entries(said)) {
      const form = uploadForm(await readFile(join(dataDir, `${sink}.wav`)), { kind: 'solo' });
      const uploaded = await api.post<{ recording_id: string }>('/recordings', form);
      const heard = await heardIn(uploaded.recording_id);
      assert.ok(wordErrorRate(text, heard) <= errorRateMax, `${sink}.wav: ${heard}`);
      known.push(heard);
    }
    const loss = wordErrorRate(known.join(' '), recorded);
    t.diagnostic(`“${recorded}” of “${known.join(' ')}”: ${loss}`);
    assert.ok(loss <= lossMax, `${loss}: ${recorded}`);
  });
}
