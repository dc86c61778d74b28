import { isHandedOver } from '../../projections/library.ts';
import { readDocument } from '../documents/space.ts';
import type { StoredDocument } from '../documents/stored-document.ts';
import type { HttpServices } from './services.ts';

/**
 * A document in a user's space; undefined where there is none, or its recording was handed over and it has not moved yet.
 * @throws {ConfinementError}, {OversizedDocument}
 */
export async function ownDocument(
  { storage, spaceOf }: Pick<HttpServices, 'storage' | 'spaceOf'>,
  userId: string,
  filename: string,
): Promise<StoredDocument | undefined> {
  const document = await readDocument(await spaceOf(userId), filename);
  return document && (await isHandedOver(storage, userId, filename)) ? undefined : document;
}
