import { hostFrom } from '../shared/data-directory.ts';
import type { Toggled } from '../capture/toggle.ts';
import { commandLine } from '../shared/command-line.ts';
import { askService } from '../service/control/socket.ts';

/** The switch for a hotkey: acts as the guest through the trigger socket, loads next to nothing. */
export async function toggle(options: {
  meeting: boolean;
  stop: boolean;
  reset: boolean;
}): Promise<void> {
  const { data } = hostFrom(process.env);
  const toggled = await askService<Toggled>(data.triggerSocket, 'toggle', {
    ...(options.stop ? { action: 'stop' } : {}),
    ...(options.reset ? { action: 'reset' } : {}),
    ...(options.meeting ? { kind: 'meeting' } : {}),
  });
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
