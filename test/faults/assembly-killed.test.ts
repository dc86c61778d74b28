import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { seed, seeded, times } from '../support/seeded.ts';
import { type ServiceProcess, apiOf, startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { readingRoom, tellMeetings } from '../web/told-meetings.ts';

const rounds = times({ short: 1, long: 10 });
/** Each takes a turn out of a meeting, which has to go on having enough of them. */
const roundsOfMeeting = 3;

type Note = {
  state: string;
  utterances: { start: number; text: string }[];
  sidenotes: { at: number; text: string }[];
};

/** A command is given, the service killed at a random moment after, and started again; what was asked for is there, once. */
test(`${rounds} times the service is killed while notes are cut, joined and shortened (SEED=${seed})`, async (t) => {
  const random = seeded(seed);
  const dataDir = await tempDir(t);
  let service: ServiceProcess = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGKILL'));
  const login = { username: 'ada', password: 'correct horse battery' };
  await apiOf(service.url).post('/setup', login);
  await service.end('SIGTERM');
  const meetings = Array.from({ length: Math.ceil(rounds / roundsOfMeeting) }, () => readingRoom);
  const told = await tellMeetings(dataDir, meetings);
  service = await startServiceProcess(dataDir);
  const { token } = await apiOf(service.url).post<{ token: string }>('/login', login);
  const read = (id: string) => apiOf(service.url, token).get<Note>(`/recordings/${id}`);
  const state = async (id: string) => (await read(id).catch(() => null))?.state;
  const samples = async (id: string): Promise<Buffer> => {
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await fetch(`${service.url}/recordings/${id}/audio`, { headers });
    assert.equal(answer.status, 200);
    return Buffer.from(await answer.arrayBuffer()).subarray(44);
  };
  const wordsOf = ({ utterances }: Note) => utterances.map(({ text }) => text).join(' ');
  const atRest = async (id: string) =>
    await eventually(`${id} is at rest`, async () => (await state(id)) === 'idle.saved');

  /** Gives the command with a key, kills the service meanwhile, and gives it again, as the page does. */
  const killed = async (path: string, json: object, key: string): Promise<string | null> => {
    const send = () =>
      apiOf(service.url, token, { 'idempotency-key': key }).post<{ into: string | null }>(
        path,
        json,
      );
    const lost = send().catch(() => null);
    await sleep(random.below(250));
    await service.end('SIGKILL');
    await lost;
    service = await startServiceProcess(dataDir);
    return (await send()).into;
  };

  let id = '';
  for (let round = 0; round < rounds; round += 1) {
    if (round % roundsOfMeeting === 0) {
      id = told[round / roundsOfMeeting]!;
      const notes = apiOf(service.url, token);
      await notes.post(`/recordings/${id}/sidenotes`, { at: 3, text: 'early' });
      await notes.post(`/recordings/${id}/sidenotes`, { at: 60, text: 'late' });
      await atRest(id);
    }
    const [whole, before] = [await samples(id), await read(id)];
    const cut = before.utterances[4]!.start;
    const into = await killed(`/recordings/${id}/cut`, { at: cut }, `cut-${round}`);
    await atRest(id);
    await atRest(into!);
    const parts = await Promise.all([samples(id), samples(into!)]);
    assert.ok(Buffer.concat(parts).equals(whole), 'each second is in one part');
    const [first, second] = [await read(id), await read(into!)];
    assert.equal(`${wordsOf(first)} ${wordsOf(second)}`, wordsOf(before));
    const notes = [...first.sidenotes, ...second.sidenotes].map(({ text }) => text);
    assert.deepEqual(notes.toSorted(), ['early', 'late']);

    await killed(`/recordings/${id}/join`, { with: into }, `join-${round}`);
    await atRest(id);
    const joined = await read(id);
    assert.ok((await samples(id)).equals(whole), 'joined again it is what it was');
    assert.equal(wordsOf(joined), wordsOf(before));
    assert.deepEqual(
      joined.sidenotes.map(({ at, text }) => [Math.round(at), text]),
      [
        [3, 'early'],
        [60, 'late'],
      ],
    );

    const { utterances } = joined;
    const passage = { from: utterances[2]!.start, to: utterances[3]!.start - 0.01 };
    const forGood = { ...passage, for_good: true };
    const rest = await killed(`/recordings/${id}/remove`, forGood, `remove-${round}`);
    await atRest(rest!);
    await eventually('the old one is erased', async () => (await state(id)) !== 'idle.saved');
    const left = await read(rest!);
    const kept = utterances.filter((_, at) => at !== 2).map(({ text }) => text);
    assert.equal(wordsOf(left), kept.join(' '));
    assert.equal((await samples(rest!)).length, whole.length);
    assert.equal(left.sidenotes.length, 2);
    id = rest!;
  }
});

for (const isRestarted of [false, true])
  test(`what was to be replaced for good is made itself when its replacement was deleted before it was written${isRestarted ? ', also after a restart' : ''}`, async (t) => {
    const dataDir = await tempDir(t);
    let service: ServiceProcess = await startServiceProcess(dataDir);
    t.after(async () => await service.end('SIGKILL'));
    const login = { username: 'ada', password: 'correct horse battery' };
    await apiOf(service.url).post('/setup', login);
    await service.end('SIGTERM');
    const [id] = await tellMeetings(dataDir, [readingRoom]);
    service = await startServiceProcess(dataDir);
    const { token } = await apiOf(service.url).post<{ token: string }>('/login', login);
    const read = (one: string) => apiOf(service.url, token).get<Note>(`/recordings/${one}`);
    const reaches = (one: string, wanted: string) =>
      eventually(`${one} is ${wanted}`, async () => (await read(one)).state === wanted);
    await reaches(id!, 'idle.saved');
    const { utterances } = await read(id!);
    // Nothing can be written where the documents are to be.
    const spaces = join(dataDir, 'spaces');
    await rm(spaces, { recursive: true, force: true });
    await writeFile(spaces, '');
    const { into } = await apiOf(service.url, token).post<{ into: string }>(
      `/recordings/${id}/remove`,
      { from: utterances[2]!.start, to: utterances[3]!.start - 0.01, for_good: true },
    );
    await reaches(into, 'error');
    await rm(spaces);
    if (isRestarted) {
      await service.end('SIGTERM');
      service = await startServiceProcess(dataDir);
    }
    const headers = { Authorization: `Bearer ${token}` };
    const deleted = await fetch(`${service.url}/recordings/${into}`, { method: 'DELETE', headers });
    assert.ok(deleted.ok, await deleted.text());
    await reaches(id!, 'idle.saved');
    const left = (await read(id!)).utterances.map(({ text }) => text);
    const kept = utterances.filter((_, at) => at !== 2).map(({ text }) => text);
    assert.equal(left.join(' '), kept.join(' '));
  });
