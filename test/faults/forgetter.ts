/* A process that only forgets the key of one subject; `forget.test.ts` ends it at any operation. */
import { openFileKeys } from '../../events/log/file-keys.ts';

const [directory, subject] = process.argv.slice(2) as [string, string];
const keys = await openFileKeys(directory);
await keys.forget(subject);
process.stdout.write('forgotten');
