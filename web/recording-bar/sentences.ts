/** What is said of what is recorded: what is the matter with it, and what that means or what to do. */
import { computed } from 'nanostores';
import type { Surface } from '../client/microphone/recording-surface.ts';
import { briefly, exactly } from '../components/durations.ts';
import { format } from '../words/i18n.ts';
import { words } from './words.ts';

/** As clocks show it. */
export const span = computed(
  format,
  ({ time }) =>
    ({ from, to }: { from: number; to: number }): { from: string; to: string } => ({
      from: time(from, { timeStyle: 'short' }),
      to: time(to, { timeStyle: 'short' }),
    }),
);

/** In the language of the page: a function of what is recorded, and of whether somebody is logged in. */
export const sentences = computed(
  [words, format, span],
  (say, { time }, spanOf) =>
    (now: Surface, isLoggedIn: boolean): readonly [string, string] => {
      const rest = { time: exactly(now.waiting) };
      const lasting = { time: briefly(now.lasting) };
      switch (now.state) {
        case 'opening':
          return [say.opening, say.openingDo];
        case 'recording': {
          if (!isLoggedIn && now.waiting >= 1) return [say.network(rest), say.loginDo];
          const missed = now.missed === null ? '' : `${say.missed(spanOf(now.missed))}. `;
          return [say.recording, missed + (now.isSafe ? say.isSafe : '')];
        }
        case 'silent':
          return [say.silentFor(lasting), say.silentDo];
        case 'interrupted':
          return [
            say.interrupted({ time: time(now.since, { timeStyle: 'short' }) }),
            say.interruptedDo,
          ];
        case 'gone':
          return [say.gone, say.goneDo];
        case 'network':
          return [say.network(rest), isLoggedIn ? say.networkDo : say.loginDo];
        case 'memory':
          return [say.memory, say.memoryDo];
        case 'paused':
          return [say.pausedFor(lasting), say.pausedDo];
        case 'held':
          return [say.held, say.heldDo];
        case 'ending':
          if (now.waiting < 1) return [say.finishingSoon, ''];
          return isLoggedIn ? [say.finishing(rest), ''] : [say.ended(rest), say.loginDo];
        case 'foreign':
          return [say.foreign, say.foreignDo];
        case 'elsewhere':
          return [say.elsewhere, ''];
        default:
          return [say.room({ room: now.room ?? '' }), say.roomDo];
      }
    },
);
