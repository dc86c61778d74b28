import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventStore } from '../../events/store.ts';
import { usersStream } from '../../events/facts/catalogue.ts';
import { recordingStream } from '../../events/facts/recording.ts';
import { hashPassword } from '../../src/accounts/passwords.ts';
import { password } from '../support/http-client.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { tempLog } from '../support/temp-log.ts';

type Offered = Parameters<EventStore['append']>[1][number];

const [rootId, bobId] = ['01J0000000000000000000000A', '01J0000000000000000000000B'];

/**
 * The data directory of 0.1 in which bob began a recording under the administrator's id, which browsers chose then. Facts of
 * users had the plain id for their subject, so account and recording have one key.
 */
async function attacked(t: Parameters<typeof tempLog>[0]): Promise<string> {
  const temp = await tempLog(t);
  const log = await temp.open();
  const passwordHash = await hashPassword(password, 'argon2id');
  const registered = (id: string, username: string): Offered => ({
    type: 'user.registered',
    data: { user_id: id, is_admin: id === rootId },
    content: { username, password_hash: passwordHash },
    by: id,
    command: `c-${id}`,
    subject: id,
  });
  // The log of today refuses a recording under a subject that is there: here it is begun before the user is.
  await log.append(
    recordingStream(rootId),
    [
      {
        type: 'recording.started',
        data: {
          owner: bobId,
          kind: 'solo',
          language: null,
          speakers: null,
          device: null,
          trigger: 'browser',
        },
        content: { title: 'what bob began' },
        by: bobId,
        command: 'c-attack',
        subject: rootId,
      },
    ],
    0,
  );
  await log.append(usersStream, [registered(rootId, 'root'), registered(bobId, 'bob')], 0);
  await log.close();
  return temp.root;
}

test('an account under whose id somebody began a recording in 0.1 outlives that recording', async (t) => {
  const dataDir = await attacked(t);
  const login = async (url: string, username: string) =>
    await apiOf(url).post<{ token: string; is_admin: boolean }>('/login', { username, password });
  for (let start = 0; start < 3; start += 1) {
    const service = await startServiceProcess(dataDir);
    t.after(() => service.end('SIGKILL'));
    const root = await login(service.url, 'root');
    assert.equal(root.is_admin, true, `start ${start}`);
    const bob = apiOf(service.url, (await login(service.url, 'bob')).token);
    const { recordings } = await bob.get<{ recordings: { recording_id: string }[] }>('/recordings');
    assert.deepEqual(
      recordings.map(({ recording_id: id }) => id),
      start === 0 ? [rootId] : [],
    );
    if (start === 0) {
      await bob.post(`/recordings/${rootId}/discard`);
    }
    const { users } = await apiOf(service.url, root.token).get<{ users: { username: string }[] }>(
      '/users',
    );
    assert.deepEqual(users.map(({ username }) => username).toSorted(), ['bob', 'guest', 'root']);
    await service.end('SIGTERM');
  }
});
