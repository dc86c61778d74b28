import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { filesBelow } from '../support/files-below.ts';
import { startService, type TestService } from '../support/http-client.ts';

type Voice = { label: string; seconds: number; embedding: number[] };
type Sample = { start: number; end: number };
type Suggestion = {
  label: string;
  suggested_name: string | null;
  reason: string | null;
  sample: Sample | null;
};
type Confirmation = {
  n: number;
  recording_id: string;
  labels: string[];
  counts: boolean;
  sample: Sample | null;
};
type Profile = { id: string; name: string; seconds: number; confirmations: Confirmation[] };

/** Two people as one model hears them, once more of one of them, and a third. */
const ada = [1, 0, 0];
const adaAgain = [0.95, 0.3, 0];
const ben = [0, 1, 0];
const cem = [0, 0.1, 1];

const voice = (index: number, embedding: number[], seconds = 20): Voice => ({
  label: `SPEAKER_0${index}`,
  seconds,
  embedding,
});

test('voices that a person named are known in later meetings, until that is taken back', async (t) => {
  const { service, meeting } = await hearing(t);
  const token = await service.setUp();
  const people = async () =>
    (await service.call<{ people: string[] }>('GET', '/people', { token })).body.people;
  const profiles = async () =>
    (await service.call<{ profiles: Profile[] }>('GET', '/speakers/profiles', { token })).body
      .profiles;
  const name = (id: string, speakers: Record<string, string>) => service.named(token, id, speakers);

  const first = await meeting(token, [voice(0, ada), voice(1, ben, 5)]);
  const asked = await suggested(service, token, first);
  assert.deepEqual(
    asked.map((one) => one.suggested_name),
    [null, null],
  );
  await name(first, { SPEAKER_00: 'Ada', SPEAKER_01: 'Ben' });
  assert.deepEqual((await people()).toSorted(), ['Ada', 'Ben']);
  // Of Ben there were five seconds: too little to know him by.
  assert.deepEqual(
    (await profiles()).map((one) => [one.name, one.seconds]),
    [['Ada', 20]],
  );
  const { start, end } = asked[0]!.sample!;
  assert.deepEqual((await profiles())[0]!.confirmations[0]!.sample, { start, end }, 'to be played');

  const second = await meeting(token, [voice(0, ben), voice(1, adaAgain)]);
  assert.deepEqual(
    (await suggested(service, token, second)).map((one) => [one.suggested_name, one.reason]),
    [
      [null, null],
      ['Ada', 'the voice is similar to earlier recordings'],
    ],
  );
  // Wrong, and corrected afterwards: nothing of it is left.
  await name(second, { SPEAKER_01: 'Mallory' });
  assert.deepEqual((await profiles()).map((one) => one.name).toSorted(), ['Ada', 'Mallory']);
  const json = { speakers: { SPEAKER_01: 'Ada' } };
  await service.call('PATCH', `/recordings/${second}/speakers`, { token, json });
  const [both, ...others] = await profiles();
  assert.deepEqual([both?.name, both?.confirmations.length, others], ['Ada', 2, []]);
  assert.deepEqual((await people()).toSorted(), ['Ada', 'Ben']);

  // One confirmation is taken back; a name given anew in the same recording does not bring it back.
  const wrong = both!.confirmations.find((one) => one.recording_id === second)!;
  const path = `/speakers/profiles/${both!.id}`;
  const revoke = () => service.call('DELETE', `${path}/confirmations/${wrong.n}`, { token });
  assert.deepEqual([(await revoke()).status, (await revoke()).status], [204, 404]);
  await service.call('PATCH', `/recordings/${second}/speakers`, {
    token,
    json: { speakers: { SPEAKER_00: 'Ben' } },
  });
  assert.deepEqual(
    (await profiles()).map((one) => [one.name, one.confirmations.map((c) => c.recording_id)]),
    [
      ['Ben', [second]],
      ['Ada', [first]],
    ],
  );

  const renamed = await service.call<Profile>('PATCH', path, {
    token,
    json: { name: ' Ada  Lovelace ' },
  });
  assert.equal(renamed.body.name, 'Ada Lovelace');
  assert.equal(renamed.body.id, both!.id);
  const kept = await service.call<{ speakers: { name: string }[] }>('GET', `/recordings/${first}`, {
    token,
  });
  assert.equal(kept.body.speakers[0]?.name, 'Ada');

  // Another user knows none of them, and cannot get at them.
  const stranger = await service.addUser('ben');
  const theirs = await meeting(stranger, [voice(0, ada), voice(1, cem)]);
  assert.deepEqual(
    (await suggested(service, stranger, theirs)).map((one) => one.suggested_name),
    [null, null],
  );
  for (const [method, at] of [
    ['DELETE', `/speakers/profiles/${renamed.body.id}`],
    ['GET', '/speakers/profiles?owner=guest'],
  ] as const) {
    assert.equal((await service.call(method, at, { token: stranger })).status, 404);
  }

  // An erased recording leaves nothing.
  await service.call('DELETE', `/recordings/${first}`, { token });
  assert.deepEqual(
    (await profiles()).map((one) => one.name),
    ['Ben'],
  );
  assert.deepEqual(await people(), ['Ben']);
  await service.call('DELETE', `/recordings/${second}`, { token });
  for (const guess of ['Ada', 'Ada Lovelace', 'Mallory', 'Ben']) {
    assert.deepEqual(await filesWith(service.dataDir, guess), [], `${guess} can be confirmed`);
  }
});

test('a voice unlike the profile is kept apart, the answer says so, and two people of one name are two', async (t) => {
  const { service, meeting } = await hearing(t);
  const token = await service.setUp();
  const profiles = async () =>
    (await service.call<{ profiles: Profile[] }>('GET', '/speakers/profiles', { token })).body
      .profiles;
  const name = async (voices: Voice[], speakers: Record<string, string>) => {
    const id = await meeting(token, voices);
    const json = { recording_id: id, speakers };
    const { body } = await service.call<{ unlike: object[] }>('POST', '/speakers', { token, json });
    await service.reaches(id, 'idle.saved');
    return body.unlike;
  };
  assert.deepEqual(
    await name([voice(0, ada), voice(1, ben)], { SPEAKER_00: 'Ada', SPEAKER_01: 'Ben' }),
    [],
  );
  assert.deepEqual(await name([voice(0, adaAgain)], { SPEAKER_00: 'Ada' }), []);
  // A second Ada, and Ben’s voice with her name.
  assert.deepEqual(
    await name([voice(0, cem), voice(1, ben)], { SPEAKER_00: 'Ada', SPEAKER_01: 'Ada' }),
    [
      { label: 'SPEAKER_00', name: 'Ada', sounds_like: null },
      { label: 'SPEAKER_01', name: 'Ada', sounds_like: 'Ben' },
    ],
  );
  const named = await profiles();
  assert.deepEqual(named.map((one) => [one.name.toLowerCase(), one.seconds]).toSorted(), [
    ['ada', 20],
    ['ada', 20],
    ['ada', 40],
    ['ben', 20],
  ]);
  // Taken back, it is nobody’s; the others stay.
  const isWrong = ({ name: of, confirmations }: Profile) =>
    of === 'Ada' && confirmations[0]!.labels[0] === 'SPEAKER_01';
  const wrong = named.find(isWrong)!;
  await service.call('DELETE', `/speakers/profiles/${wrong.id}`, { token });
  assert.equal((await profiles()).length, 3);
  const next = await meeting(token, [voice(0, cem), voice(1, adaAgain)]);
  assert.deepEqual(
    (await suggested(service, token, next)).map((one) => one.suggested_name?.toLowerCase()),
    ['ada', 'ada'],
  );
});

test('mixed speech, another model, and voices that are not to be remembered say nothing', async (t) => {
  const { service, meeting } = await hearing(t);
  const token = await service.setUp();
  const listed = async () =>
    (
      await service.call<{ enabled: boolean; profiles: Profile[] }>('GET', '/speakers/profiles', {
        token,
      })
    ).body;
  const named = async () => (await listed()).profiles.map((one) => one.name).toSorted();
  const name = (id: string, speakers: Record<string, string>) => service.named(token, id, speakers);
  // Two that were not told apart; then a label that is of two; then one most of which is another's.
  await name(await meeting(token, [voice(0, ada), voice(1, adaAgain)]), {
    SPEAKER_00: 'Ada',
    SPEAKER_01: 'Ben',
  });
  await name(await meeting(token, [voice(0, ada), voice(1, ben)]), { SPEAKER_00: 'Ada & Ben' });
  const moved = await meeting(token, [voice(0, ada), voice(1, ben)]);
  const json = { speaker: 'Cem' };
  await service.call('PATCH', `/recordings/${moved}/utterances/0`, { token, json });
  await name(moved, { SPEAKER_00: 'Ada' });
  assert.deepEqual(await named(), []);
  // Two labels of one name are one person.
  await name(await meeting(token, [voice(0, ada), voice(1, adaAgain)]), {
    SPEAKER_00: 'Ada',
    SPEAKER_01: 'Ada',
  });
  assert.deepEqual(
    (await listed()).profiles.map((one) => [one.name, one.seconds, one.confirmations.length]),
    [['Ada', 40, 1]],
  );

  const other = await meeting(token, [voice(0, ada), voice(1, ben)], 'another model');
  assert.equal((await suggested(service, token, other))[0]?.suggested_name, null);
  await service.call('POST', '/speakers', { token, json: { recording_id: other, skip: true } });

  const off = { speakers: { profiles: false } };
  await service.call('PUT', '/config', { token, json: off });
  const unheard = await meeting(token, [voice(0, cem), voice(1, ada)]);
  assert.equal((await suggested(service, token, unheard))[1]?.suggested_name, null);
  await name(unheard, { SPEAKER_00: 'Cem' });
  assert.deepEqual([(await listed()).enabled, await named()], [false, ['Ada']]);
  const gone = await service.call('DELETE', '/speakers/profiles', { token });
  assert.deepEqual([gone.status, (await listed()).profiles], [204, []]);
  // Also what would only have been measured again, since a turn was moved.
  const { events } = (
    await service.call<{ events: { type: string }[] }>('GET', `/recordings/${moved}/events`, {
      token,
    })
  ).body;
  assert.ok(events.some(({ type }) => type === 'voice.revoked'));
});

test('voices that one user named are no profiles of the user that the recording is handed to', async (t) => {
  const { service, meeting } = await hearing(t);
  const token = await service.setUp();
  const theirs = await service.addUser('ben');
  const profiles = async (of: string) =>
    (await service.call<{ profiles: Profile[] }>('GET', '/speakers/profiles', { token: of })).body
      .profiles;
  const id = await meeting(token, [voice(0, ada), voice(1, cem)]);
  await service.named(token, id, { SPEAKER_00: 'Ada', SPEAKER_01: 'Cem' });
  assert.equal((await profiles(token)).length, 2);
  await service.call('PATCH', `/recordings/${id}`, { token, json: { owner: 'ben' } });
  await service.reaches(id, 'idle.saved');
  assert.deepEqual([await profiles(token), await profiles(theirs)], [[], []]);
  const next = await meeting(theirs, [voice(0, ada), voice(1, cem)]);
  assert.deepEqual(
    (await suggested(service, theirs, next)).map((one) => one.suggested_name),
    [null, null],
  );
});

/** Files below a folder in which a hash of a name stands, by which a guess could be confirmed. */
async function filesWith(folder: string, name: string): Promise<string[]> {
  const marks = [name, name.toLowerCase()].flatMap((one) => {
    const hash = createHash('sha256').update(one).digest();
    return [hash.toString('hex').slice(0, 32), hash.toString('base64url').slice(0, 20), hash];
  });
  const files = await filesBelow(folder);
  return files
    .filter(({ bytes }) => marks.some((mark) => bytes.includes(mark)))
    .map(({ path }) => path);
}

/** A service that tells two speakers apart, and how to have it hear a meeting of these voices. */
async function hearing(t: Parameters<typeof startService>[0]) {
  let heard: { voices: Voice[]; model: string } = { voices: [], model: '' };
  const diarize: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'diarize', concurrency: 1 });
    await job.append({
      type: 'diarization.completed',
      data: {
        engine: 'scripted',
        model: null,
        turns: [
          [0, 1, 'SPEAKER_00'],
          [1, 2, 'SPEAKER_01'],
        ],
      },
      content: { embedding_model: heard.model, voices: heard.voices },
    });
  };
  const service = await startService(t, {
    stages: { diarize, join: undefined, punctuate: undefined },
  });
  return {
    service,
    async meeting(token: string, voices: Voice[], model = 'voices'): Promise<string> {
      heard = { voices, model };
      return await service.settled(token, { kind: 'meeting' });
    },
  };
}

async function suggested(service: TestService, token: string, id: string): Promise<Suggestion[]> {
  const { body } = await service.call<{ speakers_pending: Suggestion[] }>(
    'GET',
    `/recordings/${id}`,
    { token },
  );
  return body.speakers_pending;
}

test('whoever names the speakers of somebody else’s meeting stores no voice, for the owner or for themselves', async (t) => {
  const { service, meeting } = await hearing(t);
  await service.setUp();
  const [owen, cora] = [await service.addUser('owen'), await service.addUser('cora')];
  const id = await meeting(owen, [voice(0, ada), voice(1, ben)]);
  await service.call('PUT', `/recordings/${id}/access`, {
    token: owen,
    json: { user: 'cora', role: 'correct' },
  });
  const profiles = async (token: string) =>
    (await service.call<{ profiles: Profile[] }>('GET', '/speakers/profiles', { token })).body
      .profiles;
  const speakers = { SPEAKER_00: 'Ada', SPEAKER_01: 'Ben' };
  const named = await service.call('POST', '/speakers', {
    token: cora,
    json: { recording_id: id, speakers },
  });
  assert.equal(named.status, 200);
  await service.reaches(id, 'idle.saved');
  const renamed = { token: cora, json: { speakers: { SPEAKER_00: 'Cem' } } };
  assert.equal((await service.call('PATCH', `/recordings/${id}/speakers`, renamed)).status, 200);
  assert.deepEqual([await profiles(owen), await profiles(cora)], [[], []]);
  const again = { token: owen, json: { speakers: { SPEAKER_00: 'Ada' } } };
  await service.call('PATCH', `/recordings/${id}/speakers`, again);
  assert.deepEqual(
    (await profiles(owen)).map(({ name }) => name),
    ['Ada'],
  );
});
