import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { atom } from 'nanostores';
import type { OpenRecording } from '../../../web/pages/recording/recording.ts';
import NoteRow from '../../../web/pages/recording/sidenotes/NoteRow.svelte';
import { openWork } from '../../../web/pages/recording/work.ts';
import { words } from '../../../web/pages/recording/words.ts';

type Edit = {
  line?: string;
  kind?: string;
  text?: string;
  add?: { kind: string; text: string; after?: string };
};

let opened = 0;

const passage = {
  block: 't-1',
  revision: 'r',
  start: 1,
  end: 2,
  speaker: null,
  text: 'One.',
  words: [],
};

/** A note whose service may answer a change and not be read, or make one and lose the answer. */
function openNote(t: TestContext) {
  opened += 1;
  const id = `unread-${opened}`;
  const service = {
    texts: new Map([[1, 'Before']]),
    said: 'One.',
    lines: [{ id: 's-1', kind: 'point', text: 'A line', revision: 'r' }],
    /** What was asked for, and with which key. */
    edits: [] as Edit[],
    keys: new Map<string, string>(),
    isRead: true,
    /** What is read does not say yet what was changed. */
    isBehind: false,
    /** What is answered instead of what was done, once. */
    instead: null as (() => Response) | null,
    /** Whether what is asked then is done. */
    isDone: true,
  };
  const add = (key: string, { kind, text, after }: NonNullable<Edit['add']>): string => {
    const made = service.keys.get(key) ?? `s-${service.lines.length + 1}`;
    if (service.keys.has(key)) return made;
    service.keys.set(key, made);
    const at = service.lines.findIndex((line) => line.id === after);
    service.lines.splice(at < 0 ? service.lines.length : at + 1, 0, {
      id: made,
      kind,
      text,
      revision: 'r',
    });
    return made;
  };
  const change = async (request: Request): Promise<object> => {
    const number = /\/sidenotes\/(\d+)$/u.exec(request.url)?.[1];
    const body = (await request.json()) as { text: string; edits: Edit[] };
    if (number !== undefined) {
      service.texts.set(Number(number), body.text);
      return {};
    }
    if (request.url.endsWith('/utterances')) {
      service.said = body.edits[0]?.text ?? '';
      return {};
    }
    service.edits.push(...body.edits);
    if (!service.isDone) return {};
    const [edit] = body.edits;
    const line = service.lines.find((one) => one.id === edit?.line);
    if (line !== undefined) Object.assign(line, edit);
    const key = request.headers.get('Idempotency-Key') ?? '';
    return { added: edit?.add ? [add(key, edit.add)] : [] };
  };
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    if (request.method !== 'PATCH') return Response.json([]);
    const done = await change(request);
    const { instead } = service;
    service.instead = null;
    return instead === null ? Response.json(done) : instead();
  });
  const read = () => ({
    state: 'there',
    shown: {
      recording: {
        speakers: [],
        speakers_revision: '1',
        utterances: [{ ...passage, text: service.said }],
        sidenotes: [...service.texts].map(([note, text]) => ({ note, at: 1, text, mark: false })),
        summary: { abstract: null, lines: service.lines.map((line) => ({ ...line })) },
      },
      heard: [],
      behind: null,
    },
  });
  const state = atom(read());
  const refresh = async () => {
    if (service.isRead && !service.isBehind) state.set(read());
    return service.isRead;
  };
  const note = { state, saved: atom(null), refresh, close: () => {} };
  const open = () => {
    const opened = openWork(id, note as unknown as OpenRecording);
    t.after(opened.close);
    return opened;
  };
  return { service, work: open(), refresh, reload: open };
}

test('a side note that was saved and could not be read is taken back, and changed again', async (t) => {
  const { service, work } = openNote(t);
  const { sidenotes: desk } = work;
  desk.begin(1);
  desk.edit('Mine');
  service.isRead = false;
  service.instead = () => (desk.edit('Mine, and more'), Response.json({}));
  assert.ok(await desk.save());
  service.isRead = true;
  assert.ok(await desk.save());
  assert.equal(service.texts.get(1), 'Mine, and more');
  await work.undo();
  assert.equal(service.texts.get(1), 'Mine');
  await work.undo();
  assert.equal(service.texts.get(1), 'Before');
});

test('below a line that was added and could not be read the next one is added', async (t) => {
  const { service, work } = openNote(t);
  const { lines: desk } = work;
  desk.add('point', 's-1');
  desk.type('First');
  service.isRead = false;
  const first = await desk.save();
  assert.equal(first, 's-2');
  desk.add('point', first);
  desk.type('Second');
  service.isRead = true;
  await desk.save();
  assert.deepEqual(
    service.edits.map(({ add }) => add?.after),
    ['s-1', 's-2'],
  );
  await work.undo();
  await work.undo();
  assert.deepEqual(
    work.changes.list.get().map((one) => one.state),
    ['undone', 'undone'],
  );
});

test('what the service itself does not know is not said to be not saved, and a side note that is not answered neither', async (t) => {
  const { service, work } = openNote(t);
  const unknown = { type: '/problems/outcome-unknown', title: 'Not known', status: 503 };
  const { lines } = work;
  lines.begin('s-1');
  lines.type('Lost?');
  service.isDone = false;
  service.instead = () => Response.json(unknown, { status: 503 });
  assert.equal(await lines.save(), null);
  assert.equal(lines.refusal.get()?.problem.title, 'Not known');
  assert.ok(lines.refusal.get()?.look, 'it can be looked for');

  const { sidenotes: desk } = work;
  desk.begin(1);
  desk.edit('Lost?');
  service.isRead = false;
  service.instead = () => {
    throw new TypeError('Failed to fetch');
  };
  assert.ok(!(await desk.save()));
  const refused = desk.refusal.get()!.problem;
  const one = { id: 'n-1', note: 1, at: 1, text: 'Before', mark: false, block: null };
  const props = { one, draft: undefined, isOpen: false, refused, desk, may: { own: true } };
  const row = show(t, NoteRow, props as never);
  assert.equal(row.querySelector('[role=alert]')?.textContent.trim(), words.get().isNotKnown);
});

const unanswered = () => {
  throw new TypeError('Failed to fetch');
};

test('a new line of which it is not known whether it was added is added once, also with what was typed since', async (t) => {
  const { service, work } = openNote(t);
  const { lines: desk } = work;
  const added = () => service.lines.slice(1).map(({ text }) => text);
  desk.add('point', 's-1');
  desk.type('New');
  for (const again of ['New', 'New and more']) {
    service.isRead = false;
    service.instead = unanswered;
    desk.type(again);
    assert.equal(await desk.save(), null);
  }
  // Who leaves it and comes back goes on from there.
  desk.leave();
  desk.add('point', 's-1');
  service.isRead = true;
  assert.equal(await desk.save(), 's-2');
  assert.deepEqual(added(), ['New and more']);
  // What is written below is another one.
  desk.add('point', 's-2');
  desk.type('New');
  assert.equal(await desk.save(), 's-3');
  assert.deepEqual(added(), ['New and more', 'New']);
  assert.deepEqual([...desk.drafts.all.get().keys()], []);
});

test('a new line whose kind is changed while it is not known whether it was added is added once', async (t) => {
  const { service, work, reload } = openNote(t);
  const added = () => service.lines.slice(1).map(({ kind, text }) => `${kind}: ${text}`);
  const { lines: before } = work;
  before.add('point', 's-1');
  before.type('New');
  service.isRead = false;
  service.instead = unanswered;
  assert.equal(await before.save(), null);
  await before.rekind('decision');
  before.leave();
  service.isRead = true;
  // In a page that was loaded again, too.
  const { lines: desk, changes } = reload();
  desk.add('decision');
  await desk.rekind('task');
  assert.equal(await desk.save(), 's-2');
  assert.deepEqual(added(), ['task: New']);
  assert.equal(changes.list.get().length, 2);
  assert.deepEqual([...desk.drafts.all.get().keys()], []);

  desk.add('point', 's-1');
  desk.type('Chosen meanwhile');
  const [saved] = await Promise.all([desk.save(), desk.rekind('open')]);
  assert.equal(saved, 's-3');
  assert.deepEqual(added().toSorted(), ['open: Chosen meanwhile', 'task: New']);
  assert.deepEqual([desk.open.get(), ...desk.drafts.all.get().keys()], [null]);
});

for (const isLeft of [true, false])
  test(`a new line whose kind is chosen while it is saved, which is refused, ${isLeft ? 'stays shut' : 'says why'}`, async (t) => {
    const { service, work } = openNote(t);
    const { lines: desk } = work;
    service.isDone = false;
    const problem = { type: '/problems/not-understood', title: 'Refused', status: 422 };
    const refusing = () => Response.json(problem, { status: 422 });
    service.instead = refusing;
    desk.add('point', 's-1');
    desk.type('New');
    const ended = Promise.all([desk.save(), desk.rekind('decision')]);
    if (isLeft) desk.leave();
    await ended;
    assert.equal(desk.open.get()?.id, isLeft ? undefined : 'new-decision');
    assert.equal(desk.refusal.get()?.block, 'new-decision');
    assert.deepEqual([...desk.drafts.all.get().keys()], ['new-decision']);
    if (!isLeft) return;
    // And takes no place of what is typed there by then.
    service.instead = refusing;
    desk.add('point');
    desk.type('Another');
    const again = Promise.all([desk.save(), desk.rekind('decision')]);
    desk.add('decision');
    await again;
    const typed = () => [...desk.drafts.all.get().values()].map(({ text }) => text);
    assert.deepEqual(typed(), ['New', 'Another']);
  });

test('a new line whose kind is chosen leaves another new line of that kind as it was typed', async (t) => {
  const { lines: desk } = openNote(t).work;
  desk.add('point');
  desk.type('One');
  desk.leave();
  desk.add('task');
  desk.type('Two');
  await desk.rekind('point');
  const typed = [...desk.drafts.all.get().values()].map(({ text }) => text);
  assert.deepEqual(typed, ['One', 'Two']);
});

test('what is saved while it is looked whether it was is one change', async (t) => {
  const { service, work } = openNote(t);
  const { lines, editing } = work;
  const lost = async (save: () => Promise<unknown>) => {
    service.isRead = false;
    service.instead = unanswered;
    await save();
    service.isRead = true;
  };
  lines.add('point', 's-1');
  lines.type('New');
  await lost(lines.save);
  const isAdded = lines.refusal.get()!.look!();
  assert.equal(await lines.save(), 's-2');
  assert.ok(await isAdded);
  editing.begin(passage as never);
  editing.change({ ...work.drafts.all.get().get('t-1')!, text: 'Two.' });
  await lost(editing.save);
  const looks = [editing.refusal.get()!.look!(), editing.save()];
  assert.deepEqual(await Promise.all(looks), [true, true]);
  assert.equal(service.said, 'Two.');
  assert.equal(service.lines.length, 2);
  assert.equal(work.changes.list.get().length, 2);
});

test('what was saved and is shown only later is no draft any more', async (t) => {
  const { service, work, refresh } = openNote(t);
  const { lines, editing, sidenotes } = work;
  const behind = { type: '/problems/views-behind', title: 'Saved', status: 503 };
  service.isBehind = true;
  const begin = () => {
    lines.begin('s-1');
    editing.begin({ ...passage, text: service.said } as never);
    sidenotes.begin(1);
  };
  const leave = () => [lines, editing, sidenotes].forEach((desk) => desk.leave());
  begin();
  lines.type('Mine');
  editing.change({ ...work.drafts.all.get().get('t-1')!, text: 'Mine.' });
  sidenotes.edit('Mine');
  for (const { save } of [lines, editing, sidenotes]) {
    service.instead = () => Response.json(behind, { status: 503 });
    assert.ok(!(await save()));
  }
  leave();
  const all = [work.drafts, lines.drafts, sidenotes.drafts].map((drafts) => drafts.all);
  assert.deepEqual(
    all.map((one) => one.get().size),
    [1, 1, 1],
  );
  service.isBehind = false;
  await refresh();
  const one = { id: 'n-1', note: 1, at: 1, text: 'Mine', mark: false, block: null };
  const draft = sidenotes.drafts.all.get().get('1');
  const props = { one, draft, isOpen: false, refused: null, desk: sidenotes, may: { own: true } };
  const row = show(t, NoteRow, props as never);
  assert.equal(row.querySelector('.unsaved'), null);
  begin();
  for (const one of all) for (const { meanwhile } of one.get().values()) assert.ok(!meanwhile);
  leave();
  assert.deepEqual(
    all.map((one) => one.get().size),
    [0, 0, 0],
  );
});
