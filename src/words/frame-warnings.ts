import { says, sayingsOf } from './sentences.ts';

/** Warnings of the live connection. */
export const frameWarnings = {
  'message-not-json': says('The message isn’t valid JSON.'),
  'message-not-understood': says({ faults: 'sentences' }, 'The message isn’t valid: {faults}.'),
  'samples-not-whole': says('A binary message must consist of whole samples of two bytes.'),
  'too-many-messages': says('Too many messages are waiting; this one was ignored.'),
  'start-first': says('Send audio.start first and wait for audio.ready.'),
};

/** A warning's code with what varies in its sentence. */
export const frameWarning = sayingsOf(frameWarnings, 'frame');
