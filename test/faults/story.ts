import assert from 'node:assert/strict';
import { apiOf, watchUntil, type ServiceProcess } from '../support/service-process.ts';

/** A recording that does not settle by then hangs. */
const settleWithinMs = 240_000;
/** One that fails so often will fail for ever: its error says more than a time limit does. */
const retriesMax = 20;

export type Recording = { recording_id: string; status: string; kind: string };
type Detail = Recording & {
  documents: Record<string, string> | null;
  error: object | null;
  speakers_pending: { label: string }[];
};
type FactLine = {
  type: string;
  run?: number;
  attempt?: number;
  data: { stage?: string; index?: number; code?: string };
  at: string;
};

/** Every recording there is, page by page: long counts have more than one. */
export async function allRecordings(
  service: Pick<ServiceProcess, 'url'>,
  token: string,
): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { recordings: Recording[]; next_cursor: string | null } = await apiOf(
      service.url,
      token,
    ).get(`/recordings?limit=200${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
    ids.push(...page.recordings.map(({ recording_id }) => recording_id));
    cursor = page.next_cursor;
  }
  return ids;
}

/** Waits until all recordings have their documents, saying who spoke when asked and retrying what failed. */
export async function settle(
  service: Pick<ServiceProcess, 'url'>,
  token: string,
  ids: string[],
): Promise<void> {
  const api = apiOf(service.url, token);
  const last = new Map<string, Detail>();
  const retries = new Map<string, number>();
  await watchUntil(
    service.url,
    token,
    async () => {
      let open = 0;
      for (const id of ids) {
        const detail = await api.get<Detail>(`/recordings/${id}`);
        const { status, documents } = detail;
        last.set(id, detail);
        if (status === 'IDLE' && documents) continue;
        open += 1;
        // Another look at the same state may come before the answer is applied: a 409 then.
        if (status === 'AWAITING_SPEAKERS') {
          const { label } = detail.speakers_pending[0]!;
          const answer = { recording_id: id, speakers: { [label]: 'Anna' } };
          await api.post('/speakers', answer).catch(unlessMovedOn);
        }
        if (status === 'ERROR') {
          retries.set(id, (retries.get(id) ?? 0) + 1);
          if (retries.get(id)! > retriesMax) throw new Error(`failed ${retriesMax} times`);
          await api.post(`/recordings/${id}/retry`).catch(unlessMovedOn);
        }
      }
      return open === 0;
    },
    settleWithinMs,
  ).catch((error: Error) => {
    const open = [...last.values()].filter(({ documents }) => !documents);
    throw new Error(`${error.message}; not settled: ${JSON.stringify(open)}`, { cause: error });
  });
}

/**
 * Anything else than “not in this state” would be waited out in silence: no frame need come after it. One comes after what is
 * stored and cannot be read yet.
 */
function unlessMovedOn(error: Error): void {
  if (!/: 409 |: 503 .*\/problems\/views-behind/.test(error.message)) throw error;
}

/** The three documents without what differs between two uploads of the same audio: name, date, id. */
export async function documentsOf(
  service: Pick<ServiceProcess, 'url'>,
  token: string,
  id: string,
): Promise<string> {
  const api = apiOf(service.url, token);
  const { documents } = await api.get<Detail>(`/recordings/${id}`);
  assert.ok(documents);
  const base = documents['index']!.replace(/\.md$/, '');
  const texts = await Promise.all(
    ['index', 'transcript', 'summary'].map((name) =>
      api.get<string>(`/transcripts/${encodeURIComponent(documents[name]!)}`),
    ),
  );
  return texts
    .join('\n')
    .replaceAll(base, 'BASE')
    .replaceAll(id, 'ID')
    .replace(/^date: .*$/gm, 'date: DATE');
}

/**
 * No result was recorded twice in a run, and nobody was blamed who had not been running. Returns how
 * many starts of stages came to nothing.
 */
export async function checkFacts(
  service: Pick<ServiceProcess, 'url'>,
  token: string,
  id: string,
): Promise<number> {
  const { events } = await apiOf(service.url, token).get<{ events: FactLine[] }>(
    `/recordings/${id}/events`,
  );
  const results = new Map<string, number>();
  const starts = new Map<string, number>();
  let interrupted = 0;
  for (const { type, run, data } of events) {
    if (type === 'stage.started') {
      const before = starts.get(data.stage!) ?? 0;
      starts.set(data.stage!, before + 1);
      if (before > 0) interrupted += 1;
    }
    if (type === 'stage.failed') {
      assert.equal(data.code, 'took-the-service-down', `${id} failed for another reason`);
      assert.ok((starts.get(data.stage!) ?? 0) >= 3, `${id} was blamed without having run`);
    }
    if (!resultTypes.has(type)) continue;
    if (type !== 'speech.detected' && type !== 'documents.named') starts.clear();
    const key = `${run} ${type} ${data.index ?? ''}`;
    results.set(key, (results.get(key) ?? 0) + 1);
    assert.equal(results.get(key), 1, `${key} of ${id} was recorded twice`);
  }
  return interrupted;
}

const resultTypes = new Set([
  'speech.detected',
  'utterance.recognised',
  'transcription.completed',
  'diarization.skipped',
  'identification.skipped',
  'turns.joined',
  'transcript.punctuated',
  'summary.completed',
  'title.chosen',
  'documents.named',
  'documents.saved',
]);
