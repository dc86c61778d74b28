import * as z from 'zod';
import { tagsMax } from '../../events/facts/order.ts';
import type { Personal } from '../../projections/personal.ts';
import type { OrderChanges } from '../../projections/recording/order.ts';
import { fieldFault } from '../words/field-faults.ts';
import { orderIdSchema } from './body.ts';
import { invalid } from './problems.ts';

const ids = z.array(orderIdSchema).max(tagsMax);

/** Where a recording is put, in a body. */
export const orderSchema = z.strictObject({
  folder: orderIdSchema.nullable().optional().describe('id of a folder; null: none'),
  tags: ids.optional().describe('ids of all the tags that it has from now on'),
  add_tags: ids.optional().describe('ids of tags'),
  remove_tags: ids.optional(),
});

/** @throws {Problem} 422 naming what is none of the owner's */
export function orderWanted(
  { folder, tags, add_tags, remove_tags }: z.output<typeof orderSchema>,
  personal: Personal,
): OrderChanges {
  const unknown = (path: string, wanted: readonly string[] = []) =>
    wanted.some((tag) => !personal.tags.has(tag))
      ? [{ path, fault: fieldFault('not-your-tag') }]
      : [];
  const faults = [
    ...(folder === undefined || folder === null || personal.folders.has(folder)
      ? []
      : [{ path: 'folder', fault: fieldFault('not-your-folder') }]),
    ...unknown('tags', tags),
    ...unknown('add_tags', add_tags),
  ];
  if (faults.length > 0) throw invalid(faults);
  return { folder, tags, addTags: add_tags, removeTags: remove_tags };
}

/** A folder that a recording is to begin in. @throws {Problem} 422: it is none of the owner's */
export function folderGiven(folder: string | undefined, personal: Personal): string | undefined {
  orderWanted({ folder }, personal);
  return folder;
}

/** The same for what was recorded or sent before it could be said: a folder that is gone since is none. */
export const folderLeft = (
  folder: string | undefined,
  { folders }: Pick<Personal, 'folders'>,
): string | undefined => (folder !== undefined && folders.has(folder) ? folder : undefined);

/** The folder that something is in; null also for what was put into one while that was deleted. */
export const folderOf = (
  { folder }: { folder: string | null },
  { deletedFolders }: Pick<Personal, 'deletedFolders'>,
): string | null => (folder !== null && deletedFolders.has(folder) ? null : folder);

/**
 * The folders that a list or a search is narrowed to by an id or `none`; null: in none, as what was put into one while that
 * was deleted is. Of what is no folder of theirs nothing is found.
 */
export function foldersMeant(
  folder: string,
  { folders, deletedFolders }: Pick<Personal, 'folders' | 'deletedFolders'>,
): readonly (string | null)[] {
  if (folder === 'none') return [null, ...deletedFolders];
  return folders.has(folder) ? [folder] : [];
}

/** The tags in a query: what has all of them. */
export const tagsMeant = (tag: string | undefined): readonly string[] => tag?.split(',') ?? [];

/** Whether anything of it was given. */
export const isOrderGiven = (wanted: z.output<typeof orderSchema>): boolean =>
  [wanted.folder, wanted.tags, wanted.add_tags, wanted.remove_tags].some(
    (one) => one !== undefined,
  );
