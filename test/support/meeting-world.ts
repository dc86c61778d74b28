import pino from 'pino';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  type RecordingFact,
  type RecordingFactType,
  recordingStream,
} from '../../events/facts/recording.ts';
import { published } from '../../projections/recording/reading.ts';
import { factsOf, readRecording } from '../../projections/recording/recording.ts';
import { recordingById } from '../../projections/recordings.ts';
import { settingsFrom } from '../../src/config/environment.ts';
import { dataFolder } from '../../src/shared/data-directory.ts';
import { onThisMachine } from './eventually.ts';
import { speechServer } from './speech-servers.ts';
import type { Kind } from './speech-servers-speakers.ts';
import { tempDir } from './temp-dir.ts';
import { testPipeline } from './test-pipeline.ts';
import { subscribed } from './subscribed.ts';

/** A pipeline that recognises on a stand-in of a server, and has the models of `models`: none at first. */
export async function openMeetingWorld(
  t: TestContext,
  {
    kind = 'openai',
    model = 'whisper-1',
    env = {},
  }: { kind?: Kind; model?: string; env?: Record<string, string> } = {},
) {
  const speech = await speechServer(kind);
  t.after(() => speech.close());
  let closePipeline = async () => {};
  t.after(() => closePipeline());
  const dataDir = await tempDir(t);
  const backend = kind === 'asr' ? 'asr' : kind === 'whisper.cpp' ? 'native' : 'compat';
  const settings = settingsFrom({
    MITSCHRIFT_STT_BASE_URL: speech.url,
    MITSCHRIFT_STT_BACKEND: backend,
    MITSCHRIFT_STT_MODEL: model,
    MITSCHRIFT_UI_LANGUAGE: 'en',
    ...env,
  });
  const data = dataFolder(dataDir);
  const log = pino({ level: 'silent' });
  const pipeline = await testPipeline({ data, settings: () => settings, log, firstRunWaitMs: 0 });
  closePipeline = () => pipeline.close();
  await pipeline.takeUp();
  const { recordingService, store, storage } = pipeline;
  const row = async (id: string) => (await recordingById(storage, id))!;
  const command = (id: string, fact: RecordingFact) =>
    recordingService.command(id, fact, { by: 'anna', command: `${fact.type} of ${id}` });
  const until = async (id: string, state: string): Promise<void> => {
    const signal = AbortSignal.timeout(onThisMachine(60_000));
    for await (const fact of subscribed(store, { afterPosition: 0, signal })) {
      if (fact.stream !== recordingStream(id) || fact.to !== state) continue;
      if (fact.version !== (await store.version(fact.stream))) continue;
      await pipeline.projections.applied('all', fact.position);
      return;
    }
    assert.fail(`${id} is not ${state}`);
  };
  return {
    speech,
    models: join(dataDir, 'models'),
    /** Where a file is put that `upload` then takes. */
    uploadPath: (name: string) => join(dataDir, 'uploads', name),
    row,
    command,
    until,
    async upload(path: string, speakers: number | null = null): Promise<string> {
      const { recordingId } = await recordingService.importAudio({
        path,
        filename: 'talk.wav',
        owner: 'anna',
        by: 'anna',
        command: `upload of ${path}`,
        kind: 'meeting',
        language: null,
        speakers,
        title: undefined,
      });
      return recordingId;
    },
    /** Without names, to the end. @returns the three documents */
    async finish(id: string): Promise<Record<'index' | 'transcript' | 'summary', string>> {
      await command(id, { type: 'speakers.skipped', data: {} });
      await until(id, 'idle.saved');
      const { documents } = await row(id);
      const text = (path: string) => readFile(join(data.spaces, 'anna', path), 'utf8');
      const { index, transcript, summary } = documents!;
      return {
        index: await text(index),
        transcript: await text(transcript),
        summary: await text(summary),
      };
    },
    blocks: async (id: string) => published(await readRecording(store, id))!.blocks,
    factsOf: async <T extends RecordingFactType>(id: string, type: T) =>
      factsOf(await readRecording(store, id), type, Infinity),
  };
}
