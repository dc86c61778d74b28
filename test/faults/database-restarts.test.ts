import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { speak } from '../support/espeak.ts';
import { postgresCluster } from '../support/postgres.ts';
import {
  apiOf,
  setUp,
  startServiceProcess,
  uploadForm,
  watchUntil,
} from '../support/service-process.ts';
import { speechServer } from '../support/speech-servers.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Of the database, while one answer of the speech server is waited for: as often as would be three deaths, and once more. */
const restarts = 4;
const withinMs = 120_000;

test(
  'a database that is restarted again and again while a server recognises fails no recording',
  { timeout: 4 * withinMs },
  async (t) => {
    const root = await tempDir(t);
    const [shared, spoken] = [join(root, 'shared'), join(root, 'talk.wav')];
    await mkdir(shared);
    await speak('three spoken words', spoken);
    const speech = await speechServer('openai');
    t.after(() => speech.close());
    speech.hear = () => [{ text: 'words', start: 0.2, end: 0.9 }];
    speech.faults.push(...Array.from({ length: 2 * restarts }, () => ({ do: 'wait' }) as const));
    const postgres = await postgresCluster(t);
    const service = await startServiceProcess(join(root, 'node'), {
      MITSCHRIFT_DATABASE_URL: postgres.url,
      MITSCHRIFT_BLOBS_URL: pathToFileURL(shared).href,
      MITSCHRIFT_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      MITSCHRIFT_STT_BASE_URL: speech.url,
      MITSCHRIFT_STT_MODEL: 'whisper-1',
      MITSCHRIFT_LOG_LEVEL: 'warn',
    });
    t.after(() => service.end('SIGKILL'));
    const token = await setUp(service.url);
    const api = apiOf(service.url, token);
    const audio = new Uint8Array(await readFile(spoken));
    const { recording_id: id } = await api.post<{ recording_id: string }>(
      '/recordings',
      uploadForm(audio, {}),
    );
    for (let restart = 0; restart < restarts; restart += 1) {
      await speech.asked(restart + 1);
      await postgres.kill('SIGQUIT');
      await postgres.start();
    }
    await speech.asked(restarts + 1);
    speech.faults.length = 0;
    speech.release();
    const statuses = new Set<string>();
    await watchUntil(
      service.url,
      token,
      async () => {
        const { status } = await api.get<{ status: string }>(`/recordings/${id}`);
        statuses.add(status);
        return ['IDLE', 'ERROR'].includes(status);
      },
      withinMs,
    );
    const { events } = await api.get<{ events: { type: string }[] }>(`/recordings/${id}/events`);
    const types = events.map(({ type }) => type);
    assert.ok(
      types.includes('documents.saved') && !types.includes('stage.failed'),
      types.join(' '),
    );
    assert.ok(!statuses.has('ERROR'));
  },
);
