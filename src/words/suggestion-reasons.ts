import { says } from './sentences.ts';

/** Why a name is suggested for a speaker: half a sentence, or what was said. */
export const suggestionReasons = {
  'named-before': says('named like this before in this recording'),
  'named-live': says('named like this during the recording'),
  'only-one-left': says('the only one left of the people you listed'),
  said: says({ quote: 'said' }, '“{quote}”'),
  voice: says('the voice is similar to earlier recordings'),
};
