import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { Agent } from 'undici';
import type { BrowserEnd } from '../../src/capture/browser/browser-stream.ts';
import type { CaptureOutcome } from '../../src/capture/follow-capture.ts';
import { documentNames } from '../../src/documents/documents.ts';
import { germanReason } from '../../src/documents/german-reasons.ts';
import { labelsIn } from '../../src/documents/labels.ts';
import { judgedReply } from '../../src/language/chat-openai.ts';
import { AnswerTimedOut } from '../../src/language/model.ts';
import { ServerAnswerError, modelFailure } from '../../src/language/language-server.ts';
import { AnswerLost } from '../../src/servers/server.ts';

/** Reasons as the language folder writes them: one that changes there and not in the table fails here. */
const address = 'http://host:11434';
const name = `The language-model server at ${address}`;
const connections = new Agent();
const asked = { kind: 'language', base: address, name, apiKey: null, connections } as const;
const failing = (error: unknown) => modelFailure(asked, error, '').message;
const answer = (status: number, body = '', headers = new Headers()) =>
  failing(new ServerAnswerError({ status, contentType: '', headers, body }));
const reply = { content: '', reasoning: '', finish: 'stop', promptTokens: null, refusal: null };
const completion = { system: 'Answer.', user: 'Well? '.repeat(200), answerTokensMax: 100 };
function judged(changes: Partial<typeof reply> | { promptTokens: number } | { refusal: string }) {
  try {
    return judgedReply({ ...reply, ...changes }, completion, address);
  } catch (error) {
    return (error as Error).message;
  }
}

const reasons: Record<string, string> = {
  unreachable: failing(Object.assign(new Error(), { code: 'ECONNREFUSED' })),
  certificate: failing(Object.assign(new Error(), { code: 'CERT_EXPIRED' })),
  'broken off': failing(new AnswerLost('')),
  slow: new AnswerTimedOut(name, 0.5).message,
  redirected: answer(302, '', new Headers({ location: 'http://elsewhere' })),
  large: failing(new AnswerLost('', { isTooLarge: true })),
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
    assert.doesNotMatch(
      german.replace('llm.model', ''),
      /\b(the|answered|model|server at|undefined)\b/iu,
    );
  });
}

test('what a server said itself stays, and so does a reason that is unknown', () => {
  assert.equal(
    germanReason(answer(503, '{"error":"loading"}')),
    'Der Sprachmodell-Server unter http://host:11434 ist nicht bereit (HTTP 503). Er sagt: loading',
  );
  assert.equal(germanReason('2 s'), '2 s');
});

/** Folders and files whose errors become notes of a document: of language models, and of telling speakers apart. */
const sources = [
  'src/language',
  'src/speech/diarization',
  'src/speech/local',
  'src/audio',
  'src/servers',
  'src/recordings/stages/attribute.ts',
  'src/recordings/stages/diarize.ts',
  'src/recordings/stages/finish.ts',
];
/** Of these folders, what no document can say: recognition fails as a whole, compressing shows in nothing. */
const elsewhere = [
  'src/speech/local/local-engine.ts',
  'src/audio/flac.ts',
  // Ends a further run, in HTTP's words.
  'No language model is configured any more',
];

/** What may stand in a sentence's place holders. */
const samples: Readonly<Record<string, string>> = {
  status: '503',
  seconds: '5',
  'options.timeoutSeconds': '5',
  server: 'The language-model server at http://host:1',
  name: 'The language-model server at http://host:1',
  'server.name': 'The language-model server at http://host:1',
  'endpoint.server.name': 'The language-model server at http://host:1',
  said: ' It says: Loading.',
  how: 'by SIGSEGV',
};
const numbers = /max|tokens|least|hours|read/i;

/** The sentences that errors of a file are made with, place holders filled. */
function sentencesIn(code: string): string[] {
  const text = String.raw`(?:'(?:[^'\\]|\\.)*'|\x60[^\x60]*\x60)`;
  const begun = String.raw`(?:StageError\(\s*(?:code|'[a-z-]+'),|\bfail\(\s*'[a-z]+',|super\(\s*'[a-z-]+',|sentence:|\breason:|message:|\?\s*error\.message\s*:)`;
  const pattern = new RegExp(String.raw`${begun}\s*(${text}(?:\s*\+\s*${text})*)`, 'g');
  return Array.from(code.matchAll(pattern), ([, found]) =>
    found!
      .replaceAll(/['\x60]\s*\+\s*['\x60]/g, '')
      .slice(1, -1)
      .replaceAll('at ${server}', 'at http://host:1')
      .replaceAll(
        /\$\{([^}]*)\}/g,
        (_, name: string) => samples[name] ?? (numbers.test(name) ? '12' : 'x'),
      ),
  ).filter((sentence) => /^\S+ .* .*[.:x]$/.test(sentence));
}

async function filesIn(path: string): Promise<string[]> {
  if (path.endsWith('.ts')) return [path];
  const names = await readdir(path);
  return names.filter((name) => name.endsWith('.ts')).map((name) => `${path}/${name}`);
}

test('every sentence with which a stage says why it could not be done has German words', async () => {
  const missing: string[] = [];
  let found = 0;
  for (const file of (await Promise.all(sources.map(filesIn))).flat()) {
    if (elsewhere.includes(file)) continue;
    for (const sentence of sentencesIn(await readFile(file, 'utf8'))) {
      if (elsewhere.some((other) => sentence.startsWith(other))) continue;
      found += 1;
      if (germanReason(sentence) === sentence) missing.push(`${file}: ${sentence}`);
    }
  }
  assert.deepEqual(missing, []);
  assert.ok(found >= 40, `only ${found} sentences were found`);
});

test('every reason for which an answer is no summary and no title has German words', async () => {
  const files = ['unusable', 'generate-title', 'summarise'].map(
    (name) => `src/language/${name}.ts`,
  );
  const code = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
  const whys = Array.from(
    code.matchAll(/'((?:is|has|holds|says|declines|repeats) [^'\n]+)'/g),
    ([, why]) => why!,
  );
  assert.ok(whys.length >= 11, whys.join());
  for (const why of whys) {
    const german = germanReason(`The language model gave no summary: its answer ${why}.`);
    assert.ok(!german.includes(why), german);
  }
});

test('why a capture was interrupted is said in words, in both languages', () => {
  const reasons: Record<CaptureOutcome['reason'] | BrowserEnd, true> = {
    stopped: true,
    'device-unavailable': true,
    'limit-hours': true,
    'space-limit': true,
    'disk-low': true,
    'disk-failed': true,
    orphaned: true,
    terminated: true,
    'service-and-capture-died': true,
    'capture-died': true,
    'capture-not-started': true,
    'browser-gone': true,
  };
  for (const language of ['de', 'en'] as const) {
    const { detail } = labelsIn(language);
    for (const reason of Object.keys(reasons)) {
      // What was stopped was not interrupted.
      if (reason !== 'stopped') assert.match(detail(reason), /^\p{L}+( \p{L}+)+$/u);
    }
  }
  const { detail } = labelsIn('de');
  assert.equal(detail(documentNames.join(', ')), 'Übersicht, Transkript, Zusammenfassung');
  assert.equal(detail('2.5 s'), '2,5 s');
  assert.equal(detail('12 s'), '12 s');
  assert.equal(detail('track 1 of 2'), 'Spur 1 von 2');
  assert.equal(detail('t-0001, t-0002'), 't-0001, t-0002');
});
