import { ulid } from 'ulid';
import type { Notices, Topic } from '../notices.ts';
import type { Postgres } from './connection.ts';
import { type Listeners, openListeners } from '../../shared/listeners.ts';

/** What PostgreSQL lets through is under 8,000 bytes. */
const payloadBytesMax = 7_900;
/** Notices that wait for the database; more are dropped. */
const waitingMax = 1_000;
const channel = 'notices';
/** Told in one question. */
const togetherMax = 100;

/** Notices by `NOTIFY`, in the order in which a node tells them. Closing it leaves the database open. */
export function postgresNotices(
  db: Postgres,
  report: (message: string, error: unknown) => void,
): Notices & { close(): Promise<void> } {
  const node = ulid();
  const listeners = new Map<Topic, Listeners<[string]>>();
  const missed = openListeners();
  const waiting: string[] = [];
  let telling: Promise<void> | undefined;
  let dropped = 0;
  const stopListening = db.channels.listen(channel, {
    heard(payload) {
      const notice = noticeIn(payload);
      if (notice === undefined || notice.node === node) return;
      listeners.get(notice.topic)?.tell(notice.text);
    },
    opened: missed.tell,
  });

  const tellAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const payloads = waiting.splice(0, togetherMax);
      try {
        await db.channels.tell(channel, ...payloads);
      } catch (error) {
        dropped += payloads.length;
        report('messages to other nodes could not be sent', error);
      }
    }
    // In the tick of the loop's last look: what comes now begins it again.
    telling = undefined;
  };

  return {
    reachOthers: true,
    tell(topic, text) {
      const payload = `${node} ${topic} ${text}`;
      if (waiting.length >= waitingMax || Buffer.byteLength(payload) > payloadBytesMax) {
        dropped += 1;
        return;
      }
      waiting.push(payload);
      telling ??= tellAll();
    },
    listen: (topic, onNotice) => {
      const those = listeners.get(topic) ?? openListeners<[string]>();
      listeners.set(topic, those);
      return those.add(onNotice);
    },
    onMissed: missed.add,
    dropped: () => dropped,
    async close() {
      stopListening();
      await telling;
    },
  };
}

/** Undefined for what no node of ours told. */
function noticeIn(payload: string): { node: string; topic: Topic; text: string } | undefined {
  const [, node, topic, text] = /^(\S+) (\S+) (.*)$/su.exec(payload) ?? [];
  if (node === undefined || text === undefined) return undefined;
  return { node, topic: topic as Topic, text };
}
