import assert from 'node:assert/strict';
import { test } from 'node:test';
import { germanReason } from '../../src/documents/german-reasons.ts';
import { ServerAnswerError } from '../../src/language/bounded-fetch.ts';
import { judgedReply } from '../../src/language/chat-openai.ts';
import { AnswerTimedOut, stageErrorOf } from '../../src/language/server-errors.ts';

/** Reasons as the language folder writes them: one that changes there and not in the table fails here. */
const asked = { server: 'http://host:11434', apiKey: null, prompt: '' };
const answer = (status: number, body = '', problem?: ServerAnswerError['problem']) =>
  stageErrorOf(new ServerAnswerError(new Response(null, { status }), body, problem), asked).message;
const reply = { content: '', reasoning: '', finish: 'stop', promptTokens: null, refusal: null };
const completion = { system: 'Answer.', user: 'Well? '.repeat(200), answerTokensMax: 100 };
function judged(changes: Partial<typeof reply> | { promptTokens: number } | { refusal: string }) {
  try {
    return judgedReply({ ...reply, ...changes }, completion, asked.server);
  } catch (error) {
    return (error as Error).message;
  }
}

const reasons: Record<string, string> = {
  unreachable: stageErrorOf(Object.assign(new Error(), { code: 'ECONNREFUSED' }), asked).message,
  certificate: stageErrorOf(Object.assign(new Error(), { code: 'CERT_EXPIRED' }), asked).message,
  slow: new AnswerTimedOut(asked.server, 0.5).message,
  redirected: answer(302, 'http://elsewhere', 'redirected'),
  large: answer(200, '', 'too-large'),
  html: answer(200, '', 'not-json'),
  broken: answer(200, '', 'broken-json'),
  overflow: answer(400, '{"error":"maximum context length is 9 tokens"}'),
  filter: answer(400, '{"error":"content_filter"}'),
  key: answer(401),
  quota: answer(429, '{"error":{"code":"insufficient_quota"}}'),
  away: answer(503, '{"error":"loading"}'),
  refused: answer(404),
  read: judged({ promptTokens: 1 }),
  refuses: judged({ finish: 'content_filter' }),
  cut: judged({ finish: 'length' }),
  declines: judged({ refusal: 'No.' }),
  empty: judged({}),
};

for (const [name, reason] of Object.entries(reasons)) {
  test(`the reason of a note is in German: ${name}`, () => {
    const german = germanReason(reason);
    assert.notEqual(german, reason);
    assert.doesNotMatch(german, /\b(the|answered|model|server at|undefined)\b/iu);
  });
}

test('what a server said itself stays, and so does a reason that is unknown', () => {
  assert.equal(
    germanReason(answer(503, '{"error":"loading"}')),
    'Der Sprachmodell-Server unter http://host:11434 hat mit 503 geantwortet: loading',
  );
  assert.equal(germanReason('2 s'), '2 s');
});
