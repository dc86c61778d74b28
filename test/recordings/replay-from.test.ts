import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordingStream } from '../../events/facts/recording.ts';
import { NotAccepted } from '../../src/recordings/refusals.ts';
import { replayFrom } from '../../src/recordings/replay-from.ts';
import { withAda } from '../support/http-client.ts';

/** The stages that run again, by where it begins. */
const again = {
  transcribe: ['entitle', 'punctuate', 'summarise', 'transcribe', 'write'],
  punctuate: ['entitle', 'punctuate', 'summarise', 'write'],
  summarise: ['entitle', 'punctuate', 'summarise', 'write'],
  entitle: ['entitle', 'write'],
  write: ['write'],
};

test('from each stage: what comes before it is taken from the log, and no engine is asked for it', async (t) => {
  const { service, token } = await withAda(t);
  const id = await service.settled(token);
  let version = 1;
  for (const [stage, expected] of Object.entries(again)) {
    const before = await service.store.head();
    const replayed = await replayFrom(service, id, stage);
    version += 1;
    assert.deepEqual(
      [replayed.state, replayed.version, replayed.error],
      ['idle.saved', version, null],
    );
    const started = new Set<string>();
    for await (const fact of service.store.read(recordingStream(id))) {
      if (fact.position > before && fact.type === 'stage.started') started.add(fact.data.stage);
    }
    assert.deepEqual([...started].toSorted(), expected, stage);
  }
  await assert.rejects(replayFrom(service, id, 'diarize'), NotAccepted);
  await assert.rejects(replayFrom(service, id, 'everything'), /Begin from one of transcribe,/);
});

test('one that failed is to be retried or cleared first, and says so', async (t) => {
  const { service, token } = await withAda(t);
  service.engines.fail('transcribe');
  const { recording_id: id } = (await service.upload(token)).body;
  await service.reaches(id, 'error');
  await assert.rejects(replayFrom(service, id, 'transcribe'), {
    name: 'NotAccepted',
    message: /Processing failed last time\. Choose “Try again”, or dismiss the error/,
  });
});

test('from diarize and join a meeting is attributed again, and asks who spoke', async (t) => {
  const { service, token } = await withAda(t);
  const id = await service.settled(token, { kind: 'meeting' });
  for (const stage of ['diarize', 'join']) {
    await service.named(token, id, { SPEAKER_1: 'Ada' });
    const replayed = await replayFrom(service, id, stage);
    assert.equal(replayed.state, 'awaiting-speakers', stage);
  }
});
