/**
 * The capture process: records one device into one file. Detached from the service, so that neither a
 * crash of the sound system's libraries nor the end of the service ends a recording. Started with a
 * `CaptureSpec` as its one argument and an IPC channel, on which it says once that it listens.
 */
import { type CaptureSpec, claimToSocketMs } from './protocol.ts';
import { ClaimedElsewhere, readClaim } from '../file/capture-files.ts';
import { serveControl } from './control-server.ts';
import { loadNaudiodon } from '../device/device-stream.ts';
import { openRecorder } from './recorder.ts';

/** How a process ends whose recording another process has claimed. */
const claimedElsewhereCode = 3;

process.umask(0o077);
// The terminal that the service was started from may close.
process.on('SIGHUP', () => undefined);
await main(JSON.parse(process.argv[2] ?? '')).catch((error: unknown) => {
  process.exit(error instanceof ClaimedElsewhere ? claimedElsewhereCode : 1);
});

async function main(spec: CaptureSpec): Promise<void> {
  const claim = await readClaim(spec.folder);
  // Started so late that the service may have given it up already.
  if (claim?.claim !== spec.claim || Date.now() - claim.at > claimToSocketMs)
    throw new ClaimedElsewhere();
  const recorder = await openRecorder(spec, loadNaudiodon());
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => recorder.end('terminated'));
  const control = await serveControl(spec.socketPath, {
    orphanMs: spec.limits.orphanMs,
    status: () => recorder.status(),
    onCommand(op) {
      if (op === 'stop') recorder.end('stopped');
      else recorder[op]();
    },
    onOrphaned: () => recorder.end('orphaned'),
  });
  process.send?.('listening', undefined, {}, () => process.disconnect?.());

  const { last, hung } = await recorder.ended;
  await control.close(last);
  // A thread that waits for the audio server would hold up an ordinary end.
  if (hung) process.kill(process.pid, 'SIGKILL');
  process.exit(0);
}
