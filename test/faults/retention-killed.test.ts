import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { wav } from '../support/http-client.ts';
import { modelsDir } from '../support/models.ts';
import { seed, seeded, times } from '../support/seeded.ts';
import { type ServiceProcess, apiOf, startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { preloadable } from './power-loss.ts';

const kills = times({ short: 2, long: 12 });
const perRound = 6;
const day = 86_400;
const credentials = { username: 'ada', password: 'correct horse battery' };

type Shown = { waiting: { before: string } | null };
type Note = { state: string; documents: { transcript: string } | null };

test(`${kills} times the service is killed while retention deletes: notes are whole or gone, protected ones stay (SEED=${seed})`, async (t) => {
  const random = seeded(seed);
  const dataDir = await tempDir(t);
  const aside = await tempDir(t);
  const clock = join(aside, 'clock');
  let moved = 0;
  const move = async (seconds: number) => await writeFile(clock, String((moved += seconds)));
  await move(0);
  const env = {
    MITSCHRIFT_MODELS: modelsDir,
    LD_PRELOAD: await preloadable('clock.c', aside),
    CLOCK_FILE: clock,
  };
  let service: ServiceProcess = await startServiceProcess(dataDir, env);
  t.after(async () => await service.end('SIGKILL'));
  const { token: first } = await apiOf(service.url).post<{ token: string }>('/setup', credentials);
  let token = first;
  const asked = async (method: string, path: string, json?: object): Promise<Response> =>
    await fetch(service.url + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(json && { body: JSON.stringify(json) }),
    });
  /** Days ago it began: after 30 it goes, after 7 its audio. */
  const note = async (days: number): Promise<string> => {
    const form = new FormData();
    form.set('file', new Blob([wav()]), 'talk.wav');
    form.set('kind', 'solo');
    form.set('started_at', new Date(Date.now() + (moved - days * day) * 1000).toISOString());
    const { recording_id: id } = await apiOf(service.url, token).post<{ recording_id: string }>(
      '/recordings',
      form,
    );
    await eventually('written', async () => {
      const row = (await (await asked('GET', `/recordings/${id}`)).json()) as Note;
      return row.state === 'idle.saved';
    });
    return id;
  };
  /** Gone with all its files, or there with its documents. */
  const assertWhole = async (id: string): Promise<boolean> => {
    const answer = await asked('GET', `/recordings/${id}`);
    if (answer.status === 404) return false;
    const { state, documents } = (await answer.json()) as Note;
    assert.deepEqual([answer.status, state], [200, 'idle.saved']);
    const path = encodeURIComponent(documents?.transcript ?? '');
    if ((await asked('GET', `/transcripts/${path}`)).status === 200) return true;
    // A round goes on meanwhile: then all of it went between the two questions.
    assert.equal((await asked('GET', `/recordings/${id}`)).status, 404);
    return false;
  };
  const start = async () => {
    service = await startServiceProcess(dataDir, env);
    ({ token } = await apiOf(service.url).post<{ token: string }>('/login', credentials));
  };
  assert.equal((await asked('PUT', '/retention', { notes_days: 30, audio_days: 7 })).status, 200);
  let deaths = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const [going, thinning, held]: [string[], string[], string[]] = [[], [], []];
    for (let n = 0; n < perRound; n += 1) going.push(await note(100));
    for (let n = 0; n < 2; n += 1) thinning.push(await note(10));
    held.push(await note(100));
    for (const id of held)
      assert.equal((await asked('PATCH', `/recordings/${id}`, { hold: {} })).status, 200);
    await move(25 * 3600);
    await service.end('SIGKILL');
    await start();
    const { waiting } = (await (await asked('GET', '/retention')).json()) as Shown;
    assert.ok(waiting, 'so many wait for a yes');
    assert.equal(
      (await asked('POST', '/retention/confirm', { before: waiting.before })).status,
      200,
    );
    await service.end('SIGKILL');
    // The round begins with the start: it dies after one of its deletions.
    const dying = await startServiceProcess(dataDir, env);
    const dies = random.below(perRound);
    const deleted = () =>
      dying.logged.filter((line) => line.includes('deleted by retention')).length;
    await eventually('deletes', () => deleted() > dies);
    await dying.end('SIGKILL');
    if (deleted() < perRound + 2) deaths += 1;
    await start();
    for (const id of going) await assertWhole(id);
    await eventually('the rest goes with the next round', async () => {
      const left = await Promise.all(going.map(assertWhole));
      const audio = thinning.map(
        async (id) => (await asked('GET', `/recordings/${id}/audio`)).status,
      );
      return left.every((one) => !one) && (await Promise.all(audio)).every((one) => one === 404);
    });
    for (const id of [...thinning, ...held]) assert.equal(await assertWhole(id), true);
    for (const id of held)
      assert.equal((await asked('GET', `/recordings/${id}/audio`)).status, 200);
    const folders = await readdir(join(dataDir, 'recordings'));
    assert.deepEqual(
      folders.filter((name) => going.includes(name)),
      [],
      'nothing of them is left',
    );
  }
  t.diagnostic(`${deaths} of ${kills} died in the middle of it`);
});
