import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { userSubject } from '../../events/facts/catalogue.ts';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { type DataFolder, dataFolder } from '../../src/shared/data-directory.ts';
import { wav, withAda } from './http-client.ts';
import { flipped } from './recorded-data.ts';
import { tempDir } from './temp-dir.ts';

/** What can become of a key file. `swapped`: there is a sound key, of somebody else. */
export const keyFaults = ['removed', 'flipped', 'swapped'] as const;
export type KeyFault = (typeof keyFaults)[number];

/** Subjects in the data directory of `keyedData`. `well…` keep their keys. */
export type Subjects = {
  finished: string;
  unsettled: string;
  user: string;
  wellFinished: string;
  wellUnsettled: string;
};

/** The user whose key is lost; `ada`, an administrator, keeps hers. */
export const username = 'bob';

/**
 * A data directory that a service has left: recordings of `ada`, two finished and two in the middle of their
 * work, and a second user. `copy` makes a copy of it to be harmed.
 */
export async function keyedData(t: TestContext) {
  const { service, token } = await withAda(t);
  const upload = async (index: number, state: string): Promise<string> => {
    const fields = { title: `Meeting ${index}`, kind: 'solo' };
    const { body } = await service.upload(token, fields, { audio: wav(0.1 + index / 100) });
    await service.reaches(body.recording_id, state);
    return body.recording_id;
  };
  const finished = await upload(0, 'idle.saved');
  const wellFinished = await upload(1, 'idle.saved');
  service.engines.hold('punctuate');
  const unsettled = await upload(2, 'transcribing.finishing');
  const wellUnsettled = await upload(3, 'transcribing.finishing');
  await service.addUser(username);
  const user = userSubject(service.accounts.findUser(username)!.userId);
  await service.close();
  const subjects: Subjects = { finished, unsettled, user, wellFinished, wellUnsettled };
  return {
    subjects,
    async copy(): Promise<DataFolder> {
      const data = dataFolder(join(await tempDir(t), 'data'));
      await cp(service.dataDir, data.root, { recursive: true });
      return data;
    },
  };
}

/** Harms the key files of subjects, each in its way. */
export async function harmKeys(
  data: DataFolder,
  faults: ReadonlyMap<string, KeyFault>,
): Promise<void> {
  for (const [index, [subject, fault]] of [...faults].entries()) {
    const path = join(data.keys, subject);
    if (fault === 'removed') await rm(path);
    if (fault === 'flipped') {
      await writeFile(path, flipped(await readFile(path), 7 + index, index % 8));
    }
    if (fault === 'swapped') {
      const foreign = `${data.root}.foreign`;
      await (await openFileKeys(foreign)).obtain(subject);
      await cp(join(foreign, subject), path);
    }
  }
}

/** Makes the next start build the rows of every projection again, as an upgrade does. */
export const forgetRows = (data: DataFolder): Promise<void> => rm(data.rows, { recursive: true });
