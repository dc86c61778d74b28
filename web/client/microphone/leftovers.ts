/** What this browser still holds of recordings that are over, here or at the service. */
import { api, fetchAsUser } from '../api.ts';
import { connection } from '../feed.ts';
import { isOwnedBy, session } from '../session.ts';
import { type AudioLink, linkAudio } from './audio-link.ts';
import { type AudioStore, type Kept, openAudioStore } from './audio-store.ts';
import { CannotListen } from './streams.ts';
import { bytesOf, wavOf } from './pcm.ts';
import { afterRefusal, triesOf } from './refusals.ts';

/** A recording of this browser that this tab has taken up. `total`: samples there are of it. */
export type Leftover = { store: AudioStore; kept: Kept; release: () => void; total: number };

/** Blocks read at once. */
const atOnce = 500;

/**
 * Gives the rest to the service as a file of its own, dated by when it was said.
 * @returns false when it did not take it: it stays here and is offered again at the next visit
 */
export async function sendRest(store: AudioStore, kept: Kept): Promise<boolean> {
  const current = session.get();
  if (current === null || !isOwnedBy(kept, current)) return false;
  const bytes = bytesOf(kept);
  const parts: Blob[] = [];
  let from = kept.acknowledged;
  /** The sample that the file begins with. */
  let firstOfAll: number | null = null;
  for (;;) {
    const blocks = await store.after(kept.id, from, atOnce);
    if (blocks.length === 0) break;
    const fresh: ArrayBuffer[] = [];
    for (const { end, pcm } of blocks) {
      const first = end - pcm.byteLength / bytes;
      // Before that there may be a night in which nobody heard anything.
      firstOfAll ??= from = Math.max(from, first);
      // What nobody heard is silence: what follows keeps its time.
      if (first > from) fresh.push(new ArrayBuffer((first - from) * bytes));
      fresh.push(first < from ? pcm.slice((from - first) * bytes) : pcm);
      from = end;
    }
    // The browser keeps blobs outside of the page's memory: it may be hours.
    parts.push(new Blob(fresh));
  }
  if (firstOfAll === null) return true;
  const began = Date.parse(kept.startedAt) + (firstOfAll / kept.rate) * 1000;
  const form = new FormData();
  form.set(kept.isKindOpen ? 'usual_kind' : 'kind', kept.kind);
  form.set('started_at', new Date(began).toISOString());
  const { title, people, language, folder } = kept.options ?? {};
  // One that the service has may be called otherwise by now, and lie where others do not see it.
  const isNew = kept.recordingId === null;
  if (isNew && title !== undefined) form.set('title', title);
  if (people !== undefined) form.set('people', JSON.stringify(people));
  if (language !== undefined) form.set('language', language);
  if (isNew && folder !== undefined) form.set('folder', folder);
  form.set('file', wavOf(parts, kept), `${kept.startedAt.slice(0, 10)} rest.wav`);
  const headers = { 'Idempotency-Key': `rest-${kept.id}` };
  const post = async () => {
    const request = new Request('/recordings', { method: 'POST', headers, body: form });
    return await fetchAsUser(request).catch(() => null);
  };
  let response = await post();
  // Its folder was deleted meanwhile, or what was said of it is never taken: the audio goes there without.
  const refused = { 404: ['folder'], 422: ['title', 'people', 'language', 'folder'] };
  const unsaid = refused[response?.status as keyof typeof refused] ?? [];
  if (unsaid.some((field) => form.has(field))) {
    for (const field of unsaid) form.delete(field);
    response = await post();
  }
  return response?.ok === true;
}

/**
 * One that is over is sent beside whatever else is recorded. What the service refuses for too long stays here,
 * and is offered again at the next visit.
 */
export function finishQuietly(found: Leftover): void {
  const { store, kept, total } = found;
  if (kept.isDiscarded) return tellDiscarded(found);
  kept.isOver = true;
  const leave = () => {
    tries.stop();
    link.close();
    found.release();
  };
  const over = async ({ isWanted = true } = {}) => {
    leave();
    // Also what was stopped may lack the rest: somebody else stopped it before that had come.
    const isDone = !isWanted || kept.acknowledged >= total || (await sendRest(store, kept));
    if (isDone) await store.remove(kept.id);
  };
  const refused = async (code: string) => {
    const comesTo = await afterRefusal(kept, code, tries);
    if (comesTo === 'gone') await over();
    else if (comesTo === 'given-up') leave();
  };
  const link: AudioLink = linkAudio(store, kept, {
    linked: (linked) => linked && tries.taken(),
    changed: () => {},
    ended: (reason) => {
      // The next try goes on with it.
      if (reason === 'paused') tries.again();
      else if (reason !== 'left') void over({ isWanted: reason !== 'discarded' });
    },
    refused: (code) => void refused(code),
  });
  const tries = triesOf(() => link.begin());
  link.begin();
  link.stop(total);
}

/** Has the service delete it that was deleted here: now, or whenever it answers, in this page or the next. */
export function tellDiscarded({ store, kept, release }: Leftover): void {
  const tell = async (): Promise<void> => {
    if (kept.recordingId !== null && !(await isDeletedThere(kept.recordingId))) return;
    stop();
    await store.remove(kept.id);
    release();
  };
  const stop = connection.listen(({ state }) => void (state === 'open' && tell()));
  void tell();
}

/** One that has ended meanwhile is erased. */
async function isDeletedThere(id: string): Promise<boolean> {
  const params = { params: { path: { id } } };
  const isDone = ({ response }: { response: Response }) => response.ok || response.status === 404;
  try {
    return (
      isDone(await api.POST('/recordings/{id}/discard', params)) ||
      isDone(await api.DELETE('/recordings/{id}', params))
    );
  } catch {
    return false;
  }
}

/** @throws {CannotListen} when this browser keeps nothing */
export async function openStore(): Promise<AudioStore> {
  try {
    // Kept also when the disk is short; who refuses keeps it as long as there is room.
    void navigator.storage.persist();
    return await openAudioStore();
  } catch {
    throw new CannotListen('no-storage');
  }
}

/** Held as long as this tab sends a recording, released by whatever ends the tab. Null: another tab has it. */
export function lockOf(id: string): Promise<(() => void) | null> {
  return new Promise((resolve) => {
    void navigator.locks.request(`mitschrift ${id}`, { ifAvailable: true }, (lock) => {
      if (lock === null) return resolve(null);
      return new Promise<void>((release) => resolve(release));
    });
  });
}
