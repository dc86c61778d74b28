import assert from 'node:assert/strict';
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../../src/http/limits.ts';
import { speak } from '../support/espeak.ts';
import { modelsDir } from '../support/models.ts';
import {
  apiOf,
  setUp,
  startServiceProcess,
  uploadForm,
  type ServiceProcess,
} from '../support/service-process.ts';
import { type HasEnd, tempDir } from '../support/temp-dir.ts';
import { resourcesOf, untilFlat, type Resources } from './resources.ts';
import { allRecordings, checkFacts, documentsOf, settle, type Recording } from './story.ts';

/** The service on a data directory of its own, to be disturbed, and what it acknowledged. */
export type Trial = {
  dataDir: string;
  token: string;
  /** Starts the service; under `wrap`, with `env`. At most one at a time. */
  start(env?: Record<string, string>, wrap?: readonly string[]): Promise<ServiceProcess>;
  /** Uploads the talk; what was acknowledged is kept in mind. @throws what the service answers */
  upload(service: ServiceProcess, kind: 'solo' | 'meeting'): Promise<Recording>;
  /** Uploads the talk so many times, several at once, but no more than the service takes. */
  uploadMany(service: ServiceProcess, count: number): Promise<void>;
  /** What an undisturbed service held when all was settled, and the most any has held since. */
  held(): { undisturbed: Resources; most: Resources };
  /** How many uploads were acknowledged. */
  acknowledged(): number;
  /**
   * Everything the service knows settles, what was acknowledged in the documents an undisturbed run
   * gives, no result twice, nobody blamed; and the process holds no more than an undisturbed one did.
   * @param opened handles that the test itself made it open
   */
  check(service: ServiceProcess, opened?: number): Promise<void>;
};

/** As many as the service takes of one user. */
const { uploadsPerUserMax: atOnce } = limits;
const talk = 'i think we should move the deadline to the end of march';

/** @param folder where the data directory is made; a folder of the test's own when absent */
export async function trial(t: HasEnd, folder?: string): Promise<Trial> {
  const dataDir = join(folder ?? (await tempDir(t)), 'data');
  await mkdir(join(dataDir, 'models'), { recursive: true });
  await cp(join(modelsDir, 'espeak-en'), join(dataDir, 'models', 'espeak-en'), { recursive: true });
  const wav = join(dataDir, 'talk.wav');
  await speak(talk, wav);
  const audio = new Uint8Array(await readFile(wav));
  await rm(wav);
  let running: ServiceProcess | undefined;
  t.after(() => running?.end('SIGKILL'));
  const start: Trial['start'] = async (env = {}, wrap = []) => {
    const quiet = { MITSCHRIFT_UI_LANGUAGE: 'en', MITSCHRIFT_LOG_LEVEL: 'warn' };
    running = await startServiceProcess(dataDir, { ...quiet, ...env }, wrap);
    return running;
  };

  const first = await start();
  const token = await setUp(first.url);
  const expected = new Map<string, string>();
  for (const kind of ['solo', 'meeting']) {
    const api = apiOf(first.url, token);
    const { recording_id: id } = await api.post<Recording>(
      '/recordings',
      uploadForm(audio, { kind }),
    );
    await settle(first, token, [id]);
    expected.set(kind, await documentsOf(first, token, id));
  }
  const undisturbed = await resourcesOf(first.pid);
  const most = { ...undisturbed };
  await first.end('SIGTERM');

  const acknowledged = new Map<string, string>();
  const upload: Trial['upload'] = async (service, kind) => {
    const form = uploadForm(audio, { kind });
    const recording = await apiOf(service.url, token).post<Recording>('/recordings', form);
    acknowledged.set(recording.recording_id, kind);
    return recording;
  };
  return {
    dataDir,
    token,
    start,
    upload,
    async uploadMany(service, count) {
      let left = count;
      const one = async () => {
        while (left > 0) {
          left -= 1;
          await upload(service, 'solo');
        }
      };
      await Promise.all(Array.from({ length: atOnce }, one));
    },
    held: () => ({ undisturbed, most }),
    acknowledged: () => acknowledged.size,
    async check(service, opened = 0) {
      const ids = await allRecordings(service, token);
      for (const id of acknowledged.keys()) assert.ok(ids.includes(id), `${id} is there`);
      await settle(service, token, ids);
      for (const [id, kind] of acknowledged) {
        assert.equal(await documentsOf(service, token, id), expected.get(kind));
      }
      for (const id of ids) await checkFacts(service, token, id);
      const now = await untilFlat(service.pid, undisturbed, opened);
      most.megabytes = Math.max(most.megabytes, now.megabytes);
      most.handles = Math.max(most.handles, now.handles);
    },
  };
}
