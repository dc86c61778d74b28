import { says } from './sentences.ts';

/** Warnings of the live connection. */
export const frameWarnings = {
  'message-not-understood': says(
    { faults: 'sentences' },
    { detail: 'The message isn’t valid: {faults}.' },
  ),
  'too-many-messages': says({}, { detail: 'Too many messages are waiting; this one was ignored.' }),
  'start-first': says({}, { detail: 'Send audio.start first and wait for audio.ready.' }),
  'nothing-recorded-here': says({}, { detail: 'This connection isn’t recording anything.' }),
};
