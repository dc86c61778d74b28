import assert from 'node:assert/strict';
import test from 'node:test';
import { answerQuestion } from '../../src/language/answer-question.ts';
import { openOn } from '../support/language-servers-open.ts';
import { longTalk, talk } from '../support/language-servers-talk.ts';

const { signal } = new AbortController();

test('the first question to a server that does not tell its context is answered from what it takes', async (t) => {
  const { model, server } = await openOn(t, {
    flavour: 'openai',
    contextTokens: 4000,
    brain: ({ user }) => {
      const [, turn, text] = /^\[(\d+)\] [^:]*: (.*)$/mu.exec(user)!;
      return JSON.stringify({ lines: [{ turn: Number(turn), text }] });
    },
  });
  const asked = { blocks: longTalk(400), names: {}, language: 'de' };
  for (const question of ['Was haben wir über punkt 7 beschlossen?', null]) {
    const { lines, isAll } = await answerQuestion(asked, model, { question, signal });
    assert.ok(lines.length > 0);
    assert.equal(isAll, false);
  }
  assert.equal((await model.context(signal)).source, 'learnt');
  assert.ok(server.chats().length < 12, `${server.chats().length}`);
});

test('a question that no context can hold is refused', async (t) => {
  const { model } = await openOn(t, { flavour: 'llama.cpp', contextTokens: 100 });
  const asked = { blocks: longTalk(40), names: {}, language: 'de' };
  await assert.rejects(answerQuestion(asked, model, { question: 'Was?', signal }), {
    code: 'prompt-truncated',
  });
});

test('of one turn that no context holds what the question is about is read', async (t) => {
  const { model } = await openOn(t, {
    flavour: 'llama.cpp',
    contextTokens: 4000,
    brain: ({ user }) => {
      const text = /预算是\d+元/u.exec(user)?.[0];
      return JSON.stringify({ lines: text === undefined ? [] : [{ turn: 1, text }] });
    },
  });
  const chatter = '我们今天谈了很多别的事情。'.repeat(800);
  const blocks = talk([`${chatter}花园的预算是4500元。${chatter}`]);
  const asked = { blocks, names: {}, language: 'zh' };
  const question = '花园的预算是多少？';
  const { lines, isAll } = await answerQuestion(asked, model, { question, signal });
  assert.deepEqual(
    lines.map(({ text }) => text),
    ['预算是4500元'],
  );
  assert.equal(isAll, false);
});
