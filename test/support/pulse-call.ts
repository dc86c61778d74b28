import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

/** A program that records the microphone and plays, as a call does: PulseAudio's own, both of one file. */
export async function startCall(t: TestContext, env: NodeJS.ProcessEnv) {
  const name = '--client-name=Phone';
  const running = [
    spawn('pacat', ['--record', name, '--device=desk_mic'], { env, stdio: 'ignore' }),
    spawn('pacat', ['--playback', name, '--device=speakers', '/dev/zero'], {
      env,
      stdio: 'ignore',
    }),
  ];
  const end = async () => {
    for (const program of running) {
      if (program.exitCode !== null || program.signalCode !== null) continue;
      program.kill('SIGKILL');
      await once(program, 'exit');
    }
  };
  t.after(end);
  return { end };
}
