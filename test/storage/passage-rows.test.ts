import { Level } from 'level';
import { levelPassageCells } from '../../src/storage/level-rows.ts';
import { tempDir } from '../support/temp-dir.ts';
import { passageRowsContract } from './passage-rows-contract.ts';

passageRowsContract('LevelDB', async (t) => {
  // Hooks run in the order they are given: closed first, then removed.
  t.after(() => db.close());
  const db: Level = new Level(await tempDir(t));
  await db.open();
  return levelPassageCells(db);
});
