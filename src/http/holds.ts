import * as z from 'zod';
import { type Hold, isHeld } from '../../events/facts/holds.ts';
import { wrong } from '../shared/in-words.ts';
import { Problem } from './problems.ts';
import type { HttpServices } from './services.ts';
import { ownerName } from './visible-recording.ts';

/** Protection from deletion, in a body. */
export const holdSchema = z
  .strictObject({
    until: z.iso
      .datetime({ offset: true, error: wrong('not-a-time') })
      .nullable()
      .default(null)
      .describe('null: until it is lifted'),
    reason: z.string().trim().min(1).max(200).optional(),
  })
  .nullable()
  .describe(
    'protects it from deletion, by a person and by a period; null: it is protected no more',
  );

type Naming = { accounts: Pick<HttpServices['accounts'], 'nameOf'> };
type HeldRow = { hold: (Hold & { reason: string | null }) | null };

/** What the owner is told of a protection; null also where it is over. */
export const holdShown = ({ accounts }: Naming, { hold }: HeldRow) =>
  hold && isHeld(hold, Date.now())
    ? { until: hold.until, by: ownerName(accounts, hold.by), reason: hold.reason }
    : null;

/** @throws {Problem} 409 `on-hold`, with who protected it */
export function assertNotHeld(naming: Naming, row: HeldRow): void {
  const held = holdShown(naming, row);
  if (held) throw new Problem('on-hold', { members: { by: held.by, until: held.until } });
}
