import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { speechHeader } from '../../src/audio/wav.ts';
import { openMeetingWorld } from '../support/meeting-world.ts';
import { tonePcm } from '../support/speech-servers-audio.ts';
import { toneText } from '../support/speech-servers-tones.ts';

/** Longer than one request may be. */
const seconds = 500;

test('a file whose first part is taken for another language is recognised again, and a note says so', async (t) => {
  const world = await openMeetingWorld(t, { env: { MITSCHRIFT_STT_LANGUAGES: 'en,de' } });
  const words = Array.from({ length: 240 }, (_, at) => ({
    text: toneText(at % 64),
    start: 1 + at * 2,
    end: 1.4 + at * 2,
  }));
  const pcm = await tonePcm(words, seconds);
  const path = world.uploadPath('talk.wav');
  await writeFile(path, Buffer.concat([speechHeader(pcm.length / 2), pcm]));
  const dutch = {
    task: 'transcribe',
    language: 'dutch',
    duration: 20,
    text: 'goedemorgen',
    segments: [{ id: 0, start: 1, end: 2, text: ' goedemorgen' }],
    words: [{ word: 'goedemorgen', start: 1, end: 2 }],
  };
  // The first request finds out what the server can.
  const answer = { do: 'answer', status: 200, body: JSON.stringify(dutch) } as const;
  world.speech.faults.push(answer, answer);
  const id = await world.upload(path);
  await world.until(id, 'awaiting-speakers');
  const heard = await world.factsOf(id, 'utterance.recognised');
  const first = heard.filter(({ data }) => data.index === 0);
  assert.deepEqual(
    first.map(({ data }) => [data.language, data.heard]),
    [
      ['nl', undefined],
      ['en', 'nl'],
    ],
  );
  assert.ok(world.speech.received.some(({ fields }) => fields['language']?.[0] === 'en'));
  const [completed] = await world.factsOf(id, 'transcription.completed');
  assert.equal(completed!.data.language, 'en');
  const { index, transcript } = await world.finish(id);
  assert.match(index, /1 of \d passages sounded like Dutch; it was transcribed as English\./);
  assert.doesNotMatch(transcript, /goedemorgen/);
});
