import assert from 'node:assert/strict';
import test from 'node:test';
import { answerQuestion } from '../../src/language/answer-question.ts';
import { openOn } from '../support/language-servers-open.ts';
import { longTalk } from '../support/language-servers-talk.ts';

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
  const talk = { blocks: longTalk(400), names: {}, language: 'de' };
  for (const question of ['Was haben wir über punkt 7 beschlossen?', null]) {
    const { lines, isAll } = await answerQuestion(talk, model, { question, signal });
    assert.ok(lines.length > 0);
    assert.equal(isAll, false);
  }
  assert.equal((await model.context(signal)).source, 'learnt');
  assert.ok(server.chats().length < 12, `${server.chats().length}`);
});

test('a question that no context can hold is refused', async (t) => {
  const { model } = await openOn(t, { flavour: 'llama.cpp', contextTokens: 100 });
  const talk = { blocks: longTalk(40), names: {}, language: 'de' };
  await assert.rejects(answerQuestion(talk, model, { question: 'Was?', signal }), {
    code: 'prompt-truncated',
  });
});
