import type { LoggedFact } from '../../events/catalogue.ts';
import { recordingStream } from '../../events/recording-facts.ts';
import type { EventStore } from '../../events/store.ts';

/** A fact as the interface shows it; what a person said only to those who may hear it. */
export function factAnswer(fact: LoggedFact, options: { content: boolean }) {
  const { position, stream, version, type, at, by, run, attempt, from, to, data, content } = fact;
  return {
    position,
    stream,
    version,
    type,
    at,
    by,
    ...(run === undefined ? {} : { run }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    data,
    ...(options.content && content !== undefined ? { content } : {}),
    ...(fact.erased ? { erased: true } : {}),
  };
}

/** A page of a recording's facts after a position of the log, with content. `next_after`: null at the end. */
export async function recordingFacts(
  store: Pick<EventStore, 'read'>,
  recordingId: string,
  { after, limit }: { after: number; limit: number },
) {
  const events: ReturnType<typeof factAnswer>[] = [];
  for await (const fact of store.read(recordingStream(recordingId))) {
    if (fact.position <= after) continue;
    if (events.length === limit) return { events, next_after: events.at(-1)!.position };
    events.push(factAnswer(fact, { content: true }));
  }
  return { events, next_after: null };
}
