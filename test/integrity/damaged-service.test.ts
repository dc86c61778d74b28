import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { logKey } from '../../events/log/records.ts';
import type { Finding } from '../../src/integrity/findings.ts';
import { password, wav } from '../support/http-client.ts';
import { flipped, mitschrift, recordedData, tamper } from '../support/recorded-data.ts';
import { apiOf, startServiceProcess, uploadForm } from '../support/service-process.ts';

const binary = { keyEncoding: 'buffer', valueEncoding: 'buffer' } as const;

test('a service with a damaged log reads what it can, writes nothing, and says what to do', async (t) => {
  const { data, recordings } = await recordedData(t);
  const [hurt, well] = recordings as [string, string];
  let position = 0;
  await tamper(data, async (db) => {
    position = Number(await db.get(`!streams!recording-${hurt}!000000000004`));
    const original = await db.get<Buffer, Buffer>(logKey(position), binary);
    await db.put(logKey(position), flipped(original, 50, 4), binary);
  });
  const service = await startServiceProcess(data.root, { MITSCHRIFT_LOG_LEVEL: 'warn' });
  t.after(() => service.end('SIGKILL'));

  const health = await fetch(`${service.url}/health`);
  assert.equal(health.status, 503);
  assert.equal(((await health.json()) as { status: string }).status, 'damaged');
  assert.ok(service.logged.some((line) => line.includes(`"position":${position}`)));

  const login = await fetch(`${service.url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'ada', password }),
  });
  assert.equal(login.status, 200);
  const { token } = (await login.json()) as { token: string };
  const api = apiOf(service.url, token);
  const { documents } = await api.get<{ documents: { summary: string } }>(`/recordings/${well}`);
  assert.match(
    await api.get<string>(`/transcripts/${encodeURIComponent(documents.summary)}`),
    /\w/,
  );
  const status = await api.get<{ health: { state: string; damage: object[]; advice: string[] } }>(
    '/status',
  );
  assert.equal(status.health.state, 'damaged');
  assert.deepEqual((status.health.damage[0] as { position: number }).position, position);
  assert.match(status.health.advice[0]!, /mitschrift restore/);
  type Checks = { checks: { id: string; status: string; detail: string; remedy: unknown }[] };
  const { checks } = await api.get<Checks>('/doctor');
  const found = checks.find(({ id }) => id === 'log')!;
  assert.equal(found.status, 'missing');
  assert.ok(found.detail.includes(`position ${position}`), found.detail);
  assert.match(JSON.stringify(found.remedy), /mitschrift restore.*mitschrift\S* verify/);
  const inGerman = async <T>(path: string): Promise<T> => {
    const headers = { authorization: `Bearer ${token}`, 'accept-language': 'de' };
    return (await (await fetch(service.url + path, { headers })).json()) as T;
  };
  const german = await inGerman<Checks>('/doctor');
  const said = german.checks.find(({ id }) => id === 'log')!.detail;
  assert.match(
    said,
    /^\d Stellen fehlen oder sind beschädigt: Ereignis, Position \d+: das Ereignis wurde nach dem Schreiben verändert; [^.]*\.$/,
  );
  assert.doesNotMatch(said, /position|record is|event/);
  const told = (await inGerman<typeof status>('/status')).health;
  assert.deepEqual(told.damage[0], {
    ...status.health.damage[0],
    what: 'das Ereignis wurde nach dem Schreiben verändert',
    code: 'record-altered',
  });
  assert.match(told.advice[0]!, /^Das Ereignislog ist beschädigt/);

  const refused = await fetch(`${service.url}/recordings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: uploadForm(new Uint8Array(wav()), { kind: 'solo' }),
  });
  const problem = (await refused.json()) as { type: string; detail: string };
  assert.deepEqual([refused.status, problem.type], [503, '/problems/log-damaged']);
  assert.match(problem.detail, /mitschrift verify/);

  await writeFile(join(data.recordings, well, 'audio.wav'), 'noise');
  const verified = await mitschrift(data.root, 'verify', '--json');
  assert.equal(verified.code, 1);
  type Findings = { findings: Pick<Finding, 'kind' | 'position' | 'path'>[] };
  const { findings } = JSON.parse(verified.stdout) as Findings;
  const harmed = findings.find((one) => one.kind === 'record' && one.position === position);
  assert.deepEqual(harmed, {
    ...harmed,
    what: 'the event was altered after it was written',
    code: 'record-altered',
  });
  assert.ok(findings.some((one) => one.kind === 'audio' && one.path?.includes(well)));
});
