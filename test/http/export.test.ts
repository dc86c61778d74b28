import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { DocumentsInput } from '../../src/documents/documents.ts';
import { type ProblemAnswer, type TestService, withAda } from '../support/http-client.ts';
import { talkInput } from '../support/talk-input.ts';
import { unzip } from '../support/unzip.ts';

async function download(service: TestService, token: string, id: string, format: string) {
  const response = await fetch(`${service.url}/recordings/${id}/export?format=${format}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    disposition: response.headers.get('content-disposition') ?? '',
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

test('a meeting as every kind of file, with its type and a name to be saved under', async (t) => {
  const { service, token } = await withAda(t);
  const fields = { kind: 'meeting' };
  const id = await service.settled(token, fields);
  const { body: waiting } = await service.call<{ speakers_pending: { label: string }[] }>(
    'GET',
    `/recordings/${id}`,
    { token },
  );
  const [first, second] = waiting.speakers_pending.map(({ label }) => label);
  await service.call('POST', '/speakers', {
    token,
    json: { speakers: { [first!]: 'Änne', [second!]: 'Ben' } },
  });
  await service.reaches(id, 'idle.saved');

  const types = {
    md: 'text/markdown; charset=utf-8',
    txt: 'text/plain; charset=utf-8',
    srt: 'application/x-subrip; charset=utf-8',
    vtt: 'text/vtt; charset=utf-8',
    json: 'application/json; charset=utf-8',
    docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    zip: 'application/zip',
  };
  for (const [format, type] of Object.entries(types)) {
    const file = await download(service, token, id, format);
    assert.equal(file.status, 200, format);
    assert.equal(file.type, type);
    assert.match(file.disposition, new RegExp(`^attachment; filename=".*\\.${format}"`));
    const text = file.bytes.toString();
    if (format === 'docx') {
      const inside = (await unzip(file.bytes)).get('word/document.xml')!;
      for (const said of ['A plan', 'Hello there.', 'This is the secret plan.']) {
        assert.ok(inside.includes(said), said);
      }
    } else if (format === 'zip') {
      const inside = await unzip(file.bytes);
      const { documents } = (
        await service.call<{ documents: Record<string, string> }>('GET', `/recordings/${id}`, {
          token,
        })
      ).body;
      assert.deepEqual([...inside.keys()].toSorted(), Object.values(documents).toSorted());
      assert.match(inside.get(documents['transcript']!)!, /Änne.*Hello there\./s);
    } else {
      assert.match(text, /Hello there\./, format);
    }
  }
  const subtitles = (await download(service, token, id, 'srt')).bytes.toString();
  assert.match(subtitles, /^1\r\n00:00:00,000 --> 00:00:01,000\r\nÄnne: Hello there\.\r\n/);
  const data = JSON.parse((await download(service, token, id, 'json')).bytes.toString()) as {
    utterances: { text: string; speaker: string }[];
    speakers: { name: string }[];
  };
  assert.deepEqual(
    data.utterances.map(({ text }) => text),
    ['Hello there.', 'This is the secret plan.'],
  );
  assert.deepEqual(
    data.speakers.map(({ name }) => name),
    ['Änne', 'Ben'],
  );
  assert.equal(
    (await service.call('GET', `/recordings/${id}/export?format=exe`, { token })).status,
    422,
  );
});

test('the transcript as a person has changed it; made anew when it was deleted', async (t) => {
  const { service, token } = await withAda(t);
  const id = await service.settled(token);
  const { documents } = (
    await service.call<{ documents: { transcript: string } }>('GET', `/recordings/${id}`, { token })
  ).body;
  const { userId } = service.accounts.findUser('ada')!;
  const path = join(service.dataDir, 'spaces', userId, documents.transcript);
  await writeFile(path, 'Changed by me.\n');
  assert.equal((await download(service, token, id, 'md')).bytes.toString(), 'Changed by me.\n');
  await rm(path);
  const made = (await download(service, token, id, 'md')).bytes.toString();
  assert.match(made, /Hello there\. .*\^t-0001/s);
});

test('what is recognised so far can be had while the rest is under way; before that there is nothing', async (t) => {
  const { service, token } = await withAda(t);
  service.engines.hold('transcribe');
  service.engines.hold('summarise');
  const { recording_id: id } = (await service.upload(token, { title: 'Grüße “1/2”' })).body;
  const early = await service.call<ProblemAnswer>('GET', `/recordings/${id}/export`, { token });
  assert.equal(early.status, 404);
  assert.match(early.body.detail, /no transcript/);
  service.engines.release('transcribe');
  await service.reaches(id, 'transcribing.finishing(punctuate.done');
  for (const format of ['md', 'txt', 'srt', 'vtt', 'docx', 'zip']) {
    assert.equal((await download(service, token, id, format)).status, 200, format);
  }
  const text = (await download(service, token, id, 'txt')).bytes.toString();
  assert.match(text, /This is the secret plan\./);
  // RFC 6266: every client gets a name, those that know how the right one.
  const { disposition } = await download(service, token, id, 'srt');
  assert.match(
    disposition,
    /^attachment; filename="[ -~]+\.srt"; filename\*=UTF-8''.*Gr%C3%BC%C3%9Fe/,
  );
});

test('a recording from before 1970 is a whole zip file, and the service goes on', async (t) => {
  const { service, token } = await withAda(t);
  const id = await service.settled(token);
  const path = `/recordings/${id}`;
  const json = { started_at: '1965-03-01T10:00:00Z' };
  assert.equal((await service.call('PATCH', path, { token, json })).status, 200);
  const { status, bytes } = await download(service, token, id, 'zip');
  assert.equal(status, 200);
  assert.equal((await unzip(bytes)).size, 3);
  assert.equal((await service.call('GET', path, { token })).status, 200);
});

test('while a Word file of hours of talk is made, the service answers others', async () => {
  const { wordFileAside } = await import('../../src/export/word-file-aside.ts');
  const blocks = Array.from({ length: 4000 }, (_, index) => ({
    id: `t-${index}`,
    speaker: 'SPEAKER_1',
    start: index * 6,
    end: index * 6 + 5,
    text: `Satz ${index} handelt von Dingen, über die in langen Sitzungen viel geredet wird.`,
    words: [],
  }));
  const before = performance.eventLoopUtilization();
  const bytes = await wordFileAside({ ...talkInput, kind: 'meeting', blocks });
  const { active, idle } = performance.eventLoopUtilization(before);
  // In this thread it would be busy all the time; here it hands over and waits.
  assert.ok(active < idle, `${active} ms busy, ${idle} ms free`);
  const xml = (await unzip(bytes)).get('word/document.xml')!;
  assert.ok(xml.includes('Satz 3999 handelt'));
});

test('what goes wrong with a Word file is an error, not a wait', async () => {
  const { wordFileAside } = await import('../../src/export/word-file-aside.ts');
  await assert.rejects(
    wordFileAside({ ...talkInput, title: null as unknown as string }),
    TypeError,
  );
});

test('characters that no Word file may hold are left out of it', async () => {
  const { wordFile } = await import('../../src/export/word-file.ts');
  const bytes = await wordFile({
    ...talkInput,
    title: 'a\u0000b\ud800c',
    blocks: [{ id: 't-1', speaker: null, start: 0, end: 1, text: 'x\u0008y & <z>', words: [] }],
    summary: '## Points\n- **one** thing\n',
  });
  const xml = (await unzip(bytes)).get('word/document.xml')!;
  assert.doesNotMatch(xml, /[\p{Cs}]|(?![\t\n\r])\p{Cc}/u);
  assert.ok(xml.includes('xy &amp; &lt;z&gt;'));
  assert.match(xml, /<w:b\/>.*one/s);
});

test('text and Word files carry the summary line by line, with names', async () => {
  const { plainText } = await import('../../src/export/formats.ts');
  const { wordFile } = await import('../../src/export/word-file.ts');
  const none = { person: null, due: null, block: null } as const;
  const input: DocumentsInput = {
    ...talkInput,
    kind: 'meeting',
    abstract: 'SPEAKER_00 and Carl share the work.',
    speakers: [{ label: 'SPEAKER_00', name: 'Änne', seconds: 1 }],
    lines: [
      { ...none, kind: 'point', text: 'SPEAKER_00 greets.', speaker: null },
      { ...none, kind: 'task', text: 'writes it.', speaker: 'SPEAKER_00', due: 'Friday' },
      { ...none, kind: 'task', text: 'calls', speaker: null, person: 'Carl', unfounded: true },
    ],
  };
  const lines = [
    '2026-03-01 10:00',
    'Änne and Carl share the work.',
    'Tasks',
    'Änne: writes it (Friday)',
    'Carl: calls (not found in what Carl said)',
    'Key points',
    'Änne greets.',
  ];
  const text = plainText(input);
  const found = lines.map((line) => text.indexOf(line));
  assert.deepEqual(
    found,
    found.toSorted((one, other) => one - other),
    text,
  );
  assert.ok(!found.includes(-1), text);
  const xml = (await unzip(await wordFile(input))).get('word/document.xml')!;
  for (const line of lines) assert.ok(xml.includes(line), line);
});
