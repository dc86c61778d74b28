/** Writes documents in a process of its own, which kills itself (SIGKILL) before its n-th step. */
import { writeDocuments } from '../../src/documents/write.ts';

type Order = { to: Parameters<typeof writeDocuments>; n: number };

const { to, n } = JSON.parse(process.argv[2]!) as Order;
const [space, paths, contents, known] = to;
let steps = 0;
await writeDocuments(space, paths, contents, known, () => {
  if (steps === n) process.kill(process.pid, 'SIGKILL');
  steps += 1;
});
