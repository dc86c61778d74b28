import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Captures } from '../../src/capture/captures.ts';
import {
  type ProblemAnswer,
  type TestService,
  connect,
  password,
  rawRequest,
  startService,
  withAda,
} from '../support/http-client.ts';
import { tempDir } from '../support/temp-dir.ts';
import { onPostgres } from '../support/test-store.ts';

/**
 * One test a row of the service's first interface document, by the row's name. How devices, programs and
 * engines really behave is shown where they are tested; here it is what goes over the wire.
 */

test('GET /audio/devices: list of input-device names as the capture library reports them', async (t) => {
  const { service, user } = await seeded(t);
  const { body } = await service.call('GET', '/audio/devices', { token: user });
  assert.deepEqual(body, {
    devices: ['Headset', 'mitschrift-combined'],
    default: 'Headset',
    held: [],
    // The test's own process asks, on this machine.
    here: true,
  });
});

test('POST /audio/combined: module_ids, an array of integers; only an administrator may call it', async (t) => {
  const { service, admin, user, combined } = await seeded(t);
  const json = { microphone: 'alsa_input.usb', monitor: 'alsa_output.pci.monitor' };
  const refused = await service.call('POST', '/audio/combined', { token: user, json });
  assert.equal(refused.status, 403);
  assert.deepEqual(combined, []);
  const { body } = await service.call('POST', '/audio/combined', { token: admin, json });
  assert.deepEqual(body, { device: 'mitschrift-combined', module_ids: [21, 22, 23] });
  assert.deepEqual(combined, [json]);
  const config = await service.call<Config>('GET', '/config', { token: admin });
  assert.equal(config.body.config.audio['device'], 'mitschrift-combined');
});

test('PUT /config: the body is deep-merged into the stored config and persisted', async (t) => {
  const { service, admin, user } = await seeded(t);
  const put = (json: object, token = admin) =>
    service.call<Config>('PUT', '/config', { token, json });
  await put({ stt: { base_url: 'http://127.0.0.1:9/v1', model: 'large' } });
  const { body } = await put({ stt: { model: 'small' }, audio: { device: 'Headset' } });
  assert.equal(body.config.stt['base_url'], 'http://127.0.0.1:9/v1', 'a sibling keeps its value');
  assert.equal(body.config.stt['model'], 'small');
  assert.equal(body.config.stt['backend'], 'compat', 'the default');
  assert.equal((await put({ stt: { model: 'x' } }, user)).status, 403);
  const read = await service.call<Config>('GET', '/config', { token: admin });
  assert.deepEqual(read.body, body);
  const facts = [];
  for await (const fact of service.store.read('config')) facts.push(fact.type);
  assert.equal(facts.length, 4, 'each accepted key is in the log');
});

test('POST /speakers: resolves the pipeline pause; the labels are replaced by the given names', async (t) => {
  const { service, user } = await seeded(t);
  const id = await service.settled(user, { kind: 'meeting' });
  const paused = await service.call('GET', '/status', { token: user });
  assert.equal(paused.body['status'], 'AWAITING_SPEAKERS');
  const json = { speakers: { SPEAKER_1: 'Ada Lovelace' } };
  assert.equal((await service.call('POST', '/speakers', { token: user, json })).status, 200);
  await service.reaches(id, 'idle.saved');
  const transcript = await documentOf(service, user, 'transcript');
  assert.match(transcript, /\*\*Ada Lovelace\*\*/);
  assert.doesNotMatch(transcript, /SPEAKER\\?_1/);
  assert.match(transcript, /\*\*[^*]*2\*\*/, 'who was not named keeps the label');
});

test('GET /transcripts/{filename}: content of the transcript file', async (t) => {
  const { service, user } = await saved(t);
  const index = await documentOf(service, user, 'index');
  assert.match(index, /There is a plan\. It is secret\./);
  const summary = await documentOf(service, user, 'summary');
  assert.match(summary, /Somebody greets and has a plan\./);
  const transcript = await documentOf(service, user, 'transcript');
  assert.match(transcript, /This is the secret plan\./);
  const { documents } = (await libraryOf(service, user))[0]!;
  const base = documents.index.replace(/\.md$/, '');
  assert.deepEqual(documents, {
    index: `${base}.md`,
    transcript: `${base}/transkript.md`,
    summary: `${base}/zusammenfassung.md`,
  });
  for (const document of [transcript, summary]) assert.ok(document.includes(`[[${base}`));
  assert.ok(index.includes(`[[${base}/transkript`) && index.includes(`[[${base}/zusammenfassung`));
});

test('DELETE /transcripts/{filename}: deletes the transcript file', async (t) => {
  const { service, user } = await saved(t);
  const [{ documents } = { documents: none }] = await libraryOf(service, user);
  const path = `/transcripts/${encodeURIComponent(documents.summary)}`;
  assert.equal((await service.call('DELETE', path, { token: user })).status, 204);
  assert.equal((await service.call('GET', path, { token: user })).status, 404);
  const kept = `/transcripts/${encodeURIComponent(documents.transcript)}`;
  assert.equal((await service.call('GET', kept, { token: user })).status, 200);
});

test('Errors: a transcript path that leaves the user’s space is rejected, reading and deleting', async (t) => {
  const { service, user } = await saved(t);
  for (const method of ['GET', 'DELETE']) {
    for (const path of ['..%2f..%2fsetup-code', '%2Fetc%2Fpasswd']) {
      const { status, body } = await service.call<ProblemAnswer>(method, `/transcripts/${path}`, {
        token: user,
      });
      assert.deepEqual([status, body.type], [403, '/problems/outside-space'], `${method} ${path}`);
    }
  }
});

test('POST /transcripts/{filename}/reprocess: runs the transcript through the language-model server again', async (t) => {
  const { service, user } = await saved(t);
  const [item] = await libraryOf(service, user);
  const path = `/transcripts/${encodeURIComponent(item!.filename)}/reprocess`;
  const { status, body } = await service.call('POST', path, { token: user });
  assert.deepEqual([status, body['recording_id']], [202, item!.recording_id]);
  await service.reaches(item!.recording_id, 'idle.saved');
  await service.projections.applied('all', await service.store.head());
  const again = await service.call(`GET`, `/recordings/${item!.recording_id}`, { token: user });
  assert.equal(again.body['version'], 2);
});

test(
  'POST /open: folder selects the file; notes copies all three into the vault',
  { skip: onPostgres },
  async (t) => {
    const { service, admin, shown, opened, vault } = await seeded(t);
    await service.settled(admin);
    const [{ documents, filename } = { documents: none, filename: '' }] = await libraryOf(
      service,
      admin,
    );
    const open = (json: object) => service.call('POST', '/open', { token: admin, json });
    await open({ mode: 'folder', paths: [filename] });
    assert.equal(shown.length, 1);
    assert.ok(shown[0]!.endsWith(filename));
    // Only the index is given: the two siblings are copied too.
    const { body } = await open({ mode: 'notes', paths: [filename] });
    assert.deepEqual(
      (body['opened'] as string[]).toSorted(),
      [documents.index, documents.transcript, documents.summary].toSorted(),
    );
    for (const path of Object.values(documents)) {
      assert.ok((await readFile(join(vault, path), 'utf8')).length > 0, path);
    }
    assert.equal(opened.length, 1);
    const uri = new URL(opened[0]!);
    assert.equal(uri.protocol, 'obsidian:');
    assert.ok(uri.searchParams.get('vault'));
    assert.equal(uri.searchParams.get('file'), filename.replace(/\.md$/, ''));
  },
);

test('toggle recording: resets an error state', async (t) => {
  const { service, user } = await seeded(t);
  service.engines.fail('summarise');
  const { recording_id: id } = (await service.upload(user)).body;
  await service.reaches(id, 'error');
  const failed = await service.call('GET', '/status', { token: user });
  assert.equal(failed.body['status'], 'ERROR');
  assert.ok(
    service.logged.some((line) => line.includes('"stack"')),
    'the traceback is logged',
  );
  const { body } = await service.call('POST', '/toggle', { token: user, json: {} });
  assert.deepEqual(body, { status: 'IDLE', recording_id: id, action: 'reset' });
});

test('status: the response includes the boolean is_admin', async (t) => {
  const { service, admin, user } = await seeded(t);
  for (const [token, isAdmin] of [
    [admin, true],
    [user, false],
  ] as const) {
    const { body } = await service.call('GET', '/status', { token });
    assert.equal(body['is_admin'], isAdmin);
  }
});

test('list transcripts: those of the user’s own space', async (t) => {
  const { service, admin, user, id } = await saved(t);
  assert.deepEqual(
    (await libraryOf(service, user)).map(({ recording_id }) => recording_id),
    [id],
  );
  assert.deepEqual(await libraryOf(service, admin), []);
});

test('a WebSocket channel: the token goes in the query string; saved carries the three paths', async (t) => {
  const { service, user } = await seeded(t);
  const client = connect(service.url, user);
  await client.until(({ type }) => type === 'position');
  const { recording_id: id } = (await service.upload(user, { kind: 'meeting' })).body;
  await client.until(({ type, status }) => type === 'status' && status === 'AWAITING_SPEAKERS');
  await service.call('POST', '/speakers', { token: user, json: { skip: true } });
  const saved = await client.until(({ type }) => type === 'saved');
  assert.equal(saved['recording_id'], id);
  const [item] = await libraryOf(service, user);
  assert.deepEqual(saved['paths'], item!.documents);
});

test('the page and all that it refers to are served without an auth header', async (t) => {
  const { service } = await seeded(t);
  const { status, headers, body } = await rawRequest(service.url, { path: '/' });
  assert.equal(status, 200);
  assert.match(String(headers['content-type']), /^text\/html/);
  const parts = Array.from(body.matchAll(/(?:href|src)="([^":#]+)"/g), ([, path]) => path!);
  assert.ok(parts.length >= 3, parts.join(' '));
  for (const part of parts) {
    const { pathname } = new URL(part, service.url);
    assert.equal((await rawRequest(service.url, { path: pathname })).status, 200, pathname);
  }
});

test('login: produces a session token; requests present the token', async (t) => {
  const { service } = await seeded(t);
  const json = { username: 'ben', password };
  const { body } = await service.call('POST', '/login', { json });
  const token = String(body['token']);
  assert.equal((await service.call('GET', '/status', { token })).status, 200);
  assert.equal((await service.call('GET', '/status')).status, 401);
});

test('first-run setup: happens over HTTP, once, without a terminal', async (t) => {
  const service = await startService(t);
  const state = () => service.call('GET', '/setup/state');
  assert.equal((await state()).body['setup_required'], true);
  const json = { username: 'ada', password, config: { ui: { language: 'de' } } };
  const { status, body } = await service.call('POST', '/setup', { json });
  assert.deepEqual([status, body['is_admin']], [201, true]);
  assert.equal((await state()).body['setup_required'], false);
  assert.equal((await service.call('POST', '/setup', { json })).status, 409);
});

test('read config: for administrators, secrets masked', async (t) => {
  const { service, admin, user } = await seeded(t);
  const json = { llm: { api_key: 'sk-secret' } };
  await service.call('PUT', '/config', { token: admin, json });
  const { body } = await service.call<Config>('GET', '/config', { token: admin });
  assert.equal(body.config.llm['api_key'], '••••');
  assert.equal((await service.call('GET', '/config', { token: user })).status, 403);
});

type Config = { config: Record<'audio' | 'stt' | 'llm', Record<string, unknown>> };
type Item = {
  recording_id: string;
  filename: string;
  documents: { index: string; transcript: string; summary: string };
};
const none = { index: '', transcript: '', summary: '' };

/** A service with an administrator and a user; devices, desktop and vault are stand-ins that remember. */
async function seeded(t: TestContext) {
  const combined: object[] = [];
  const shown: string[] = [];
  const opened: string[] = [];
  const vault = join(await tempDir(t), 'vault');
  await mkdir(vault);
  const captures: Partial<Captures> = {
    onHeld: () => () => {},
    devices: async () => ({ devices: ['Headset', 'mitschrift-combined'], default: 'Headset' }),
    held: () => [],
    combine: async (selection) => {
      combined.push(selection);
      return [21, 22, 23];
    },
    now: () => null,
    warnings: () => null,
    onNow: () => () => {},
    onWarnings: () => () => {},
  };
  const { service, token: admin } = await withAda(t, {
    env: { MITSCHRIFT_NOTES_VAULT: vault },
    overrides: {
      captures: captures as Captures,
      desktop: {
        showFiles: async (paths) => void shown.push(...paths),
        openUri: async (uri) => void opened.push(uri),
      },
    },
  });
  const user = await service.addUser('ben');
  return { service, admin, user, combined, shown, opened, vault };
}

async function saved(t: TestContext) {
  const parts = await seeded(t);
  const id = await parts.service.settled(parts.user);
  await parts.service.projections.applied('all', await parts.service.store.head());
  return { ...parts, id };
}

async function libraryOf(service: TestService, token: string): Promise<Item[]> {
  await service.projections.applied('all', await service.store.head());
  const { body } = await service.call<{ transcripts: Item[] }>('GET', '/transcripts', { token });
  return body.transcripts;
}

async function documentOf(
  service: TestService,
  token: string,
  which: keyof Item['documents'],
): Promise<string> {
  const [item] = await libraryOf(service, token);
  const path = `/transcripts/${encodeURIComponent(item!.documents[which])}`;
  return (await service.call<string>('GET', path, { token })).body;
}
