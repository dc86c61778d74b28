import { entriesOfOrder, idIn } from '../../projections/library.ts';
import { allPages } from '../../projections/list-page.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { changeRecording } from '../../projections/recording/decide.ts';
import type { OrderChanges } from '../../projections/recording/order.ts';
import type { Decided, RecordingService } from '../recordings/service.ts';
import type { DocumentsRefreshing } from './refresh-documents.ts';

/**
 * Takes a folder or a tag from each of its owner's recordings that has it, one after the other.
 * @returns what the last of them led to; undefined: none had it
 */
export async function takenFromAll(
  { storage, recordingService, refreshing }: TakenFrom,
  { owner, id, kind }: { owner: string; id: string; kind: 'folder' | 'tag' },
  metadata: { by: string; command: string },
): Promise<Decided | undefined> {
  const change: OrderChanges = kind === 'folder' ? { folder: null } : { removeTags: [id] };
  let last: Decided | undefined;
  for (const read of entriesOfOrder(storage, owner, { id, kind })) {
    for await (const entries of allPages(read)) {
      for (const entry of entries) {
        const recordingId = idIn(entry);
        const command = `${metadata.command}/${recordingId}`;
        await refreshing.note(recordingId);
        last = await recordingService.decide(
          recordingId,
          { by: metadata.by, command },
          changeRecording(change),
        );
      }
    }
  }
  return last;
}

type TakenFrom = {
  storage: ProjectionStorage;
  recordingService: Pick<RecordingService, 'decide'>;
  refreshing: Pick<DocumentsRefreshing, 'note'>;
};
