import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProblemAnswer, rawRequest, withAda } from '../support/http-client.ts';

for (const [setting, fromHere, fromAfar] of [
  ['everyone', true, true],
  ['here', true, false],
  ['administrators', false, false],
] as const) {
  test(`audio.recorders ${setting}: who may record with the devices of the machine`, async (t) => {
    const { service, token: ada } = await withAda(t, {
      env: { MITSCHRIFT_AUDIO_RECORDERS: setting },
    });
    const ben = await service.addUser('ben');
    const toggled = async (token: string, headers: Record<string, string> = {}) => {
      const { status, body } = await rawRequest(service.url, {
        method: 'POST',
        path: '/toggle',
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          ...headers,
        },
        body: JSON.stringify({ action: 'start' }),
      });
      return { status, type: (JSON.parse(body) as ProblemAnswer).type };
    };
    const afar = { 'X-Forwarded-For': '203.0.113.5' };
    const refusal = { status: 403, type: '/problems/not-a-recorder' };
    // Who is not refused gets as far as the device, which this machine may not have.
    for (const [token, headers, isAllowed] of [
      [ada, afar, true],
      [ben, {}, fromHere],
      [ben, afar, fromAfar],
    ] as const) {
      const said = await toggled(token, headers);
      if (isAllowed) assert.notEqual(said.type, refusal.type);
      else assert.deepEqual(said, refusal);
    }
    // What runs can be stopped by whoever began it, and what failed cleared.
    const { status } = await service.call('POST', '/toggle', {
      token: ben,
      json: { action: 'reset' },
    });
    assert.equal(status, 200);
    if (!fromHere) {
      const { body } = await service.call<{ devices: string[] }>('GET', '/audio/devices', {
        token: ben,
      });
      assert.deepEqual(body.devices, []);
      const listed = await service.call<{ recorders: object[]; default: null }>(
        'GET',
        '/recorders',
        { token: ben },
      );
      assert.deepEqual([listed.body.recorders, listed.body.default], [[], null]);
    }
  });
}
