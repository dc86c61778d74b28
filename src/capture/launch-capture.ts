import { spawn } from 'node:child_process';
import { programPath } from '../package-root.ts';
import { StageError } from '../stage-error.ts';
import { claimToSocketMs, type CaptureSpec } from './capture-protocol.ts';

/**
 * Starts a capture process that outlives this one; returns when it listens on its socket.
 * @throws {StageError} `capture-not-started`.
 */
export function launchCapture(spec: CaptureSpec, env: NodeJS.ProcessEnv): Promise<void> {
  const entry = programPath('src/capture/capture-process');
  const debugging = /^--inspect/;
  // A loader named by its package is found from here, not from the folder the process runs in.
  const execArgv = process.execArgv
    .filter((argument) => !debugging.test(argument))
    .map((argument, index, all) =>
      all[index - 1] === '--import' && /^[\w@][\w@/.-]*$/.test(argument)
        ? import.meta.resolve(argument)
        : argument,
    );
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...execArgv, entry, JSON.stringify(spec)], {
      detached: true,
      // Nothing of the service's: its end must not be felt. Only whether it came up is heard.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      cwd: spec.folder,
      env: {
        ...env,
        ...(spec.alsaConfigPath === null ? {} : { ALSA_CONFIG_PATH: spec.alsaConfigPath }),
      },
    });
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      reject(captureNotStarted('It did not come up in time.'));
    }, claimToSocketMs);
    child.once('error', (error) => {
      clearTimeout(limit);
      reject(captureNotStarted(error.message));
    });
    child.once('exit', (code, signal) => {
      clearTimeout(limit);
      reject(captureNotStarted(`It ended with ${signal ?? `code ${code}`}.`));
    });
    child.once('message', () => {
      clearTimeout(limit);
      child.unref();
      child.channel?.unref();
      resolve();
    });
  });
}

export function captureNotStarted(why: string): StageError {
  return new StageError('capture-not-started', `The recording could not be started: ${why}`, {
    retriable: true,
  });
}
