/** Which frames say that lists of notes are other than they were. */
import type { Frame } from '../../../client/feed.ts';

/** Whether a row is other than it was. */
export const changesList = (
  frame: Frame,
): frame is Extract<Frame, { type: 'saved' | 'transition' }> =>
  frame.type === 'saved' || (frame.type === 'transition' && changes.has(frame.event));
const changes = new Set([
  'recording.erased',
  'documents.deleted',
  'recording.handed_over',
  'access.granted',
  'access.withdrawn',
]);

/** Whether a note was put into another folder, or tagged. */
export const isFiling = (frame: Frame): frame is Moved =>
  frame.type === 'transition' && filingEvents.has(frame.event);
const filingEvents = new Set(['recording.filed', 'tags.changed']);

/** Whether one was protected from deletion, or is no more. */
export const isHolding = (frame: Frame): frame is Moved =>
  frame.type === 'transition' && holdEvents.has(frame.event);
const holdEvents = new Set(['hold.placed', 'hold.lifted']);

type Moved = Extract<Frame, { type: 'transition' }>;
