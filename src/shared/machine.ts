import { availableParallelism, totalmem } from 'node:os';
import { hasCode } from './errors.ts';

/** What a process has to work with. */
export type Machine = { memoryBytes: number; cores: number };

/** What this process may use: in a container with a limit, that. */
export function thisMachine(): Machine {
  const constrained = process.constrainedMemory();
  const memory = constrained > 0 && constrained < totalmem() ? constrained : totalmem();
  return { memoryBytes: memory, cores: availableParallelism() };
}

/** Whether there is a process of that id on this host. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}
