import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { type SessionBus, openSessionBus } from '../../src/tray/session-bus.ts';
import { tempDir } from './temp-dir.ts';

/** A session bus of the test's own. */
export type PrivateBus = {
  env: NodeJS.ProcessEnv;
  /** Another connection to it, as of the desktop. */
  connect(): Promise<SessionBus>;
  end(): Promise<void>;
};

export async function privateBus(t: Pick<TestContext, 'after'>): Promise<PrivateBus> {
  const address = `unix:path=${join(await tempDir(t), 'bus')}`;
  const daemon = spawn(
    'dbus-daemon',
    ['--session', '--nofork', '--print-address=1', `--address=${address}`],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const gone = once(daemon, 'exit');
  const end = async () => {
    daemon.kill('SIGKILL');
    await gone;
  };
  t.after(end);
  await once(createInterface({ input: daemon.stdout }), 'line');
  const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: address };
  return {
    env,
    end,
    async connect() {
      const connection = await openSessionBus(env);
      t.after(() => connection.close());
      return connection;
    },
  };
}
