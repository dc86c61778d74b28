/** What is said of what is recorded: what is the matter with it, and what that means or what to do. */
import { computed } from 'nanostores';
import type { Surface } from '../client/microphone/recording-surface.ts';
import { briefly, exactly } from '../components/durations.ts';
import { format, momentOf } from '../words/i18n.ts';
import { troubles } from './troubles.ts';
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

/** What a recording is called as long as it has no title: the same in every list and on its page. */
export const titleOf = computed(
  [words, momentOf],
  (say, moment) =>
    ({ title, startedAt }: Pick<Surface, 'title' | 'startedAt'>): string => {
      if (title !== null && title !== '') return title;
      return say.untitledAt({ time: moment(startedAt ?? Date.now()) });
    },
);

const sentencesOfState = computed(
  [words, format, span, troubles],
  (say, { time }, spanOf, troubleOf) =>
    (now: Surface, isLoggedIn: boolean): readonly [string, string] => {
      const rest = { time: exactly(now.waiting) };
      const lasting = { time: briefly(now.lasting) };
      const safe = now.isSafe ? say.isSafe : '';
      const also = now.trouble === null ? null : troubleOf(now.trouble);
      switch (now.state) {
        case 'denied':
        case 'ended':
        case 'full':
          return also ?? ['', ''];
        case 'opening':
          return [say.opening, say.openingDo];
        case 'recording': {
          if (!isLoggedIn && now.waiting >= 1) return [say.network(rest), say.loginDo];
          const missed = now.missed === null ? '' : `${say.missed(spanOf(now.missed))}. `;
          const tab = now.isTabLost ? `${say.tabEnded} ` : '';
          return [say.recording, tab + missed + safe];
        }
        case 'silent':
          return [say.silentFor(lasting), say.silentDo];
        case 'interrupted':
          return [
            say.interrupted({ time: time(now.since, { timeStyle: 'short' }) }),
            also?.join(' ') ?? say.interruptedDo,
          ];
        case 'gone':
          return [say.gone, also?.join(' ') ?? say.goneDo];
        case 'network':
          if (!isLoggedIn) return [say.network(rest), say.loginDo];
          return [say.network(rest), also?.join(' ') ?? say.networkDo];
        case 'memory':
          return [say.memory, say.memoryDo];
        case 'paused':
          return [say.pausedFor(lasting), also?.join(' ') ?? say.pausedDo];
        case 'held':
          if (now.inMemory) return [also?.[0] ?? say.held, say.heldDo];
          return also ?? [say.held, `${say.isSafe} ${say.heldDo}`];
        case 'ending':
          if (now.waiting < 1) return [say.finishingSoon, ''];
          return isLoggedIn ? [say.finishing(rest), ''] : [say.ended(rest), say.loginDo];
        case 'foreign':
          return [say.foreign, say.foreignDo];
        case 'elsewhere':
          return [
            now.recorder === null ? say.elsewhere : say.elsewhereOn({ device: now.recorder }),
            now.warning ?? '',
          ];
        default:
          return [say.room({ room: now.recorder ?? '' }), now.warning ?? say.roomDo];
      }
    },
);

/**
 * In the language of the page: a function of what is recorded, and of whether somebody is logged in. What is safe is
 * said of what is recorded only as long as it is true.
 */
export const sentences = computed(
  [words, sentencesOfState],
  (say, sentencesOf) =>
    (now: Surface, isLoggedIn: boolean): readonly [string, string] => {
      const [what, more] = sentencesOf(now, isLoggedIn);
      // Whatever else is the matter with it.
      const isAlso = now.inMemory && now.state !== 'memory';
      return [what, isAlso ? `${more} ${say.memoryDo}`.trim() : more];
    },
);
