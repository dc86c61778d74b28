import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelsDir } from '../support/models.ts';
import { seed, seeded, times } from '../support/seeded.ts';
import {
  type ServiceProcess,
  apiOf,
  setUp,
  startServiceProcess,
} from '../support/service-process.ts';
import { storeVariables } from '../support/test-store.ts';
import { tempDir } from '../support/temp-dir.ts';
import { wav } from '../support/http-client.ts';

const rounds = times({ short: 2, long: 20 });
const perRound = 20;

type Made = { link: string; url: string };

test(`${rounds} times the service is killed while links are made and deleted: what was answered holds (SEED=${seed})`, async (t) => {
  const random = seeded(seed);
  const dataDir = await tempDir(t);
  const env = { ...(await storeVariables(dataDir)), MITSCHRIFT_MODELS: modelsDir };
  let service: ServiceProcess = await startServiceProcess(dataDir, env);
  t.after(async () => await service.end('SIGKILL'));
  const token = await setUp(service.url, { username: 'ada' });
  const form = new FormData();
  form.set('file', new Blob([wav()]), 'talk.wav');
  const { recording_id: id } = await apiOf(service.url, token).post<{ recording_id: string }>(
    '/recordings',
    form,
  );
  const asked = async (method: string, path: string, json?: object): Promise<Response | null> => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const body = json && JSON.stringify(json);
    return await fetch(service.url + path, { method, headers, ...(body && { body }) }).catch(
      () => null,
    );
  };
  const opens = async ({ url }: Made) =>
    (await asked('POST', '/shared', { token: new URL(url).hash.slice(1) }))?.status;
  for (let round = 0; round < rounds; round += 1) {
    const doomed = service;
    const killed = new Promise((resolve) => setTimeout(resolve, random.below(150))).then(() =>
      doomed.end('SIGKILL'),
    );
    const [made, deleted]: [Made[], Made[]] = [[], []];
    const unanswered = new Set<Made>();
    for (let n = 0; n < perRound; n += 1) {
      const json = { name: `${round}.${n}`, live: true };
      const answer = await asked('POST', `/recordings/${id}/links`, json);
      if (answer?.status !== 201) break;
      const one = (await answer.json()) as Made;
      made.push(one);
      if (n % 2 === 0) continue;
      const gone = await asked('DELETE', `/recordings/${id}/links/${one.link}`);
      if (gone?.status === 204) deleted.push(one);
      else unanswered.add(one);
    }
    await killed;
    service = await startServiceProcess(dataDir, env);
    for (const one of made) {
      if (unanswered.has(one)) continue;
      assert.equal(await opens(one), deleted.includes(one) ? 404 : 200, `${round}: ${one.link}`);
    }
    const { links } = await apiOf(service.url, token).get<{ links: { link: string }[] }>(
      `/recordings/${id}/access`,
    );
    for (const { link } of links)
      assert.equal((await asked('DELETE', `/recordings/${id}/links/${link}`))?.status, 204);
    for (const one of made) assert.equal(await opens(one), 404);
  }
});
