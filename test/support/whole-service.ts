import pino from 'pino';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { BrowserLimits } from '../../src/capture/browser/browser-writer.ts';
import { hostFrom } from '../../src/shared/data-directory.ts';
import { startService } from '../../src/main.ts';
import { apiOf, inviteUser, setUp } from './service-process.ts';
import { tempDir } from './temp-dir.ts';
import { storeVariables } from './test-store.ts';

/** The service as `main.ts` puts it together, in this process, on a free port; it has no engine. */
export async function wholeService(
  t: TestContext,
  options: { browserLimits?: Partial<BrowserLimits>; env?: NodeJS.ProcessEnv } = {},
) {
  let running: Awaited<ReturnType<typeof startService>> | null = null;
  const stop = async () => {
    await running?.close();
    running = null;
  };
  t.after(stop);
  const root = await tempDir(t);
  const { browserLimits = {}, env = {} } = options;
  const start = async () => {
    const store = await storeVariables(root);
    const host = hostFrom({ ...process.env, ...store, MITSCHRIFT_PORT: '0' });
    const log = pino({ level: 'silent' });
    running = await startService({ host, env, log, trial: { browserLimits } });
    await running.ready;
    return running.url;
  };
  const password = 'correct horse battery';
  let url = await start();
  const token = await setUp(url, { username: 'ada' });
  return {
    token,
    url: () => url,
    api: (as = token) => apiOf(url, as),
    folder: (recordingId: string) => join(root, 'recordings', recordingId),
    async login(username: string): Promise<string> {
      if (username !== 'ada') await inviteUser(url, token, { username, password, is_admin: true });
      return (await apiOf(url).post<{ token: string }>('/login', { username, password })).token;
    },
    async restart() {
      await stop();
      url = await start();
    },
  };
}
