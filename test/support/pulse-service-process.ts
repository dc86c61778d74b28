/** A service in a process of its own, to be killed: starts a recording and tells its id and status. */
import { openCapturingService } from './pulse-service.ts';

const [root, device] = process.argv.slice(2);
const service = await openCapturingService(root!, { env: process.env });
const id = await service.start(device!);
service.captures.onNow((now) => process.send?.({ id, now }));
