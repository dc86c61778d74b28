import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../support/http-client.ts';

/**
 * What clients and operators rely on, in numbers and not read from the source: a limit that changes by
 * mistake is seen here. One that changes on purpose changes here too, and in CHANGELOG.md.
 */
const promised = {
  jsonBytesMax: 1_048_576,
  uploadFieldsBytesMax: 65_536,
  uploadFieldsMax: 16,
  uploadsAtOnceMax: 16,
  pageMax: 200,
  pageDefault: 50,
  idempotencyKeyCharactersMax: 255,
  rememberedAnswersMax: 1000,
  readYourWritesMs: 5000,

  ticketMs: 600_000,
  peaksMax: 1_000_000,
  exportsWaitingMax: 16,
  searchCharactersMax: 400,
  hitsMax: 100,
  hitsDefault: 20,
  openPathsMax: 50,
  openWaitingMax: 16,
  resumableMs: 86_400_000,
  resumablePerUserMax: 32,
  resumableMax: 1000,

  socketsPerUserMax: 32,
  messageBytesMax: 65_536,
  browserRecordingsPerUserMax: 4,
  audioMessagesWaitingMax: 16,
  socketBufferBytesMax: 1_048_576,
  heartbeatMs: 15_000,
  socketDrainMs: 30_000,
  catchUpsAtOnceMax: 4,
  progressEveryMs: 250,

  headersTimeoutMs: 60_000,
  jsonBodyMs: 60_000,
  requestTimeoutMs: 21_600_000,
  keepAliveTimeoutMs: 10_000,
  connectionsMax: 2000,
  idleTimeoutMs: 300_000,
  closeMs: 10_000,
};

test('GET /openapi.json states the limits that are promised', async (t) => {
  const service = await startService(t);
  const { body } = await service.call<{ 'x-limits': Record<string, number> }>(
    'GET',
    '/openapi.json',
  );
  const stated = body['x-limits'];
  const names = Object.keys(promised);
  assert.deepEqual(Object.fromEntries(names.map((name) => [name, stated[name]])), promised);
});
