import { says } from './sentences.ts';

/** Why a name is suggested for a speaker: half a sentence, or what was said. */
export const suggestionReasons = {
  'named-before': says({}, { detail: 'named like this before in this recording' }),
  'named-live': says({}, { detail: 'named like this during the recording' }),
  'only-one-left': says({}, { detail: 'the only one left of the people you listed' }),
  said: says({ quote: 'said' }, { detail: '“{quote}”' }),
  voice: says({}, { detail: 'the voice is similar to earlier recordings' }),
};
