import type { Kind } from '../../events/facts/recording.ts';
import assert from 'node:assert/strict';
import { browserClient } from '../support/browser-client.ts';
import { rate, spelled } from '../support/spelled-audio.ts';
import { uploadForm } from '../support/service-process.ts';
import { type At, type Operation, done, names, some, spoken, talkOf } from './at.ts';
import { atRest, isGone } from './reading.ts';
import { type Note, type Talk, join, labelOf, newTalk, put, secondsOf } from './talks.ts';

const secondsMax = 6;

const numbersFor = ({ random, number }: At, most = secondsMax): number[] =>
  Array.from({ length: 2 + random.below(most - 1) }, (_, at) => number + 2 * at + random.below(2));

/** Waits for a meeting's question who speaks, and answers it. Says how they are called by their numbers. */
async function nameVoices(at: At, id: string): Promise<(number: number) => string | null> {
  const waiting = await atRest(at.door, id, ['awaiting-speakers']);
  assert.ok(waiting, `${id} waits for names`);
  const chosen = Object.fromEntries(
    waiting.speakers_pending.map(({ label }) => [label, at.random.pick(names)]),
  );
  at.tell(`named ${JSON.stringify(chosen)}`);
  const json = { recording_id: id, speakers: chosen };
  done(await at.door.command('POST', '/speakers', json));
  return (number) => chosen[labelOf(number)] ?? null;
}

export const upload: Operation = async (at) => {
  const { door, world, random, tell } = at;
  const kind: Kind = random.pick(['solo', 'meeting']);
  const numbers = numbersFor(at);
  tell(`uploads a ${kind} of ${numbers.join(' ')}`);
  const audio = Buffer.from(spelled(numbers));
  const form = uploadForm(audio, { kind }, 'talk.wav');
  const { recording_id: id } = done(
    await door.command<{ recording_id: string }>('POST', '/recordings', form),
  );
  const nameOf = kind === 'meeting' ? await nameVoices(at, id) : () => null;
  await atRest(door, id);
  put(world, newTalk({ id, kind, seconds: secondsOf(numbers, nameOf) }));
  return true;
};

/** A browser records it; notes are written meanwhile, and the service may be killed. */
async function recorded(at: At, kind: Kind, continues?: string): Promise<Talk> {
  const { door, random, index, tell } = at;
  const numbers = numbersFor(at);
  const pcm = Buffer.from(spelled(numbers).subarray(44));
  const behind = continues === undefined ? '' : ` behind ${continues}`;
  const client = browserClient({
    url: door.url,
    token: door.token,
    pcm,
    rate,
    frameSamples: rate / 10,
    kind,
    ...(continues === undefined ? {} : { continues }),
  });
  const notes: Note[] = [];
  const stops = 1 + random.below(numbers.length);
  await client.sendTo(stops * rate);
  const id = client.recordingId()!;
  tell(`records ${id}${behind}, a ${kind} of ${numbers.join(' ')}`);
  if (random.chance(0.5)) {
    const note = { text: `during${some(random, index)}`, at: stops - 0.5, mark: false };
    const { text, at: second } = note;
    done(await door.command('POST', `/recordings/${id}/sidenotes`, { text, at: second }));
    notes.push(note);
  }
  if (random.chance(0.3)) {
    tell('killed while it is recorded');
    await door.kill();
  }
  await client.sendTo(numbers.length * rate);
  await client.stop();
  const nameOf = kind === 'meeting' ? await nameVoices(at, id) : () => null;
  return newTalk({ id, kind, seconds: secondsOf(numbers, nameOf), notes });
}

export const record: Operation = async (at) => {
  const { door, world, random } = at;
  const talk = await recorded(at, random.pick(['solo', 'meeting']));
  await atRest(door, talk.id);
  put(world, talk);
  return true;
};

export const continueIt: Operation = async (at) => {
  const { door, world } = at;
  const talk = talkOf(at);
  if (!talk) return false;
  const part = await recorded(at, talk.kind, talk.id);
  await isGone(door, part.id);
  await atRest(door, talk.id);
  put(world, join(talk, part, talk.id));
  return true;
};

export const reprocess: Operation = async (at) => {
  const { door, world, tell } = at;
  const talk = talkOf(at, (one) => spoken(one).length > 0 && !one.moved);
  if (!talk) return false;
  tell(`recognises ${talk.id} again`);
  const json = { from: 'speech-to-text' };
  done(await door.command('POST', `/recordings/${talk.id}/reprocess`, json));
  const nameOf = talk.kind === 'meeting' ? await nameVoices(at, talk.id) : () => null;
  await atRest(door, talk.id);
  const seconds = talk.seconds.map((one) =>
    one.number === 0 ? one : { ...one, name: nameOf(one.number) },
  );
  put(world, { ...talk, seconds });
  return true;
};
