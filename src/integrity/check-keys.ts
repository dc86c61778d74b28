import { keyFileState } from '../../events/file-keys.ts';
import type { Log as EventLog } from '../../events/level-log.ts';
import type { KeyStore } from '../../events/keys.ts';
import { LeastRecentMap } from '../../events/least-recent.ts';
import { salvage } from '../../events/salvage.ts';
import type { DataFolder } from '../host.ts';
import type { Finding } from './findings.ts';

export type KeysChecked = { sound: number; erased: number };

/** Subjects remembered as looked at; one beyond that is looked at again. */
const subjectsKept = 10_000;

/**
 * Looks at the key file of every subject that has content: it is sound, or the subject is listed as
 * erased. The files themselves, not what the service has in memory; also around damaged records.
 */
export async function checkKeys(
  deps: { store: EventLog; keys: KeyStore; data: Pick<DataFolder, 'keys'> },
  report: (finding: Finding) => void,
  pause: () => Promise<void> = async () => {},
): Promise<KeysChecked> {
  const { store, keys, data } = deps;
  const looked = new LeastRecentMap<string, true>(subjectsKept);
  const checked: KeysChecked = { sound: 0, erased: 0 };
  for await (const page of salvage(store.db)) {
    await pause();
    for (const { fact } of page) {
      const { subject, content } = fact ?? {};
      if (content === undefined || subject === undefined || looked.get(subject)) continue;
      looked.set(subject, true);
      const state = await keyFileState(data.keys, subject);
      if (state === 'sound') checked.sound += 1;
      else if ((await keys.erasures()).some((erasure) => erasure.subject === subject)) {
        checked.erased += 1;
      } else {
        const what =
          state === 'MISSING'
            ? 'The key is missing, and its subject was not erased: what it opens cannot be read.'
            : 'The key is not as it was written: what it opens cannot be read.';
        report({ kind: 'key', severity: 'damage', path: `keys/${subject}`, what });
      }
    }
  }
  return checked;
}
