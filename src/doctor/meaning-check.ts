import type { Settings } from '../config/schema.ts';
import { check } from '../words/checks.ts';
import { type Look, type LookedAt, asMissing, asOk } from './check.ts';
import { guideLink } from './guide.ts';
import { tryEmbeddings } from './try-servers.ts';

export type MeaningParts = { settings: Settings };

/** A model is loaded first. */
const lookMs = 20_000;

/** Whether notes are found by their meaning. */
export const meaningLook = (parts: MeaningParts): Look => ({
  id: 'meaning',
  link: guideLink('settings', 'Servers'),
  limitMs: lookMs,
  look: () => meaning(parts),
});

async function meaning({ settings }: MeaningParts): Promise<LookedAt> {
  const { ok, said } = await tryEmbeddings(settings);
  if (!ok)
    return asMissing(said, { text: check('fix-server-or-settings', { settings: 'embeddings' }) });
  return asOk(said);
}
