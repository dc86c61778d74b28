import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { browserClient } from '../support/browser-client.ts';
import { make, speak } from '../support/espeak.ts';
import { eventually } from '../support/eventually.ts';
import { modelsDir } from '../support/models.ts';
import { seed, seeded, times } from '../support/seeded.ts';
import {
  type ServiceProcess,
  apiOf,
  setUp,
  startServiceProcess,
} from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { nodeVariables } from '../support/test-store.ts';

const rounds = times({ short: 2, long: 12 });
const talk = 'i think we should move the deadline to the end of march';
const rate = 16_000;
const wavHeader = 44;
/** A node's recordings are another's when it was not heard of for ten seconds: it has to come back to them. */
const takenUpWithinMs = 120_000;

type Note = {
  state: string;
  utterances: { text: string }[];
  sidenotes: { at: number; text: string }[];
};

/** When the service is killed: as soon as the part, or the note that takes it, is in a state. */
const moments = [
  { of: 'part', in: 'transcribing' },
  { of: 'part', in: 'transcribing.continuing' },
  { of: 'note', in: 'transcribing.assembling' },
  { of: 'note', in: 'transcribing' },
] as const;
/** A stage that the service died in three times is not begun again for an hour. */
const killsMax = 2;

for (const store of ['LevelDB', 'PostgreSQL'] as const)
  test(
    `on ${store} a note is continued ${rounds} times, and the service killed meanwhile: it has everything, once (SEED=${seed})`,
    { timeout: rounds * 180_000 },
    async (t) => {
      const random = seeded(seed);
      const dataDir = await tempDir(t);
      const env = {
        ...(store === 'LevelDB' ? { MITSCHRIFT_DATA: dataDir } : await nodeVariables(dataDir)),
        MITSCHRIFT_MODELS: modelsDir,
      };
      const pcm = await spoken(await tempDir(t));
      let service: ServiceProcess = await startServiceProcess(dataDir, env);
      t.after(async () => await service.end('SIGKILL'));
      const token = await setUp(service.url, { username: 'ada' });
      const api = () => apiOf(service.url, token);
      const read = (id: string) => api().get<Note>(`/recordings/${id}`);
      /** Null: it is gone. */
      const stateOf = async (id: string): Promise<string | null> =>
        await read(id).then(
          ({ state }) => state,
          (error: Error) => {
            if (error.message.includes(': 404 ')) return null;
            throw error;
          },
        );
      const reaches = async (id: string, state: string | null) =>
        await eventually(
          `${id} is ${state ?? 'gone'}`,
          async () => (await stateOf(id)) === state,
          takenUpWithinMs,
        );
      const samples = async (id: string): Promise<Buffer> => {
        const headers = { Authorization: `Bearer ${token}` };
        const answer = await fetch(`${service.url}/recordings/${id}/audio`, { headers });
        assert.equal(answer.status, 200);
        return Buffer.from(await answer.arrayBuffer()).subarray(wavHeader);
      };
      /** Records it, marked so that no two are the same, with a side note. */
      const record = async (mark: number, continues?: string): Promise<string> => {
        const own = Buffer.from(pcm);
        for (let at = 0; at < rate / 10; at += 1) own.writeInt16LE(mark, at * 2);
        const more = continues === undefined ? {} : { continues };
        const url = () => service.url;
        const browser = browserClient({ url, token, pcm: own, rate, frameSamples: 1600, ...more });
        await browser.sendTo(own.length / 2);
        const id = browser.recordingId()!;
        await api().post(`/recordings/${id}/sidenotes`, { at: 1, text: `note ${mark}` });
        await browser.stop();
        audio = Buffer.concat([audio, own]);
        return id;
      };
      let audio: Buffer = Buffer.alloc(0);
      const id = await record(0);
      await reaches(id, 'idle.saved');
      const said = textOf(await read(id));
      assert.match(said, /\w/);

      for (let round = 1; round <= rounds; round += 1) {
        const part = await record(round, id);
        const kills = 1 + random.below(killsMax);
        for (let kill = 0; kill < kills; kill += 1) {
          const moment = random.pick(moments);
          const watched = moment.of === 'part' ? part : id;
          await eventually(
            `the ${moment.of} is ${moment.in}, or it is over`,
            async () =>
              (await stateOf(watched))?.startsWith(moment.in) || (await stateOf(part)) === null,
            takenUpWithinMs,
          );
          await sleep(random.below(60));
          await service.end('SIGKILL');
          service = await startServiceProcess(dataDir, env);
          // It can be read all the time.
          assert.ok(textOf(await read(id)).startsWith(said));
        }
        await reaches(part, null);
        await reaches(id, 'idle.saved');
        const whole = await read(id);
        assert.ok((await samples(id)).equals(audio), 'each second is there, once');
        assert.equal(textOf(whole), Array.from({ length: round + 1 }, () => said).join(' '));
        assert.deepEqual(
          whole.sidenotes.map(({ text }) => text),
          Array.from({ length: round + 1 }, (_, at) => `note ${at}`),
        );
      }
    },
  );

const textOf = ({ utterances }: Note): string => utterances.map(({ text }) => text).join(' ');

async function spoken(folder: string): Promise<Buffer> {
  const [said, resampled] = ['said.wav', 'spoken.wav'].map((name) => join(folder, name));
  await speak(talk, said!);
  await make('sox', said!, '-r', String(rate), '-c', '1', '-b', '16', resampled!);
  return (await readFile(resampled!)).subarray(wavHeader);
}
