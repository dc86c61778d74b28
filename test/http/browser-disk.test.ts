import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, startService } from '../support/http-client.ts';

test('a recording whose disk refuses its browser does not wait for it for ever', async (t) => {
  const service = await startService(t, {
    stages: { capture: undefined },
    browserLimits: { graceMs: 300 },
  });
  const token = await service.setUp();
  // Where what is sent is to be noted, nothing can be written once the stream is open.
  let note = '';
  const { browser } = service.services.captures;
  const stream = browser.stream.bind(browser);
  browser.stream = async (recordingId) => {
    const opened = await stream(recordingId);
    note = join(service.dataDir, 'recordings', recordingId, 'capture-browser.json');
    await mkdir(note, { recursive: true });
    return opened;
  };
  const client = connect(service.url, token);
  t.after(() => client.close());
  await client.until(({ type }) => type === 'position');
  const start = { type: 'audio.start', kind: 'solo', sample_rate: 16_000 };
  client.socket.send(JSON.stringify(start));
  await client.until(({ type, code }) => type === 'warning' && code === 'internal');
  await rm(note, { recursive: true });
  // The browser is still there, and sends nothing: there is no audio.
  const id = note.split('/').at(-2)!;
  await service.reaches(id, 'error');
});
