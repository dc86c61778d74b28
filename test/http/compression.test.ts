import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { rawRequest, withAda } from '../support/http-client.ts';

const decoders = { br: brotliDecompressSync, gzip: gunzipSync } as const;

test('a large text comes compressed to who takes that, and is the same', async (t) => {
  const { service, token } = await withAda(t);
  const ask = (path: string, encodings?: string, method = 'GET') =>
    rawRequest(service.url, {
      method,
      path,
      headers: {
        authorization: `Bearer ${token}`,
        ...(encodings === undefined ? {} : { 'accept-encoding': encodings }),
      },
    });

  for (const path of ['/machine', '/openapi.json', '/config/schema']) {
    const plain = await ask(path);
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.headers['vary'], 'Accept-Encoding');
    assert.equal(Number(plain.headers['content-length']), plain.bytes.length);
    for (const [accepts, encoding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip, deflate', 'gzip'],
      // Asked again, it is there already.
      ['gzip', 'gzip'],
      ['gzip;q=0.5, br;q=0', 'gzip'],
    ] as const) {
      const answer = await ask(path, accepts);
      assert.equal(answer.headers['content-encoding'], encoding, `${path}: ${accepts}`);
      assert.equal(answer.headers['vary'], 'Accept-Encoding');
      assert.equal(answer.headers['content-type'], plain.headers['content-type']);
      assert.equal(Number(answer.headers['content-length']), answer.bytes.length);
      assert.ok(answer.bytes.length < plain.bytes.length / 2, `${answer.bytes.length} bytes`);
      assert.equal(decoders[encoding](answer.bytes).toString(), plain.body);
      const { headers, bytes } = await ask(path, accepts, 'HEAD');
      assert.equal(headers['content-encoding'], encoding);
      assert.equal(headers['content-length'], answer.headers['content-length']);
      assert.equal(bytes.length, 0);
    }
    for (const accepts of ['identity', 'deflate, zstd', 'gzip;q=0', '*;q=0']) {
      const answer = await ask(path, accepts);
      assert.equal(answer.headers['content-encoding'], undefined, accepts);
      assert.equal(answer.body, plain.body);
    }
  }
  const small = await ask('/status', 'br, gzip');
  assert.equal(small.headers['content-encoding'], undefined, 'not worth it');
  assert.equal(Number(small.headers['content-length']), small.bytes.length);
});

test('tags, conditions and ranges mean the same; audio and what answers a change are never compressed', async (t) => {
  // Long documents.
  const { service, token } = await withAda(t, { marker: () => 'kaleidoscope '.repeat(1000) });
  const id = await service.settled(token, { kind: 'solo' });
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET', sent = '') =>
    rawRequest(service.url, {
      method,
      path,
      headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip, br', ...headers },
      body: sent,
    });

  type Library = { transcripts: { filename: string }[] };
  const library = await service.call<Library>('GET', '/transcripts', { token });
  const document = `/transcripts/${encodeURIComponent(library.body.transcripts[0]!.filename)}`;
  const read = await ask(document);
  assert.equal(read.headers['content-encoding'], 'br');
  const tag = String(read.headers['etag']);
  assert.equal((await ask(document, { 'accept-encoding': 'identity' })).headers['etag'], tag);
  const unchanged = await ask(document, { 'if-none-match': tag });
  assert.equal(unchanged.status, 304);
  assert.equal(unchanged.headers['content-encoding'], undefined);
  assert.equal(unchanged.bytes.length, 0);
  const edited = brotliDecompressSync(read.bytes).toString().replace('kaleidoscope', 'telescope');
  const given = { 'if-match': tag, 'content-type': 'text/markdown' };
  assert.equal((await ask(document, given, 'PUT', edited)).status, 200);

  const audio = `/recordings/${id}/audio`;
  const whole = await ask(audio);
  assert.equal(whole.headers['content-encoding'], undefined);
  const part = await ask(audio, { range: 'bytes=4-99' });
  assert.equal(part.status, 206);
  assert.equal(part.headers['content-encoding'], undefined);
  assert.deepEqual(part.bytes, whole.bytes.subarray(4, 100));

  const json = { 'content-type': 'application/json' };
  const changed = await ask(`/recordings/${id}`, json, 'PATCH', '{"title":"Other"}');
  assert.equal(changed.status, 200);
  assert.ok(changed.bytes.length > 4096, 'large enough');
  assert.equal(changed.headers['content-encoding'], undefined);
});
