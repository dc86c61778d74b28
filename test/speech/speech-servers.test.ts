import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { speechHeader } from '../../src/audio/wav.ts';
import { speechServer } from '../support/speech-servers.ts';
import type { Kind } from '../support/speech-servers-speakers.ts';

/** The stand-ins against what was recorded of the real servers (protocols.md §1.3, §1.5, §2.3). */
async function post(t: TestContext, kind: Kind, fields: Record<string, string>, seconds = 11) {
  const server = await speechServer(kind);
  t.after(() => server.close());
  server.hear = () =>
    seconds < 1
      ? []
      : Array.from({ length: 30 }, (_, i) => ({ text: 'donau', start: i / 4, end: (i + 1) / 4 }));
  const form = new FormData();
  if (fields['file'] !== 'none') {
    const samples = new Uint8Array(seconds * 32_000);
    form.append('file', new File([speechHeader(seconds * 16_000), samples], 'a.wav'));
  }
  for (const [name, value] of Object.entries(fields)) if (name !== 'file') form.append(name, value);
  const path = kind === 'whisper.cpp' ? '/inference' : '/v1/audio/transcriptions';
  const response = await fetch(server.url + (fields['path'] ?? path), {
    method: 'POST',
    body: form,
  });
  const type = response.headers.get('content-type')!;
  return { status: response.status, type, body: await response.text() };
}

test('whisper.cpp: errors have the recorded status, type and body', async (t) => {
  const verbose = { response_format: 'verbose_json' };
  const cases: [Record<string, string>, [number, string, string]][] = [
    [{ file: 'none' }, [400, 'text/plain', 'Invalid request']],
    [{ temperature: '' }, [500, 'text/plain', '500 Internal Server Error\nstof']],
    [
      { ...verbose, language: 'en-US' },
      [
        500,
        'text/plain',
        '500 Internal Server Error\nbasic_string: construction from null is not valid',
      ],
    ],
    [
      { path: '/v1/audio/transcriptions' },
      [404, 'text/plain', 'File Not Found (/v1/audio/transcriptions)'],
    ],
  ];
  for (const [fields, [status, type, body]] of cases)
    assert.deepEqual(await post(t, 'whisper.cpp', fields), { status, type, body });
});

test('whisper.cpp: verbose_json has the recorded fields, and cuts at 60 characters in a word', async (t) => {
  const answer = JSON.parse(
    (await post(t, 'whisper.cpp', { response_format: 'verbose_json' })).body,
  );
  assert.deepEqual(Object.keys(answer), [
    'task',
    'language',
    'duration',
    'text',
    'segments',
    'detected_language',
    'language_probabilities',
  ]);
  assert.equal(answer.language, 'english');
  assert.ok(answer.segments.every(({ text }: { text: string }) => text.length <= 60));
  assert.ok(answer.segments.some(({ text }: { text: string }) => !text.startsWith(' ')));
  assert.ok(answer.segments.at(-1).end > answer.duration);
  assert.deepEqual(Object.keys(answer.segments[0].words[0]), [
    'word',
    'start',
    'end',
    't_dtw',
    'probability',
  ]);
});

test('whisper.cpp: no speech is an empty text and no segments', async (t) => {
  const { status, body } = await post(t, 'whisper.cpp', { response_format: 'verbose_json' }, 0.05);
  const { text, segments } = JSON.parse(body);
  assert.deepEqual([status, text, segments], [200, '', []]);
});

test('the others deviate as they do', async (t) => {
  const verbose = {
    model: 'm',
    response_format: 'verbose_json',
    'timestamp_granularities[]': 'word',
  };
  const answer = async (kind: Kind, fields: Record<string, string> = verbose) =>
    JSON.parse((await post(t, kind, fields)).body);
  assert.equal((await answer('openai')).words[0].word, 'donau');
  assert.equal((await answer('speaches')).words[0].word, ' donau');
  assert.equal((await answer('localai')).segments[0].words[0].text, 'donau');
  assert.equal((await answer('localai-old')).segments[0].end, 7_500_000_000);
  const vllm = await answer('vllm');
  assert.deepEqual([vllm.duration, vllm.words], ['11', null]);
  assert.deepEqual(Object.keys(await answer('ollama')), ['text']);
  assert.equal((await post(t, 'vllm', { response_format: 'srt' })).status, 400);
  assert.equal((await post(t, 'speaches', { model: 'absent' })).status, 404);
  assert.equal((await post(t, 'openai', { ...verbose, model: 'gpt-4o-transcribe' })).status, 400);
});
