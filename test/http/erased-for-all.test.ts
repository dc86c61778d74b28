import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { HttpServices } from '../../src/http/services.ts';
import { eventually } from '../support/eventually.ts';
import { filesBelow } from '../support/files-below.ts';
import { type TestService, connect, wav, withAda } from '../support/http-client.ts';

/** Audio that is being played: half an hour, of which little is read. */
async function playing(service: TestService, path: string, token: string | null) {
  const headers = token === null ? {} : { Authorization: `Bearer ${token}` };
  const asked = request(service.url + path, { headers });
  asked.on('error', () => {});
  asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  assert.equal(answer.statusCode, 200);
  answer.on('error', () => {});
  return {
    /** Reads on as slowly as somebody who listens, until nothing more comes. */
    async ended(): Promise<void> {
      const reads = setInterval(() => answer.read(), 5);
      // An answer that is cut off is an error of it, which `once` would throw.
      if (!answer.closed) await new Promise((resolve) => answer.once('close', resolve));
      clearInterval(reads);
      assert.equal(answer.complete, false);
    },
  };
}

/** A model that never answers. */
function silentModel() {
  let asked = 0;
  const ask: HttpServices['questions']['ask'] = async ({ signal }) => {
    asked += 1;
    return await new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(new Error('ended')), { once: true }),
    );
  };
  return { questions: { ask, summarise: ask as never }, asked: () => asked };
}

/** An owner's note with half an hour of audio, and a reader. */
async function shared(t: TestContext) {
  const model = silentModel();
  const { service, token: ada } = await withAda(t, {
    marker: () => 'zebracadabra',
    overrides: { questions: model.questions },
  });
  const owen = await service.addUser('owen');
  const rita = await service.addUser('rita');
  const id = await service.settled(owen, { title: 'Zebratitle' }, { audio: wav(1800) });
  const path = `/recordings/${id}`;
  const as = (token: string) => async (method: string, at: string, json?: object) =>
    await service.call<{ id: string; url: string; ticket: string; hits: object[] }>(method, at, {
      token,
      ...(json && { json }),
    });
  let count = 0;
  /** A question of the reader that is being answered; `answer` is its end. */
  const asks = async () => {
    const answer = service.call('POST', '/questions', {
      token: rita,
      json: { question: 'What was said?', recording_id: id },
    });
    count += 1;
    const early = async () => assert.fail(JSON.stringify(await answer));
    await Promise.race([eventually('asked', () => model.asked() === count), early()]);
    return { answer };
  };
  return { service, id, path, ada, owen, rita, as, asks };
}

test('erasing ends at once who plays, follows, searches, asks and has a link open; nothing of the talk is left but sealed', async (t) => {
  const { service, path, owen, rita, as, asks } = await shared(t);
  const owns = as(owen);
  await owns('PUT', `${path}/access`, { user: 'rita', audio: true });
  const link = (await owns('POST', `${path}/links`, { name: 'Zebralink', audio: true })).body;
  const token = new URL(link.url).hash.slice(1);
  const opened = (await service.call<{ ticket: string }>('POST', '/shared', { json: { token } }))
    .body;
  const byLink = connect(service.url, '', { query: `&ticket=${opened.ticket}` });
  const follows = connect(service.url, rita);
  t.after(() => [byLink, follows].forEach((one) => one.close()));
  await follows.until(({ type }) => type === 'position');
  await byLink.until(({ type }) => type === 'shared');
  const found = async () => (await as(rita)('GET', '/search?q=zebracadabra')).body.hits.length;
  await eventually('found', async () => (await found()) === 1);
  const plays = [
    await playing(service, `${path}/audio`, owen),
    await playing(service, `${path}/audio`, rita),
    await playing(service, `${path}/audio?ticket=${opened.ticket}`, null),
  ];
  const question = await asks();

  const begun = performance.now();
  assert.equal((await owns('DELETE', path)).status, 204);
  const gone = performance.now();
  const times: string[] = [];
  const ends = async (what: string, end: Promise<unknown>) => {
    await end;
    times.push(`${what} ${Math.round(performance.now() - gone)}`);
  };
  const answered = question.answer.then(({ status }) => assert.equal(status, 404));
  await Promise.all([
    ends('owner plays', plays[0]!.ended()),
    ends('reader plays', plays[1]!.ended()),
    ends('plays by link', plays[2]!.ended()),
    ends(
      'follows',
      follows.until(({ type, to }) => type === 'transition' && to === 'idle.erased'),
    ),
    ends(
      'open by link',
      byLink.until(({ type, state }) => type === 'shared' && state === 'over'),
    ),
    ends('closed by link', byLink.closed),
    ends('asks', answered),
    ends(
      'searches',
      found().then((count) => assert.equal(count, 0)),
    ),
  ]);
  t.diagnostic(`erased in ${Math.round(gone - begun)} ms; then, ms: ${times.join(', ')}`);
  assert.equal((await as(rita)('GET', path)).status, 404);
  assert.equal((await service.call('POST', '/shared', { json: { token } })).status, 404);
  await service.close();
  for (const { name, bytes } of await filesBelow(service.dataDir))
    for (const said of ['zebracadabra', 'Zebratitle', 'Zebralink'])
      assert.equal(bytes.includes(said), false, `${said} stands in ${name}`);
});

test('whatever ends a right ends what is played and asked by it, and open pages look again', async (t) => {
  const { service, path, ada, owen, rita, as, asks } = await shared(t);
  const [owns, admin] = [as(owen), as(ada)];
  const folder = (await owns('POST', '/folders', { name: 'Family' })).body.id;
  const group = (await admin('POST', '/groups', { name: 'Choir' })).body.id;
  const { userId } = service.accounts.findUser('rita')!;
  const grant = { user: 'rita', audio: true };
  const follows = connect(service.url, rita);
  t.after(() => follows.close());
  await follows.until(({ type }) => type === 'position');
  const ends = async (give: () => Promise<unknown>, take: () => Promise<unknown>) => {
    await give();
    const plays = await playing(service, `${path}/audio`, rita);
    const asked = await asks();
    const from = follows.frames.length;
    const isNews = ({ type, event }: { type: string; event?: unknown }) =>
      type === 'access' || event === 'access.withdrawn';
    await take();
    await Promise.all([
      plays.ended(),
      (async () => assert.ok([401, 404].includes((await asked.answer).status)))(),
      follows.until((frame) => follows.frames.indexOf(frame) >= from && isNews(frame)),
    ]);
  };
  const shareFolder = async () => {
    await owns('PATCH', path, { folder });
    await owns('PUT', `/folders/${folder}/access`, grant);
  };
  await ends(
    () => owns('PUT', `${path}/access`, grant),
    () => owns('DELETE', `${path}/access/u-${userId}`),
  );
  await ends(shareFolder, () => owns('PATCH', path, { folder: null }));
  await ends(
    () => owns('PATCH', path, { folder }),
    () => owns('DELETE', `/folders/${folder}/access/u-${userId}`),
  );
  await ends(
    async () => {
      await admin('PUT', `/groups/${group}/members/rita`);
      await owns('PUT', `${path}/access`, { group, audio: true });
    },
    () => admin('DELETE', `/groups/${group}/members/rita`),
  );
  await ends(
    () => owns('PUT', `${path}/access`, grant),
    () => admin('PUT', '/config', { sharing: { users: false } }),
  );
  await admin('PUT', '/config', { sharing: { users: true } });
  const plays = await playing(service, `${path}/audio`, rita);
  await admin('PATCH', '/users/rita', { disabled: true });
  await plays.ended();
  assert.equal(await follows.closed, 1008);
});
