import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { checkLog } from '../../src/recordings/check-log.ts';
import { minutes, textOf, world } from '../support/summarising-service.ts';

const greets = 'Somebody greets before the secret plan';
const adopted = 'The secret plan is adopted';
const placeless = 'A secret plan without a place';

test('a file with sections that comes back as it was, with other line ends or spaces, changes nothing', async (t) => {
  const { file, put, shown } = await edited(t);
  const before = await shown();
  const markdown = await file();
  for (const same of [
    markdown,
    markdown.replaceAll('\n', '\r\n'),
    markdown.replaceAll('\n\n', '\n\n\n'),
    markdown.replaceAll('\n- ', '\n* '),
  ]) {
    assert.deepEqual(await put(same), { lines: 0, own: false });
    assert.deepEqual(await shown(), before);
  }
});

test('lines of a file are changed, added, moved between sections and removed; the page has it so', async (t) => {
  const { file, put, shown, done } = await edited(t);
  const { lines, own } = await put(
    (await file())
      .replace(greets, 'Somebody says hello before the plan')
      .replace('## Plans\n\n', '## Plans\n\n- [ ] Write to Köln\n')
      .replace(/- A secret plan without a place[^\n]*\n/u, ''),
  );
  assert.deepEqual([lines > 0, own], [true, false]);
  assert.deepEqual(await shown(), [
    ['Greetings', 'Somebody says hello before the plan', 'point'],
    ['Plans', 'Write to Köln', 'task'],
    ['Plans', adopted, 'decision'],
  ]);
  // From one section to another one, as it is.
  const markdown = await file();
  const [moved = ''] = /- The secret plan is adopted[^\n]*\n/u.exec(markdown) ?? [];
  await put(markdown.replace(moved, '').replace('## Greetings\n\n', `## Greetings\n\n${moved}`));
  assert.deepEqual(
    (await shown()).map(([section, text]) => [section, text]),
    [
      ['Greetings', adopted],
      ['Greetings', 'Somebody says hello before the plan'],
      ['Plans', 'Write to Köln'],
    ],
  );
  await done();
});

test('a heading of a file that is renamed or new is a section; one that is gone leaves its lines out; sections are put in another order', async (t) => {
  const { file, put, shown, done } = await edited(t);
  const renamed = (await file()).replace('## Plans', '## What *we* plan');
  assert.equal((await put(renamed)).own, false);
  assert.deepEqual(await shown(), [
    ['Greetings', greets, 'point'],
    ['What *we* plan', adopted, 'decision'],
    ['Key points', placeless, 'point'],
  ]);
  assert.match(await file(), /\n## What \\\*we\\\* plan\n\n- The secret plan is adopted/u);

  const added = (await file()).replace(
    '## Key points',
    '## Budget\n\n- It costs nothing\n- [x] Ask the bank\n\n## Key points',
  );
  assert.equal((await put(added)).own, false);
  assert.deepEqual(await shown(), [
    ['Greetings', greets, 'point'],
    ['What *we* plan', adopted, 'decision'],
    ['Budget', 'It costs nothing', 'point'],
    ['Budget', 'Ask the bank', 'task'],
    ['Key points', placeless, 'point'],
  ]);

  const parts = (await file()).split(/(?=^## )/mu);
  const [head = '', first = '', second = '', third = '', ...rest] = parts;
  const swapped = [head, third, second, first, ...rest].join('');
  assert.equal((await put(swapped)).own, false);
  assert.deepEqual(
    (await shown()).map(([section, text]) => [section, text]),
    [
      ['Budget', 'It costs nothing'],
      ['Budget', 'Ask the bank'],
      ['What *we* plan', adopted],
      ['Greetings', greets],
      ['Key points', placeless],
    ],
  );
  assert.deepEqual((await file()).match(/^## .*$/gmu)?.slice(0, 3), [
    '## Budget',
    '## What \\*we\\* plan',
    '## Greetings',
  ]);

  const without = (await file()).replace(/## Budget\n\n(?:- [^\n]*\n)+\n/u, '');
  assert.equal((await put(without)).own, false);
  assert.deepEqual(
    (await shown()).map(([section]) => section),
    ['What *we* plan', 'Greetings', 'Key points'],
  );
  await done();
});

test('what is no line of a section keeps the file as a person’s own version, with their lines taken', async (t) => {
  const { file, put, shown, done } = await edited(t);
  const { own } = await put(
    (await file()).replace('## Plans\n\n', '## Plans\n\nWe talked long about it.\n\n- And more\n'),
  );
  assert.equal(own, true);
  assert.match(await file(), /We talked long about it/u);
  assert.ok((await shown()).some(([section, text]) => section === 'Plans' && text === 'And more'));
  await done();
});

test('a person’s own link stays in a line, and a box that is neither done nor open keeps the file as it is', async (t) => {
  const { file, put, shown, checked, done } = await edited(t);
  const linked = (await file()).replace(`- ${greets}`, `- [[Project Alpha]]: ${greets}`);
  assert.match(linked, /- \[\[Project Alpha\]\]: [^\n]* \[\[[^\n]*\|00:00:00\]\]\n/u);
  assert.equal((await put(linked)).own, false);
  assert.deepEqual((await shown())[0], ['Greetings', `[[Project Alpha]]: ${greets}`, 'point']);
  const boxes = '- [X] Ask the bank\n- [/] Write to Köln\n- [-] Call them\n';
  const { own } = await put((await file()).replace('## Plans\n\n', `## Plans\n\n${boxes}`));
  assert.equal(own, true);
  assert.deepEqual(await checked(), [
    ['Ask the bank', true],
    ['Write to Köln', false],
    ['Call them', false],
  ]);
  assert.match(await file(), /- \[\/\] Write to Köln/u);
  await done();
});

/** A recording with a summary by a template, whose file people edit. */
async function edited(t: TestContext) {
  const { service, token, id, read, again, template } = await world(t);
  await again({ template: (await template(minutes)).id });
  const path = async () => (await read()).documents.summary;
  return {
    file: async () => await textOf(service, token, await path()),
    async put(body: string) {
      const at = `/transcripts/${encodeURIComponent(await path())}`;
      const etag = (await service.call('GET', at, { token })).headers.get('etag') ?? '';
      const headers = { 'If-Match': etag, 'Content-Type': 'text/markdown' };
      const put = await service.call<{ lines: number; own: boolean }>('PUT', at, {
        token,
        body,
        headers,
      });
      assert.equal(put.status, 200);
      await service.reaches(id, 'idle.saved');
      return { lines: put.body.lines, own: put.body.own };
    },
    shown: async () =>
      (await read()).summary.lines.map(({ section, text, kind }) => [section, text, kind]),
    checked: async () =>
      (await read()).summary.lines.flatMap(({ kind, text, done }) =>
        kind === 'task' ? [[text, done]] : [],
      ),
    async done() {
      assert.deepEqual((await checkLog(service.store, id)).differences, []);
    },
  };
}
