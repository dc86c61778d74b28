import { access } from './access.ts';
import { commands } from './commands.ts';
import { correctedWords } from './corrections.ts';
import { happened } from './happened.ts';
import { forgotten } from './forgotten.ts';
import { people } from './people.ts';
import { recordings } from './recordings.ts';

/** The projections that are kept up to the log. */
export const served = [recordings, commands, people, access, happened, forgotten, correctedWords];
