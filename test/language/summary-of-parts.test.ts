import assert from 'node:assert/strict';
import test from 'node:test';
import { summarise } from '../../src/language/summarise.ts';
import { openOn } from '../support/language-servers-open.ts';
import { longTalk } from '../support/language-servers-talk.ts';

const { signal } = new AbortController();
const options = { signal, language: 'de', names: {}, onProgress() {} };
const linesOf = (...lines: object[]) => JSON.stringify({ lines });
const numbersIn = (user: string) =>
  [...user.matchAll(/^\[(\d+)\] /gmu)].map(([, number]) => Number(number));
/** No two words in a row that repeat. */
const filler = (count: number) =>
  Array.from({ length: count }, (_, at) => `wort${String.fromCodePoint(97 + (at % 26))}${at}`).join(
    ' ',
  );

test('notes of which a condensing is cut stay, and are condensed with fewer', async (t) => {
  let cut = 0;
  const { model } = await openOn(t, {
    flavour: 'llama.cpp',
    contextTokens: 2048,
    brain: ({ user }) => {
      const [turn] = numbersIn(user);
      if (user.includes('<parts>'))
        return linesOf(...numbersIn(user).map((of) => ({ turn: of, text: `Das ist ${of} kurz.` })));
      if (!user.includes(' point: '))
        return linesOf({ turn, text: `Das ist ${turn} ${filler(60)}.` });
      const isFirst = turn === 1 && cut === 0;
      if (isFirst) cut += 1;
      return linesOf({ turn, text: `Das ist ${turn} ${isFirst ? filler(2000) : 'kurz'}.` });
    },
  });
  const { lines } = await summarise(longTalk(300), model, options);
  assert.equal(cut, 1);
  assert.match(lines[0]!.text, /^Das ist 1 /u);
});

test('all tasks of a long meeting are in its summary, also where no answer has room for them', async (t) => {
  const tasks = 9;
  const { model } = await openOn(t, {
    flavour: 'llama.cpp',
    contextTokens: 4096,
    // Does what it is told to the line.
    brain: ({ system, user }) => {
      const most = Number(/at most (\d+) lines/u.exec(system)![1]);
      const count = /Keep all decisions/u.test(system) ? most : tasks;
      const chosen = numbersIn(user).slice(0, count);
      return linesOf(
        ...chosen.map((turn) => ({ turn, kind: 'task', text: `Das Budget von ${999 + turn}.` })),
      );
    },
  });
  const { lines, parts } = await summarise(longTalk(300), model, options);
  assert.ok(parts * tasks > 60, `${parts}`);
  assert.equal(new Set(lines.map(({ text }) => text)).size, parts * tasks);
  assert.equal(lines.length, parts * tasks);
});

test('who is to do what until when stays where the second half of a long meeting is told in prose', async (t) => {
  const { model } = await openOn(t, {
    flavour: 'llama.cpp',
    contextTokens: 4096,
    brain: ({ system, user }) => {
      const [first = 0, ...others] = numbersIn(user);
      const isMerge = /Keep all decisions/u.test(system) || user.includes('<parts>');
      if (isMerge && first > 100) return 'Das Budget wird am Ende besprochen.';
      return linesOf(
        ...[first, ...others].slice(0, 9).map((turn) => ({
          turn,
          kind: 'task',
          person: 'Anna',
          due: 'Freitag',
          text: `Das Budget von ${999 + turn}.`,
        })),
      );
    },
  });
  const { lines, text } = await summarise(longTalk(300), model, options);
  assert.deepEqual(lines, []);
  assert.match(text, /^- Anna: Das Budget von 1000\. \(Freitag\)$/mu);
});

test('a server too slow to put all notes together is given fewer at once', async (t) => {
  const { model, server } = await openOn(
    t,
    {
      flavour: 'llama.cpp',
      contextTokens: 16_384,
      brain({ user }) {
        const turns = numbersIn(user).filter((_, at) => at % 15 === 0);
        // The last part: what follows puts the notes together.
        if (/im punkt 479 /u.test(user)) Object.assign(server.faults, { times: 1, silent: true });
        const length = user.includes('<transcript>') ? 60 : 20;
        return linesOf(
          ...turns.map((turn) => ({ turn, text: `Das ist ${turn} ${filler(length)}.` })),
        );
      },
    },
    { timeoutSeconds: 1 },
  );
  const { lines } = await summarise(longTalk(480), model, options);
  assert.ok(lines.length > 0);
  assert.ok((server.faults.times ?? 1) <= 0, 'it was silent');
});
