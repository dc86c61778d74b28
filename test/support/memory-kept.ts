import { type Kept, keptIn } from '../../src/storage/kept.ts';
import { memoryCells } from '../../src/storage/level-rows.ts';

/** Rows of every kind in memory. */
export const memoryKept = (clock: () => Date): Kept => keptIn((kind) => memoryCells(kind, clock));
