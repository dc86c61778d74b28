import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { speak } from '../support/espeak.ts';
import { eventually } from '../support/eventually.ts';
import { uploadForm } from '../support/service-process.ts';
import { speechServer } from '../support/speech-servers.ts';
import { tempDir } from '../support/temp-dir.ts';
import { wholeService } from '../support/whole-service.ts';

type Waiting = { for: string; cause: string | null; since: string } | null;
type Status = {
  status: string;
  processing: { recording_id: string; stage: string | null; waiting: Waiting }[];
  errors: { recording_id: string; waiting: Waiting }[];
};

test('GET /status says what is waited for: a speech server that is away, or that failed, also after a restart', async (t) => {
  const speech = await speechServer('openai');
  t.after(() => speech.close());
  speech.hear = () => [{ text: 'words', start: 0.2, end: 0.9 }];
  const service = await wholeService(t, {
    env: { MITSCHRIFT_STT_BASE_URL: speech.url, MITSCHRIFT_STT_MODEL: 'whisper-1' },
  });
  const path = join(await tempDir(t), 'talk.wav');
  await speak('three spoken words', path);
  const upload = async () =>
    (
      await service
        .api()
        .post<{ recording_id: string }>(
          '/recordings',
          uploadForm(new Uint8Array(await readFile(path)), {}),
        )
    ).recording_id;
  const now = () => service.api().get<Status>('/status');
  const isWaited = async (id: string, list: 'processing' | 'errors', why: RegExp) => {
    await eventually(`${list} says that ${String(why)}`, async () =>
      (await now())[list].some(
        ({ recording_id, waiting }) =>
          recording_id === id && why.test(`${waiting?.for}. ${waiting?.cause}`),
      ),
    );
  };

  await speech.down();
  const id = await upload();
  await isWaited(id, 'processing', /can’t be reached/);
  assert.equal((await now()).status, 'TRANSCRIBING');
  await service.restart();
  await isWaited(id, 'processing', /can’t be reached/);
  await speech.up();
  await eventually('it is done', async () => (await now()).status === 'IDLE');

  // Answers that cannot be read are asked for three times.
  speech.faults.push(...Array.from({ length: 9 }, () => ({ do: 'half' }) as const));
  const failed = await upload();
  await isWaited(failed, 'errors', /attempt 1 of 5/);
  await service.restart();
  assert.equal((await now()).status, 'ERROR');
  await isWaited(failed, 'errors', /attempt 1 of 5/);
});
