import assert from 'node:assert/strict';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { speak, wordErrorRate } from './espeak.ts';
import { modelsDir } from './models.ts';
import { apiOf, setUp, uploadForm, watchUntil } from './service-process.ts';
import { tempDir } from './temp-dir.ts';

const said = [
  'good morning everyone and welcome to the weekly planning meeting',
  'the server was down for twenty minutes last night',
  'i think we should move the deadline to the end of march',
].join(' ');
/** The test model errs in about one word of ten; more than twice that is a fault of ours. */
const errorRateMax = 0.25;

export type Detail = {
  recording_id: string;
  status: string;
  duration: number;
  error: object | null;
  utterances: { text: string }[];
  ledger: { samples: number; gaps: [number, number][] };
  documents: Record<'index' | 'transcript' | 'summary', string> | null;
};

type Audio = Uint8Array<ArrayBuffer>;

/** A data directory with the test model in it, and a talk. */
export async function prepared(
  t: TestContext,
): Promise<{ dataDir: string; talk: string; audio: Audio }> {
  const dataDir = await tempDir(t);
  await mkdir(join(dataDir, 'models'));
  await cp(join(modelsDir, 'espeak-en'), join(dataDir, 'models', 'espeak-en'), { recursive: true });
  const talk = join(await tempDir(t), 'talk.wav');
  await speak(said, talk);
  return { dataDir, talk, audio: new Uint8Array(await readFile(talk)) };
}

/** Where every way to install ends: a first administrator uploads the talk and reads what was said. */
export async function firstDocument(
  url: string,
  audio: Audio,
  setup: { setup_code?: string } = {},
): Promise<{ token: string; detail: Detail }> {
  const token = await setUp(url, setup);
  const detail = await finished(url, token, audio, { kind: 'solo' });
  await checkTranscript(url, token, detail);
  return { token, detail };
}

/** Reads the transcript of the talk. @throws when it does not say what was said */
export async function checkTranscript(url: string, token: string, detail: Detail): Promise<void> {
  const name = encodeURIComponent(detail.documents!.transcript);
  const transcript = await apiOf(url, token).get<string>(`/transcripts/${name}`);
  const heard = transcript
    .split(/– Trans[ck]ript\n/)[1]!
    .replace(/\^t-\d+/g, '')
    .replace(/[^\p{L}\s]/gu, '')
    .trim();
  assert.ok(wordErrorRate(said, heard) <= errorRateMax, `${wordErrorRate(said, heard)}: ${heard}`);
}

/** Uploads a recording and waits for its documents. */
export async function finished(
  url: string,
  token: string,
  audio: Audio,
  fields: Record<string, string>,
): Promise<Detail> {
  const form = uploadForm(audio, fields);
  const { recording_id } = await apiOf(url, token).post<Detail>('/recordings', form);
  return await settled(url, token, recording_id);
}

/** Waits for a recording's documents. @throws when it fails */
export async function settled<T = unknown>(
  url: string,
  token: string,
  id: string,
): Promise<Detail & T> {
  const api = apiOf(url, token);
  let detail!: Detail & T;
  await watchUntil(
    url,
    token,
    async () => {
      detail = await api.get<Detail & T>(`/recordings/${id}`);
      assert.notEqual(detail.status, 'ERROR', JSON.stringify(detail));
      return detail.status === 'IDLE' && detail.documents !== null;
    },
    60_000,
  );
  return detail;
}
