import type { Settings } from '../config/schema.ts';
import { check } from '../words/checks.ts';
import { type Look, type LookedAt, asMissing, asOk } from './check.ts';
import { guideLink } from './guide.ts';
import { tryEmbeddings } from './try-servers.ts';

export type MeaningParts = {
  settings: Settings;
  /** What waits to be found by its meaning; missing while no service runs, null where another node looks after it. */
  passages?: () => { waiting: number; given_up: number } | null;
};

/** A model is loaded first. */
const lookMs = 20_000;

/** Whether notes are found by their meaning. */
export const meaningLook = (parts: MeaningParts): Look => ({
  id: 'meaning',
  link: guideLink('settings', 'Servers'),
  limitMs: lookMs,
  look: () => meaning(parts),
});

async function meaning({ settings, passages }: MeaningParts): Promise<LookedAt> {
  const { ok, said } = await tryEmbeddings(settings);
  if (!ok)
    return asMissing(said, { text: check('fix-server-or-settings', { settings: 'embeddings' }) });
  const { waiting = 0, given_up = 0 } = passages?.() ?? {};
  const behind = waiting > 0 ? [check('passages-waiting', { count: waiting })] : [];
  if (given_up === 0) return asOk(said, ...behind);
  const failed = check('passages-failed', { count: given_up });
  return { status: 'limited', said: [failed, said, ...behind], remedy: null };
}
