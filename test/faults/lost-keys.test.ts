import pino from 'pino';
import assert from 'node:assert/strict';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type DataFolder, dataFolder, hostFrom } from '../../src/shared/data-directory.ts';
import type { RepairReport } from '../../src/integrity/repair.ts';
import type { VerifyReport } from '../../src/integrity/verify.ts';
import { startService } from '../../src/main.ts';
import {
  type KeyFault,
  type Subjects,
  forgetRows,
  harmKeys,
  keyFaults,
  keyedData,
  username,
} from '../support/lost-keys.ts';
import { mitschrift } from '../support/recorded-data.ts';
import { eventually } from '../support/eventually.ts';
import { apiOf, uploadForm } from '../support/service-process.ts';
import { times } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';
import { password, wav } from '../support/http-client.ts';

type Recording = {
  status: string;
  documents: { summary: string } | null;
  notes: { code: string; text: string }[];
};
type Health = { state: string; damage: { kind: string; path?: string; stream?: string }[] };

/** The service as `main.ts` composes it, over a data directory, and somebody logged in. */
async function serve(t: TestContext, data: DataFolder) {
  const host = hostFrom({ ...process.env, MITSCHRIFT_DATA: data.root, MITSCHRIFT_PORT: '0' });
  const env = { MITSCHRIFT_UI_LANGUAGE: 'en' };
  const service = await startService({ host, env, log: pino({ level: 'silent' }) });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= service.close());
  t.after(close);
  const account = { username: 'ada', password };
  // 503 while it starts, and for a moment when rows of an earlier release are removed from the log.
  const { token } = await eventually('ada is logged in', () =>
    apiOf(service.url)
      .post<{ token: string }>('/login', account)
      .catch((error: Error) => {
        if (!error.message.includes(': 503 ')) throw error;
        return null;
      }),
  );
  const request = async (method: string, path: string, body?: object | FormData) => {
    const form = body instanceof FormData;
    const answer = await fetch(service.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined || form ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  return { ...service, token, api: apiOf(service.url, token), request, close };
}

type Served = Awaited<ReturnType<typeof serve>>;

const text = async (service: Served, path: string): Promise<string> =>
  await service.api.get<string>(`/transcripts/${encodeURIComponent(path)}`);

/** Everything but the subjects whose keys are lost is served as ever. */
async function assertOthersServed(service: Served, { wellFinished, wellUnsettled }: Subjects) {
  const well = await service.api.get<Recording>(`/recordings/${wellFinished}`);
  assert.deepEqual([well.status, unreadable(well)], ['IDLE', false]);
  assert.match(await text(service, well.documents!.summary), /\w/);
  let seen: Recording | undefined;
  const went = await eventually(
    () => `what was unfinished goes on: ${JSON.stringify(seen)}`,
    async () => {
      seen = await service.api.get<Recording>(`/recordings/${wellUnsettled}`);
      return seen.status === 'IDLE' && seen;
    },
  );
  assert.ok(went.documents);
  const form = uploadForm(new Uint8Array(wav()), { kind: 'solo' });
  const { recording_id: fresh } = await service.api.post<{ recording_id: string }>(
    '/recordings',
    form,
  );
  // Rows that are built again keep a change waiting that needs all of them.
  const isReady = async () => (await service.request('GET', '/health?ready')).status === 200;
  await eventually(() => 'all is ready', isReady, 60_000);
  const erased = await service.request('DELETE', `/recordings/${fresh}`);
  assert.equal(erased.status, 204, erased.text);
  const { recordings } = await service.api.get<{ recordings: { recording_id: string }[] }>(
    '/recordings',
  );
  assert.equal(recordings.length, 4, 'all are listed');
}

/** Documents that say they are of a recording. */
async function documentsOf(data: DataFolder, recordingId: string): Promise<string[]> {
  const found: string[] = [];
  for (const path of await readdir(data.spaces, { recursive: true })) {
    if (!path.endsWith('.md')) continue;
    const text = await readFile(join(data.spaces, path), 'utf8');
    if (text.includes(recordingId)) found.push(path);
  }
  return found;
}

const unreadable = ({ notes }: Recording): boolean =>
  notes.some(({ code }) => code === 'unreadable');

/** Keys that `verify` names, of a data directory nobody has open. */
async function keysInVerify(data: DataFolder): Promise<string[]> {
  const { code, stdout, stderr } = await mitschrift(data.root, 'verify', '--json');
  assert.equal(code, 1, stderr);
  const { findings, sound } = JSON.parse(stdout) as VerifyReport;
  assert.equal(sound, false);
  const others = findings.filter(({ kind, severity }) => severity === 'damage' && kind !== 'key');
  assert.deepEqual(others, [], 'nothing else is damaged');
  return findings.flatMap(({ kind, path }) => (kind === 'key' && path ? [path] : [])).toSorted();
}

const lostIn = ({ finished, unsettled, user }: Subjects): string[] => [finished, unsettled, user];
const pathsOf = (subjects: readonly string[]) => subjects.map((id) => `keys/${id}`).toSorted();

/** What the service says of the subjects whose keys are lost, and that they can be erased. */
async function assertLostAreNamed(
  service: Served,
  data: DataFolder,
  subjects: Subjects,
  { alsoDoctor = false } = {},
): Promise<void> {
  const { finished, unsettled, user } = subjects;
  for (const id of [finished, unsettled]) {
    const recording = await service.api.get<Recording>(`/recordings/${id}`);
    assert.ok(unreadable(recording), `${id}: ${JSON.stringify(recording.notes)}`);
    const title = await service.request('PATCH', `/recordings/${id}`, { title: 'Another' });
    const problem = JSON.parse(title.text) as { type: string; detail: string };
    assert.deepEqual([title.status, problem.type], [503, '/problems/unreadable'], title.text);
    assert.match(problem.detail, /key/);
  }
  const login = await fetch(`${service.url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  assert.equal(login.status, 401, 'whose name and password cannot be read cannot log in');
  const { health } = await service.api.get<{ health: Health }>('/status');
  assert.equal(health.state, 'damaged');
  const damaged = health.damage.map(({ kind, path }) => [kind, path].join(' '));
  for (const id of [finished, unsettled, user]) assert.ok(damaged.includes(`key keys/${id}`), id);
  assert.equal((await fetch(`${service.url}/health`)).status, 200, 'it can be written');
  if (alsoDoctor) await assertDoctorNamesThem(service, subjects);

  for (const id of [finished, unsettled]) {
    assert.equal((await service.request('DELETE', `/recordings/${id}`)).status, 204);
    assert.deepEqual(
      await documentsOf(data, id),
      [],
      'its documents are found without their names',
    );
    assert.equal((await service.request('GET', `/recordings/${id}`)).status, 404);
    assert.ok(!(await readdir(data.keys)).includes(id));
  }
  const { users } = await service.api.get<{ users: { username: string }[] }>('/users');
  const nameless = users.map((one) => one.username).find((name) => name !== 'ada')!;
  assert.equal((await service.request('DELETE', `/users/${nameless}`)).status, 204);
  const after = await service.api.get<{ health: Health }>('/status');
  assert.deepEqual(after.health.damage, [], 'what was erased is not missed');
}

async function assertDoctorNamesThem(service: Served, subjects: Subjects): Promise<void> {
  type Check = { id: string; status: string; detail: string; remedy: { command: string } | null };
  const { checks } = await service.api.get<{ checks: Check[] }>('/doctor');
  const [log, keys] = ['log', 'keys'].map((wanted) => checks.find(({ id }) => id === wanted)!);
  assert.equal(log!.status, 'ok', 'the log itself is sound');
  assert.equal(keys!.status, 'missing');
  assert.match(keys!.remedy!.command, / verify$/);
  for (const path of pathsOf(lostIn(subjects)))
    assert.ok(keys!.detail.includes(path), keys!.detail);
}

/** Each kind of subject with each fault, in three rounds. */
const rounds = keyFaults.map((_, round) => ({
  faultsOf: (subjects: Subjects): Map<string, KeyFault> =>
    new Map(lostIn(subjects).map((id, kind) => [id, keyFaults[(kind + round) % 3]!])),
  what: ['a finished recording', 'one at work', 'a user']
    .map((kind, index) => `${kind}: ${keyFaults[(index + round) % 3]!}`)
    .join(', '),
}));

test('keys that are lost while the service is down or runs harm only their subjects', async (t) => {
  const { subjects, copy } = await keyedData(t);
  for (const [at, { faultsOf, what }] of rounds.entries()) {
    // Each subject meets each fault in any case, and each fault each moment.
    const isMoment = (moment: number) => times({ short: moment === at, long: true });
    for (const rebuilt of [false, true]) {
      if (!isMoment(Number(rebuilt))) continue;
      const when = rebuilt ? 'before all rows are built again' : 'while down';
      await t.test(`${what} (${when})`, async (round) => {
        const data = await copy();
        await harmKeys(data, faultsOf(subjects));
        if (rebuilt) await forgetRows(data);
        const service = await serve(round, data);
        await assertOthersServed(service, subjects);
        // The doctor looks at all of the host: once is enough.
        const alsoDoctor = what === rounds[0]!.what && !rebuilt;
        await assertLostAreNamed(service, data, subjects, { alsoDoctor });
      });
    }
    if (!isMoment(2)) continue;
    await t.test(`${what} (while it runs)`, async (round) => {
      const data = await copy();
      const service = await serve(round, data);
      await harmKeys(data, faultsOf(subjects));
      await assertOthersServed(service, subjects);
      assert.deepEqual(await keysInVerify(data), pathsOf(lostIn(subjects)));
      await service.close();
      const again = await serve(round, data);
      await assertOthersServed(again, subjects);
      await assertLostAreNamed(again, data, subjects);
    });
  }
});

test('a key that is put back makes its recording readable, though rows were built without it', async (t) => {
  const { subjects, copy } = await keyedData(t);
  const { finished: id, wellFinished } = subjects;
  for (const fault of ['removed', 'swapped'] as const) {
    await t.test(fault, async (round) => {
      const data = await copy();
      const path = join(data.keys, id);
      const key = await readFile(path);
      await harmKeys(data, new Map([[id, fault]]));
      await forgetRows(data);
      const without = await serve(round, data);
      await without.ready;
      assert.ok(unreadable(await without.api.get<Recording>(`/recordings/${id}`)));
      await without.close();
      await writeFile(path, key);
      const again = await serve(round, data);
      await again.ready;
      const one = await again.api.get<Recording & { title: string }>(`/recordings/${id}`);
      assert.deepEqual([typeof one.title, unreadable(one)], ['string', false]);
      assert.match(await text(again, one.documents!.summary), /\w/);
      const { transcripts } = await again.api.get<{ transcripts: { recording_id: string }[] }>(
        '/transcripts',
      );
      const listed = transcripts.map(({ recording_id }) => recording_id);
      assert.ok(listed.includes(id) && listed.includes(wellFinished));
    });
  }
});

test('doctor says which keys are lost while down, repair what they cost, and its result starts', async (t) => {
  const { subjects, copy } = await keyedData(t);
  for (const { faultsOf, what } of rounds.slice(0, times({ short: 1, long: 3 }))) {
    await t.test(what, async (round) => {
      const data = await copy();
      await harmKeys(data, faultsOf(subjects));
      await assertDoctorSays(data, subjects);
      assert.deepEqual(await keysInVerify(data), pathsOf(lostIn(subjects)));
      const out = dataFolder(join(await tempDir(t), 'repaired'));
      await assertRepaired(data, out, faultsOf(subjects));
      const service = await serve(round, out);
      await assertOthersServed(service, subjects);
      await assertLostAreNamed(service, out, subjects);
      await service.close();
      const verified = await mitschrift(out.root, 'verify');
      assert.equal(verified.code, 0, verified.stdout);
    });
  }
});

async function assertDoctorSays(data: DataFolder, subjects: Subjects): Promise<void> {
  const { code, stdout } = await mitschrift(data.root, 'doctor', '--json');
  assert.equal(code, 1);
  type Checks = { checks: { id: string; status: string; detail: string }[] };
  const { checks } = JSON.parse(stdout) as Checks;
  const { status, detail } = checks.find(({ id }) => id === 'keys')!;
  assert.equal(status, 'missing');
  for (const id of lostIn(subjects)) assert.ok(detail.includes(id), detail);
}

/** What `repair` calls a key. */
const reasons = { removed: 'missing', flipped: 'damaged', swapped: 'wrong' };

async function assertRepaired(
  data: DataFolder,
  out: DataFolder,
  faults: ReadonlyMap<string, KeyFault>,
): Promise<void> {
  const { stdout, stderr } = await mitschrift(data.root, 'repair', '--out', out.root, '--json');
  const report = JSON.parse(stdout || stderr) as RepairReport;
  const lost = report.lostKeys.map(({ subject, reason }) => [subject, reason]);
  const expected = [...faults].map(([subject, fault]) => [subject, reasons[fault]]);
  assert.deepEqual(lost.toSorted(), expected.toSorted());
  assert.ok(report.lostKeys.every(({ facts }) => facts > 0));
  const kept = await readdir(out.keys);
  for (const id of faults.keys()) assert.ok(!kept.includes(id), 'bad keys are left out');
}
