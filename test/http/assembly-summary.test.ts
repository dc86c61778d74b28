import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLog } from '../../src/recordings/check-log.ts';
import { type World, ask, meeting, read, spelledWorld } from '../support/spelled-world.ts';

/*
 * What people made of a summary goes where what it is about goes, when recordings are cut, joined and shortened.
 */

type Line = { id: string; text: string; kind: string; done: boolean; edited_by: string | null };

const linesOf = async (at: World, id: string): Promise<Line[]> => {
  const { summary } = (await read(at.service, at.token, id)) as unknown as {
    summary: { lines: Line[] };
  };
  return summary.lines.filter(({ edited_by }) => edited_by !== null);
};
const textsOf = async (at: World, id: string) => (await linesOf(at, id)).map(({ text }) => text);

/** A meeting with a checked task and a point on its last passage, and a task on nothing. */
async function summarised(at: World, numbers: number[]): Promise<string> {
  const id = await meeting(at, numbers);
  const { utterances } = await read(at.service, at.token, id);
  const edits = [
    { add: { text: 'Write to Ann', kind: 'task' } },
    { add: { text: 'Call Ben', kind: 'task', done: true, block: utterances.at(-1)!.block } },
    { add: { text: 'It was late', kind: 'point', block: utterances.at(-1)!.block } },
  ];
  await ask(at, 'PATCH', `/recordings/${id}/summary`, { edits });
  return id;
}

const atRest = async (at: World, ...ids: string[]) => {
  for (const id of ids) {
    await at.service.reaches(id, 'idle.saved');
    assert.deepEqual((await checkLog(at.service.store, id)).differences, []);
  }
};

test('where a recording is cut, lines of people go with what they rest on, tasks as they were checked', async (t) => {
  const at = await spelledWorld(t);
  const id = await summarised(at, [2, 4, 1, 3]);
  const { into } = await ask(at, 'POST', `/recordings/${id}/cut`, { at: 2 });
  await atRest(at, id, into!);
  assert.deepEqual(await textsOf(at, id), ['Write to Ann']);
  const lines = await linesOf(at, into!);
  assert.deepEqual(
    lines.map(({ text, kind, done }) => [text, kind, done]),
    [
      ['Call Ben', 'task', true],
      ['It was late', 'point', false],
    ],
  );
  // Joined again it is all there, once.
  await ask(at, 'POST', `/recordings/${id}/join`, { with: into });
  await atRest(at, id);
  assert.deepEqual(await textsOf(at, id), ['Write to Ann', 'Call Ben', 'It was late']);
  // And people go on with it.
  const [line] = await linesOf(at, into!);
  await ask(at, 'PATCH', `/recordings/${into}/summary`, {
    edits: [{ line: line!.id, done: false }],
  });
  assert.deepEqual(
    (await linesOf(at, into!)).map(({ done }) => done),
    [false, false],
  );
});

test('what is removed for good leaves the lines of people in what is made of the rest', async (t) => {
  const at = await spelledWorld(t);
  const id = await summarised(at, [2, 4, 1, 3]);
  const passage = { from: 0, to: 1, for_good: true };
  const { into } = await ask(at, 'POST', `/recordings/${id}/remove`, passage);
  await atRest(at, into!);
  await at.service.reaches(id, 'idle.erased');
  assert.deepEqual(await textsOf(at, into!), ['Write to Ann', 'Call Ben', 'It was late']);
});

test('a line on a passage that is cut in two is in the first part alone', async (t) => {
  const at = await spelledWorld(t);
  const id = await summarised(at, [1, 2, 4, 6]);
  const { into } = await ask(at, 'POST', `/recordings/${id}/cut`, { at: 3 });
  await atRest(at, id, into!);
  assert.deepEqual(await textsOf(at, id), ['Write to Ann', 'Call Ben', 'It was late']);
  assert.deepEqual(await textsOf(at, into!), []);
});

test('lines of a recording that is joined twice can be told apart', async (t) => {
  const at = await spelledWorld(t);
  const id = await summarised(at, [2, 1]);
  const other = await summarised(at, [6, 3]);
  for (const _ of [1, 2]) {
    await ask(at, 'POST', `/recordings/${id}/join`, { with: other });
    await atRest(at, id);
  }
  const lines = await linesOf(at, id);
  assert.equal(lines.length, 9);
  assert.equal(new Set(lines.map((line) => line.id)).size, 9);
});

test('a line of a model on a side note stays when a passage is removed', async (t) => {
  const line = {
    kind: 'point',
    text: 'The note says so',
    speaker: null,
    person: null,
    due: null,
    block: null,
    note: 1,
  } as const;
  const at = await spelledWorld(t, {
    summarise: async (job) => {
      await job.acquireSlot({ name: 'summarise', concurrency: 4 });
      await job.append({
        type: 'summary.completed',
        data: { engine: 'scripted', model: null, parts: 1, language: 'en' },
        content: { text: line.text, lines: [line] },
      });
    },
  });
  const id = await meeting(at, [2, 4, 1, 3]);
  await ask(at, 'POST', `/recordings/${id}/sidenotes`, { at: 0.5, text: 'so' });
  await ask(at, 'POST', `/recordings/${id}/remove`, { from: 1, to: 2 });
  await atRest(at, id);
  const { summary } = await read(at.service, at.token, id);
  assert.deepEqual(
    summary.lines.map(({ text }) => text),
    [line.text],
  );
});

test('a line of a model that says what was removed goes with it, also as a task that is done', async (t) => {
  const line = (text: string, block: string, kind: 'point' | 'task' = 'point') =>
    ({ kind, text, speaker: null, person: null, due: null, block }) as const;
  const lines = [
    line('Ben comes back to w4', 't-0002'),
    line('Ben says w1', 't-0002'),
    line('Do w4', 't-0001', 'task'),
  ];
  const at = await spelledWorld(t, {
    summarise: async (job) => {
      await job.acquireSlot({ name: 'summarise', concurrency: 4 });
      await job.append({
        type: 'summary.completed',
        data: { engine: 'scripted', model: null, parts: 1, language: 'en' },
        content: { text: lines.map(({ text }) => text).join('\n'), lines },
      });
    },
  });
  const id = await meeting(at, [2, 4, 1, 3]);
  const shown = async () =>
    (await read(at.service, at.token, id)).summary.lines as unknown as Line[];
  const task = (await shown()).find(({ text }) => text === 'Do w4');
  await ask(at, 'PATCH', `/recordings/${id}/summary`, { edits: [{ line: task!.id, done: true }] });
  await ask(at, 'POST', `/recordings/${id}/remove`, { from: 1, to: 2 });
  await atRest(at, id);
  assert.deepEqual(
    (await shown()).map(({ text }) => text),
    ['Ben says w1'],
  );
});
