import { hostFrom } from '../shared/data-directory.ts';
import type { Toggled } from '../capture/toggle.ts';
import { commandLine } from '../shared/command-line.ts';
import { askInTime } from '../service/control/socket.ts';

/** A service that starts is waited for half a minute there, and then for the device. */
const answerMs = 60_000;

/** The switch for a hotkey: acts as the guest through the trigger socket, loads next to nothing. */
export async function toggle(options: {
  meeting: boolean;
  stop: boolean;
  reset: boolean;
}): Promise<void> {
  const { data } = hostFrom(process.env);
  const body = {
    ...(options.stop ? { action: 'stop' } : {}),
    ...(options.reset ? { action: 'reset' } : {}),
    ...(options.meeting ? { kind: 'meeting' } : {}),
  };
  const late = 'NO ANSWER: Mitschrift is running but doesn’t respond. It may be NOT RECORDING.';
  const asked = { body, ms: answerMs, late };
  const toggled = await askInTime<Toggled>(data.triggerSocket, 'toggle', asked);
  if (toggled === null) {
    // In capitals: the person who pressed the key believes that a recording runs.
    const start = commandLine('serve');
    throw new Error(`NOT RECORDING: Mitschrift isn’t running. Start it with: ${start}`);
  }
  const recording = toggled.recordingId ?? '';
  const said = {
    start: `RECORDING ${recording}`,
    stop: `STOPPED ${recording}`,
    reset: toggled.recordingId === null ? 'NOTHING TO RESET' : 'RESET',
  };
  console.log(said[toggled.action]);
}
