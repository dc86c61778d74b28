import type { Chore, Chores } from '../recordings/chores.ts';
import { entriesOf, sublevelPrefix, type RowsDatabase } from './rows-database.ts';

/** Chores in the log's database: `!chores!<recording id>/<chore>`. No words in it. */
export function levelChores(db: RowsDatabase): Chores {
  return {
    note: (recordingId, chore) =>
      db.batch([{ type: 'put', key: keyOf(recordingId, chore), value: '1' }], synced),
    done: (recordingId, chore) =>
      db.batch([{ type: 'del', key: keyOf(recordingId, chore) }], synced),
    async list() {
      const chores: { recordingId: string; chore: Chore }[] = [];
      for await (const [key] of entriesOf(db, { gte: prefix, lt: end })) {
        const [recordingId, chore] = key.slice(prefix.length).split('/') as [string, Chore];
        chores.push({ recordingId, chore });
      }
      return chores;
    },
  };
}

const prefix = sublevelPrefix('chores');
const keyOf = (recordingId: string, chore: Chore): string => `${prefix}${recordingId}/${chore}`;
// `"` follows `!`.
const end = `${prefix.slice(0, -1)}"`;
/** The fact that the chore is of comes after it on the disk. */
const synced = { sync: true };
