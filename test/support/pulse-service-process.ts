/**
 * A service in a process of its own, to be killed: starts a recording, or takes up the one it is given,
 * and tells its id and what is going on.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openCapturingService } from './pulse-service.ts';

const [root, device, given] = process.argv.slice(2);
const service = await openCapturingService(root!, { env: process.env });
let id = given ?? '';
service.captures.onNow((now) => process.send?.({ id, now }));
if (id === '') id = await service.start(device!);
else {
  await service.captures.reconcile(
    await readdir(join(root!, 'recordings')),
    async () => 'recording',
  );
  await service.takeUp(id);
}
