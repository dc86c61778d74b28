import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Starts a TypeScript file of this folder that talks to us by messages. */
export function startChild(name: string, ...args: string[]): ChildProcess {
  return fork(join(import.meta.dirname, `${name}.ts`), args, {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** The next message of a child that has a member. */
export async function messageWith<T extends object>(
  child: ChildProcess,
  member: string,
): Promise<T> {
  for (;;) {
    const [message] = (await once(child, 'message')) as [object];
    if (member in message) return message as T;
  }
}
