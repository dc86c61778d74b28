import type { Access } from '../access.ts';
import type { ProblemType } from '../problems.ts';
import type { Operation } from './operation.ts';

/** Every problem an operation may answer with: its own, and those that follow from what it is. */
export function problemsOf(operation: Operation, access: Access): ProblemType[] {
  const { method, query, body, command, problems = [] } = operation;
  const types = new Set<ProblemType>([...problems, 'host-not-allowed', 'internal']);
  const add = (...more: ProblemType[]): void => more.forEach((type) => types.add(type));
  if (access !== 'public') add('not-authenticated', ...reading);
  if (access === 'admin' || access === 'metrics') add('not-admin');
  if (method !== 'get') add('cross-origin');
  if (query) add('invalid');
  if (body) add('malformed-body', 'too-large', 'too-slow', 'unsupported-media', 'invalid');
  if (method === 'post' && access !== 'public') add('key-used-differently', 'invalid');
  if (command) add('changed-meanwhile', ...appending);
  return [...types];
}

/** The log and the views may be closing, damaged or catching up. */
const reading: readonly ProblemType[] = ['busy', 'stopping', 'log-damaged', 'view-stopped'];

const appending: readonly ProblemType[] = [
  ...reading,
  'outcome-unknown',
  'views-behind',
  'log-newer',
];
