import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.ts';
import { type Operation, done, names, some, spoken, talkOf } from './at.ts';
import type { Door } from './door.ts';
import { type Shown, atRest, isGone, linesOf, readTalk, wordsIn } from './reading.ts';
import {
  type Line,
  type Second,
  cut,
  forget,
  join,
  put,
  reassigned,
  renamed,
  textsOf,
  without,
} from './talks.ts';

export const note: Operation = async (at) => {
  const { door, world, random, index, tell } = at;
  const talk = talkOf(at);
  if (!talk) return false;
  const known = (await readTalk(door, talk.id))!.sidenotes;
  const path = `/recordings/${talk.id}/sidenotes`;
  if (known.length > 0 && random.chance(0.4)) {
    const old = random.pick(known);
    const rest = talk.notes.filter(
      ({ text, at: second }) => text !== old.text || second !== old.at,
    );
    if (random.chance(0.5)) {
      tell(`removes note ${old.text} of ${talk.id}`);
      await door.command('DELETE', `${path}/${old.note}`);
      put(world, { ...talk, notes: rest });
    } else {
      const text = `changed${some(random, index)}`;
      tell(`changes note ${old.text} of ${talk.id} to ${text}`);
      done(await door.command('PATCH', `${path}/${old.note}`, { text }));
      put(world, { ...talk, notes: [...rest, { text, at: old.at, mark: old.mark }] });
    }
  } else {
    const mark = random.chance(0.3);
    const text = mark && random.chance(0.5) ? '' : `note${some(random, index)}`;
    // Each at a time of its own, so that also one without words is known again.
    const second = random.below(talk.seconds.length) + 0.1 + (index % 80) / 100;
    const one = { text, at: Math.round(second * 1000) / 1000, mark };
    tell(`writes ${mark ? 'mark' : 'note'} ${text} at ${one.at} of ${talk.id}`);
    done(await door.command('POST', path, mark ? one : { text, at: one.at }));
    put(world, { ...talk, notes: [...talk.notes, one] });
  }
  await atRest(door, talk.id);
  return true;
};

export const correct: Operation = async (at) => {
  const { door, world, random, index, tell } = at;
  const talk = talkOf(at, (one) => spoken(one).length > 0);
  if (!talk) return false;
  const place = random.pick(spoken(talk));
  const second = talk.seconds[place]!;
  const said = Array.from({ length: 1 + random.below(2) }, () => `fixed${some(random, index)}`);
  tell(`corrects ${second.said.join(' ')} of ${talk.id} to ${said.join(' ')}`);
  const { utterances } = (await readTalk(door, talk.id))!;
  const turn = utterances.find(({ text }) => wordsIn(text).includes(second.said[0]!))!;
  const old = new RegExp(second.said.join('\\s+'), 'u');
  const text = turn.text.replace(old, said.join(' '));
  done(await door.command('PATCH', `/recordings/${talk.id}/utterances/${turn.block}`, { text }));
  await atRest(door, talk.id);
  put(world, {
    ...talk,
    seconds: talk.seconds.with(place, { ...second, said, was: [...second.was, ...second.said] }),
  });
  return true;
};

export const editLine: Operation = async (at) => {
  const { door, world, random, index, tell } = at;
  const talk = talkOf(at);
  if (!talk) return false;
  const shown = (await readTalk(door, talk.id))!;
  const own = linesOf(shown);
  const path = `/recordings/${talk.id}/summary`;
  const text = `line${some(random, index)}`;
  if (own.length === 0 || random.chance(0.4)) {
    const kind = random.pick(['task', 'point'] as const);
    const block = random.chance(0.5) ? shown.utterances[0]?.block : undefined;
    tell(`adds ${kind} ${text} to ${talk.id}, on ${block ?? 'nothing'}`);
    const add = { text, kind, ...(block === undefined ? {} : { block }) };
    done(await door.command('PATCH', path, { edits: [{ add }] }));
    put(world, { ...talk, lines: [...talk.lines, { text, kind, done: false }] });
  } else {
    const line = random.pick(own);
    const rest = talk.lines.filter((one) => one.text !== line.text);
    const before = talk.lines.find((one) => one.text === line.text)!;
    const how = random.pick(line.kind === 'task' ? ['text', 'remove', 'done'] : ['text', 'remove']);
    tell(`line ${line.text} of ${talk.id}: ${how} ${how === 'text' ? text : ''}`);
    const wanted = { text: { text }, remove: { remove: true }, done: { done: !before.done } }[how]!;
    done(await door.command('PATCH', path, { edits: [{ line: line.id, ...wanted }] }));
    const after = { text: { ...before, text }, done: { ...before, done: !before.done } };
    const changed = how === 'remove' ? [] : [after[how as 'text' | 'done']];
    put(world, { ...talk, lines: [...rest, ...changed] });
  }
  await atRest(door, talk.id);
  return true;
};

export const rename: Operation = async (at) => {
  const { door, world, random, tell } = at;
  const talk = talkOf(at, ({ seconds }) => seconds.some(({ name }) => name !== null));
  if (!talk) return false;
  const from = random.pick(talk.seconds.flatMap(({ name }) => name ?? []));
  const to = random.pick(names.filter((name) => name !== from));
  tell(`renames ${from} of ${talk.id} to ${to}`);
  const { speakers } = (await readTalk(door, talk.id))!;
  const labels = speakers.flatMap(({ label, name }) => (name === from ? [[label, to]] : []));
  const json = { speakers: Object.fromEntries(labels) as Record<string, string> };
  done(await door.command('PATCH', `/recordings/${talk.id}/speakers`, json));
  await atRest(door, talk.id);
  put(world, renamed(talk, from, to));
  return true;
};

export const entitle: Operation = async (at) => {
  const { door, world, random, index, tell } = at;
  const talk = talkOf(at);
  if (!talk) return false;
  const title = `Title${some(random, index)}`;
  tell(`entitles ${talk.id} ${title}`);
  done(await door.command('PATCH', `/recordings/${talk.id}`, { title }));
  await atRest(door, talk.id);
  put(world, { ...talk, title });
  return true;
};

type Made = { into: string | null };

export const cutIt: Operation = async (at) => {
  const { door, world, random, tell } = at;
  const talk = talkOf(at, ({ seconds }) => seconds.length > 1);
  if (!talk) return false;
  const second = 1 + random.below(talk.seconds.length - 1);
  tell(`cuts ${talk.id} at ${second}`);
  const asked = await door.command<Made>('POST', `/recordings/${talk.id}/cut`, { at: second });
  const into = done(asked).into!;
  const [, behind] = [await atRest(door, talk.id), await eventuallyThere(door, into)];
  const parts = cut(talk, { at: second, into, second: linesOf(behind).map(({ text }) => text) });
  for (const part of parts) put(world, part);
  return true;
};

/** A recording that another led to: it is there within moments. */
async function eventuallyThere(door: Door, id: string): Promise<Shown> {
  await eventually(`${id} is there`, async () => (await readTalk(door, id)) !== null);
  return (await atRest(door, id))!;
}

export const joinThem: Operation = async (at) => {
  const { door, world, tell } = at;
  const talk = talkOf(at);
  // What is in both would be there twice, and words say no more which second is meant.
  const isBoth = ({ number }: Second) =>
    number !== 0 && talk!.seconds.some((one) => one.number === number);
  const isOfBoth = ({ text }: Line) => talk!.lines.some((one) => one.text === text);
  const other =
    talk &&
    talkOf(
      at,
      ({ id, kind, seconds, lines }) =>
        id !== talk.id && kind === talk.kind && !seconds.some(isBoth) && !lines.some(isOfBoth),
    );
  if (!talk || !other) return false;
  tell(`joins ${other.id} to ${talk.id}`);
  const times = await Promise.all(
    [talk, other].map(async ({ id }) => Date.parse((await readTalk(door, id))!.started_at)),
  );
  done(await door.command('POST', `/recordings/${talk.id}/join`, { with: other.id }));
  await atRest(door, talk.id);
  const isBefore = times[1]! < times[0]!;
  const joined = isBefore ? join(other, talk, talk.id) : join(talk, other, talk.id);
  put(world, { ...joined, title: talk.title });
  return true;
};

export const removeSome: Operation = async (at) => {
  const { door, world, random, tell } = at;
  const talk = talkOf(at);
  if (!talk) return false;
  const from = random.below(talk.seconds.length);
  const to = from + 1 + random.below(talk.seconds.length - from);
  const forGood = random.chance(0.5);
  tell(`removes ${from} to ${to} of ${talk.id}${forGood ? ' for good' : ''}`);
  const json = { from, to, for_good: forGood };
  const { into } = done(await door.command<Made>('POST', `/recordings/${talk.id}/remove`, json));
  if (into !== null) {
    await eventuallyThere(door, into);
    await isGone(door, talk.id);
    world.talks.delete(talk.id);
  } else await atRest(door, talk.id);
  forget(world, { seconds: talk.seconds.slice(from, to), notes: [], lines: [] }, forGood);
  put(world, without(talk, from, to, into ?? talk.id));
  return true;
};

export const erase: Operation = async (at) => {
  const { door, world, tell } = at;
  if (world.talks.size < 3) return false;
  const talk = talkOf(at)!;
  tell(`erases ${talk.id}`);
  const { status } = await door.command('DELETE', `/recordings/${talk.id}`);
  assert.ok(status < 300 || status === 404, `DELETE: ${status}`);
  await isGone(door, talk.id);
  world.talks.delete(talk.id);
  // Another that was joined to it, or made of it, has its own files.
  forget(world, talk);
  for (const text of [...world.talks.values()].flatMap(textsOf)) world.forGood.delete(text);
  return true;
};

export const kill: Operation = async ({ door, tell }) => {
  tell('killed');
  await door.kill();
  return true;
};

/** Turns are cut in two, joined, and given to others. */
export const changeTurns: Operation = async (at) => {
  const { door, world, random, index, tell } = at;
  const talk = talkOf(at, (one) => one.kind === 'meeting' && spoken(one).length > 1);
  if (!talk) return false;
  const { utterances } = (await readTalk(door, talk.id))!;
  const place = random.below(utterances.length);
  const { block, text } = utterances[place]!;
  const words = wordsIn(text);
  const path = `/recordings/${talk.id}/utterances/${block}`;
  const speaker = random.chance(0.5) ? random.pick(names) : `Guest${index}`;
  const next = utterances[place + 1];
  if (words.length > 1 && random.chance(0.5)) {
    // Two words for one second are not parted: the second is one person's.
    const firsts = talk.seconds.flatMap(({ said }) => said.slice(0, 1));
    const word = words.findIndex((one, nth) => nth > 0 && firsts.includes(one));
    if (word < 0) return false;
    tell(`splits ${text} of ${talk.id} at ${word}, for ${speaker}`);
    done(await door.command('POST', `${path}/split`, { word, speaker }));
    put(world, reassigned(talk, words.slice(word), speaker));
  } else if (next && random.chance(0.5)) {
    tell(`merges ${text} of ${talk.id} with ${next.text}`);
    const { name } = talk.seconds.find(({ said }) => said.includes(words[0]!))!;
    done(await door.command('POST', `${path}/merge`, { next: next.block }));
    put(world, reassigned(talk, wordsIn(next.text), name));
  } else {
    tell(`gives ${text} of ${talk.id} to ${speaker}`);
    done(await door.command('PATCH', path, { speaker }));
    put(world, reassigned(talk, words, speaker));
  }
  await atRest(door, talk.id);
  return true;
};

export const restore: Operation = async (at) => {
  const { door, world, random, tell } = at;
  const talk = talkOf(at, ({ versions }) => versions.size > 1);
  if (!talk) return false;
  const [version, before] = random.pick([...talk.versions]);
  tell(`restores version ${version} of ${talk.id}`);
  done(await door.command('POST', `/recordings/${talk.id}/versions/${version}/restore`));
  await atRest(door, talk.id);
  const { lines, title, moved } = before;
  const seconds = before.seconds.map((second, nth) => {
    const { said, was } = talk.seconds[nth]!;
    return { ...second, was: [...second.was, ...was, ...said] };
  });
  put(world, { ...talk, seconds, lines, title, moved: moved || talk.moved });
  return true;
};
