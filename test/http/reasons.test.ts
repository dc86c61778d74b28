import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { leading } from '../../events/facts/counting.ts';
import { recordingStream } from '../../events/facts/recording.ts';
import { toMachineEvent } from '../../machines/context.ts';
import { initialState, nextSnapshot } from '../../machines/recording.ts';
import { stateName } from '../../machines/states.ts';
import { browserClient } from '../support/browser-client.ts';
import { type TestService, withAda } from '../support/http-client.ts';

/*
 * Every fact that leads to documents happens, by the door that people use, and each reader is asked for what led to the
 * newest version: HTTP, the machine, and the documents on the disk.
 */

type Leading = keyof typeof leading;
type World = { service: TestService; token: string; id: string };
type Recording = {
  documents: Record<'index', string>;
  utterances: { block: string }[];
  summary: { lines: { id: string; kind: string }[] };
};

test('why there is another version of the documents is one answer, whoever is asked', async (t) => {
  const meeting = await imported(t);
  const agreed: Leading[] = ['audio.imported'];
  // Documents are of what somebody asked for first, until speakers were named.
  await newestIs(meeting, 'speakers.named');
  agreed.push('speakers.named');
  for (const [type, happens] of Object.entries(byHttp)) {
    await happens(meeting);
    await newestIs(meeting, type as Leading);
    agreed.push(type as Leading);
  }
  const { recorded, late } = await fromBrowser(t);
  await newestIs(recorded, 'recording.started');
  await late();
  await newestIs(recorded, 'audio.extended');
  agreed.push('recording.started', 'audio.extended');
  assert.deepEqual(agreed.toSorted(), Object.keys(leading).toSorted(), 'nothing is left out');
});

/** What people do to a meeting with documents. The compiler asks for what is new. */
const byHttp: Record<Exclude<Leading, Begun>, (world: World) => Promise<unknown>> = {
  'title.changed': (world) => change(world, { title: 'Second thoughts' }),
  'language.set': (world) => change(world, { language: 'de' }),
  'start.changed': (world) => change(world, { started_at: '2026-01-02T03:04:00Z' }),
  'turn.edited': (world) => ask(world, 'PATCH', '/utterances/0', { text: 'Well, hello there.' }),
  'turns.recut': (world) => ask(world, 'POST', '/utterances/0/split', { word: 1 }),
  'speakers.renamed': (world) =>
    ask(world, 'PATCH', '/speakers', { speakers: { SPEAKER_1: 'Bea' } }),
  'document.edited': async ({ service, token, id }) => {
    const { documents } = await recordingOf({ service, token, id });
    const path = `/transcripts/${encodeURIComponent(documents.index)}`;
    const etag = (await service.call(`GET`, path, { token })).headers.get('etag') ?? '';
    const headers = { 'If-Match': etag, 'Content-Type': 'text/markdown' };
    const body = 'In my own words.';
    assert.ok((await service.call('PUT', path, { token, body, headers })).status < 300);
  },
  'sidenote.written': (world) => ask(world, 'POST', '/sidenotes', { at: 1, text: 'Ask Änne.' }),
  'sidenote.edited': (world) => ask(world, 'PATCH', '/sidenotes/1', { text: 'Ask Bea.' }),
  'sidenote.removed': (world) => ask(world, 'DELETE', '/sidenotes/1', {}),
  'summary.edited': (world) =>
    ask(world, 'PATCH', '/summary', { edits: [{ add: { text: 'Ask Änne.', kind: 'task' } }] }),
  'task.checked': async (world) => {
    const { summary } = await recordingOf(world);
    const line = summary.lines.find(({ kind }) => kind === 'task')?.id;
    await ask(world, 'PATCH', '/summary', { edits: [{ line, done: true }] });
  },
  'documents.outdated': async (world) => {
    const { service, token } = world;
    const json = { name: 'Clients' };
    const made = await service.call<{ id: string }>('POST', '/folders', { token, json });
    await change(world, { folder: made.body.id });
    await eventually('the documents say so', async () => {
      const path = `/recordings/${world.id}/versions`;
      type Versions = { versions: { why: string[] }[] };
      const { versions } = (await service.call<Versions>('GET', path, { token })).body;
      return versions[0]?.why.includes('documents.outdated') === true;
    });
  },
  'version.restored': (world) => ask(world, 'POST', '/versions/1/restore', {}),
  'reprocessing.requested': async (world) => {
    await ask(world, 'POST', '/reprocess', { from: 'language-model' });
    await world.service.reaches(world.id, 'idle.saved');
  },
  'speakers.skipped': async (world) => {
    await ask(world, 'POST', '/reprocess', { from: 'diarize' });
    await world.service.reaches(world.id, 'awaiting-speakers');
    await world.service.named(world.token, world.id);
  },
  'recording.cut': (world) => ask(world, 'POST', '/cut', { at: 1.5 }),
  'passage.removed': (world) => ask(world, 'POST', '/remove', { from: 0.2, to: 0.4 }),
  'recording.joined': async (world) => {
    const { service, token } = world;
    const other = (await service.upload(token, { kind: 'meeting' })).body.recording_id;
    await named(service, token, other);
    await service.reaches(other, 'idle.saved');
    await ask(world, 'POST', '/join', { with: other });
  },
  'kind.changed': (world) => change(world, { kind: 'solo' }),
  'recording.handed_over': async (world) => {
    await world.service.addUser('ben');
    await change(world, { owner: 'ben' });
    world.token = await world.service.login('ben');
  },
};
type Begun = 'recording.started' | 'audio.imported' | 'audio.extended' | 'speakers.named';

/** Every reader names it as what led to the newest version. */
async function newestIs(world: World, type: Leading): Promise<void> {
  const { service, token, id } = world;
  await service.reaches(id, 'idle.saved');
  const path = `/recordings/${id}/versions`;
  const { body } = await service.call<{ versions: { version: number; why: string[] }[] }>(
    'GET',
    path,
    { token },
  );
  const { version, why } = body.versions[0]!;
  const machine = await movedBy(world);
  const documents = await onDisk(world);
  assert.deepEqual(
    {
      http: why.at(-1),
      machine: machine.get(version),
      documents: documents && machine.get(documents),
    },
    { http: type, machine: type, documents: type },
  );
}

/** By version of the documents, the last fact that had the machine begin to work where nothing ran. */
async function movedBy({ service, id }: World): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  let snapshot = initialState(id);
  let moved = '';
  let isCarried = false;
  for await (const fact of service.store.read(recordingStream(id))) {
    const before = stateName(snapshot.value);
    snapshot = nextSnapshot(snapshot, toMachineEvent(fact));
    const began = !isWork(before) && isWork(stateName(snapshot.value));
    // What is carried over from other recordings comes as the facts of a run.
    if (fact.type === 'audio.assembled') isCarried = true;
    if ((began && !isCarried) || fact.type === 'audio.extended') moved = fact.type;
    if (fact.type === 'documents.saved') isCarried = false;
    if (fact.type === 'documents.saved') found.set(fact.data.version, moved);
  }
  return found;
}
const isWork = (state: string): boolean => /^(?:recording|transcribing)/u.test(state);

/** Which version the index on the disk is: ours by its hash, a person's own by what they wrote. */
async function onDisk({ service, token, id }: World): Promise<number | undefined> {
  const { documents } = await recordingOf({ service, token, id });
  let version: number | undefined;
  let file = '';
  let owner = '';
  for await (const fact of service.store.read(recordingStream(id))) {
    if ('owner' in fact.data) owner = fact.data.owner;
    if (fact.type !== 'documents.saved') continue;
    file = await readFile(join(service.dataDir, 'spaces', owner, documents.index), 'utf8').catch(
      () => file,
    );
    const sha256 = createHash('sha256').update(file).digest('hex');
    if (sha256 === fact.data.sha256.index || fact.data.kept.includes('index'))
      version = fact.data.version;
  }
  return version;
}

async function imported(t: TestContext): Promise<World> {
  const { service, token } = await withAda(t);
  const { recording_id: id } = (await service.upload(token, { kind: 'meeting' })).body;
  await named(service, token, id);
  return { service, token, id };
}

async function named(service: TestService, token: string, id: string): Promise<void> {
  await service.reaches(id, 'awaiting-speakers');
  const json = { recording_id: id, speakers: { SPEAKER_1: 'Ann', SPEAKER_2: 'Ben' } };
  assert.equal((await service.call('POST', '/speakers', { token, json })).status, 200);
}

/** A recording of a browser that has more of it when it has ended. */
async function fromBrowser(t: TestContext) {
  const { service, token } = await withAda(t, { stages: { capture: undefined } });
  const rate = 16_000;
  const pcm = randomBytes(2 * 2 * rate);
  const open = (recordingId?: string) =>
    browserClient({
      url: () => service.url,
      token,
      pcm,
      rate,
      frameSamples: 800,
      kind: 'solo',
      ...(recordingId === undefined ? {} : { recordingId }),
    });
  const first = open();
  await first.sendTo(rate);
  const recorded = { service, token, id: (await first.stop()).recording_id! };
  return {
    recorded,
    async late() {
      const more = open(recorded.id);
      await more.sendTo(2 * rate);
      await more.stop();
    },
  };
}

const recordingOf = async ({ service, token, id }: World): Promise<Recording> =>
  (await service.call<Recording>('GET', `/recordings/${id}`, { token })).body;

async function ask({ service, token, id }: World, method: string, below: string, json: object) {
  const { status, body } = await service.call(method, `/recordings/${id}${below}`, { token, json });
  assert.ok(status < 300, `${method} ${below}: ${status} ${JSON.stringify(body)}`);
}

const change = (world: World, json: object) => ask(world, 'PATCH', '', json);
