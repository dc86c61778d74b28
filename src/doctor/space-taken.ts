import type { Settings } from '../settings.ts';
import { gigabyte, sizeText } from '../storage/size-text.ts';
import { whatToDo } from '../storage/space-limit-reached.ts';
import { ok, type Check } from './check.ts';

/** How much documents, recordings and uploads take of what they may. */
export async function checkSpaceTaken(
  settings: Pick<Settings, 'limits.spaces_gb'>,
  taken: () => Promise<number>,
): Promise<Check> {
  const name = 'documents and recordings';
  const bytes = await taken();
  const limit = settings['limits.spaces_gb'];
  if (limit === null) return ok(name, `take ${sizeText(bytes)}; no limit is set`);
  const detail = `take ${sizeText(bytes)} of ${sizeText(limit * gigabyte)} (limits.spaces_gb)`;
  if (bytes < limit * gigabyte) return ok(name, detail);
  return { name, state: 'failed', detail: `${detail}: nothing new is taken`, remedy: whatToDo };
}
