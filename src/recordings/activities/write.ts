import { baseName } from '../../documents/base-name.ts';
import { documentPaths } from '../../documents/documents.ts';
import { comparable } from '../../documents/file-names.ts';
import { renderDocuments, rendererVersion } from '../../documents/render.ts';
import { listTaken, type Space } from '../../documents/space.ts';
import { writeDocuments } from '../../documents/write.ts';
import { documentsInput } from '../documents-input.ts';
import { localTime } from '../local-time.ts';
import type { Job, StageActivity } from '../run-stage.ts';

type Deps = {
  spaceOf(owner: string): Promise<Space>;
  uiLanguage(): 'de' | 'en';
  /** Base names that other recordings of the owner have been promised. */
  promisedBases(owner: string): AsyncIterable<string>;
};

/** Writes the three documents and says so. Names them first, once and for ever. */
export function write(deps: Deps): StageActivity {
  /** Names are chosen one after the other: two recordings must not choose the same. */
  let naming: Promise<unknown> = Promise.resolve();

  return async (job) => {
    await job.begin({ name: 'documents', places: 1 });
    const space = await deps.spaceOf(job.owner);
    if ((await job.content()).named === null) {
      const mine = naming.then(() => nameDocuments(job, space));
      naming = mine.catch(() => undefined);
      await mine;
    }
    const content = await job.content();
    const named = content.named;
    if (!named?.content) throw new Error('the documents have no name');
    const paths = documentPaths(named.content.base);
    const written = await writeDocuments(
      space,
      paths,
      renderDocuments(
        documentsInput(job.recordingId, content, { ...named.data, ...named.content }),
      ),
      content.saved?.data.sha256 ?? null,
    );
    await job.offer({
      type: 'documents.saved',
      data: {
        version: content.context.documents + 1,
        renderer: rendererVersion,
        sha256: written.sha256,
        kept: written.kept,
      },
      content: { paths },
    });
  };

  async function nameDocuments(job: Job, space: Space): Promise<void> {
    const content = await job.content();
    const title = content.title?.content?.title ?? '';
    const local_start = localTime(new Date(content.startedAt));
    const onDisk = await listTaken(space);
    const promised = new Set<string>();
    for await (const base of deps.promisedBases(job.owner)) promised.add(comparable(base));
    const base = await baseName(
      local_start,
      title,
      (candidate) => onDisk.has(candidate) || promised.has(comparable(candidate)),
    );
    await job.offer({
      type: 'documents.named',
      data: { local_start, ui_language: deps.uiLanguage(), renderer: rendererVersion },
      content: { base, title },
    });
  }
}
