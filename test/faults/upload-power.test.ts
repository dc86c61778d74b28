import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { wav } from '../support/http-client.ts';
import { seed, seeded } from '../support/seeded.ts';
import { apiOf, setUp, startServiceProcess, uploadForm } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { powered } from './power-loss.ts';

test(`the audio of an acknowledged upload is there after a power cut, whichever way it came (SEED=${seed})`, async (t) => {
  const random = seeded(seed);
  const place = await powered(await tempDir(t));
  const env = { MITSCHRIFT_LOG_LEVEL: 'warn' };
  let service = await startServiceProcess(place.root, { ...env, ...(await place.env(0)) });
  t.after(() => service.end('SIGKILL'));
  const token = await setUp(service.url);
  const uploads = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const upload of [asForm, resumable]) {
    const audio = noise(random.below(100_000));
    uploads.set(await upload(service.url, token, audio), audio);
  }
  await service.end('SIGKILL');
  // As much as possible is lost.
  await place.cut();
  for (const [id, audio] of uploads) {
    const file = await readFile(join(place.root, 'recordings', id, 'audio.wav'));
    assert.ok(file.equals(audio), `${file.length} of ${audio.length} bytes of ${id}`);
  }
  service = await startServiceProcess(place.root, env);
  const api = apiOf(service.url, token);
  for (const id of uploads.keys()) await api.get(`/recordings/${id}`);
});

/** A WAV file no two of which are alike. */
function noise(first: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(wav(2));
  const samples = new DataView(file.buffer, 44);
  for (let at = 0; at < samples.byteLength; at += 2) samples.setUint16(at, first + at, true);
  return file;
}

async function asForm(url: string, token: string, audio: Uint8Array<ArrayBuffer>): Promise<string> {
  type Accepted = { recording_id: string };
  const form = uploadForm(audio, { kind: 'solo' });
  return (await apiOf(url, token).post<Accepted>('/recordings', form)).recording_id;
}

async function resumable(
  url: string,
  token: string,
  audio: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const headers = { Authorization: `Bearer ${token}`, 'Tus-Resumable': '1.0.0' };
  const metadata = `filename ${Buffer.from('talk.wav').toString('base64')}`;
  const begun = await fetch(`${url}/uploads`, {
    method: 'POST',
    headers: { ...headers, 'Upload-Length': `${audio.length}`, 'Upload-Metadata': metadata },
  });
  const ended = await fetch(new URL(begun.headers.get('location')!, url), {
    method: 'PATCH',
    headers: {
      ...headers,
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': '0',
    },
    body: audio,
  });
  assert.equal(ended.status, 202);
  return ((await ended.json()) as { recording_id: string }).recording_id;
}
