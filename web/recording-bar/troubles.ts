/** Why this browser does not record, or no longer, in words. */
import { computed } from 'nanostores';
import type { Trouble } from '../client/microphone/browser-recording.ts';
import { clock } from '../components/durations.ts';
import { words } from './words.ts';

const sentencesOf = {
  'no-permission': ['noPermission', 'noPermissionDo'],
  'no-microphone': ['noMicrophone', 'noMicrophoneDo'],
  'other-rate': ['otherRate', 'otherRateDo'],
  'no-tab': ['noTab', 'noTabDo'],
  'no-tab-sound': ['noTabSound', 'noTabSoundDo'],
  'no-storage': ['noStorage', 'noStorageDo'],
  'needs-press': ['needsPress', 'needsPressDo'],
  'not-loaded': ['partNotLoaded', 'notLoadedDo'],
  insecure: ['insecureTitle', 'insecureDo'],
  'tab-ended': ['tabEnded', 'tabEndedDo'],
} as const;

/** Why a recording ended, as the service names it; `asleep`: as this browser does. */
const reasons = {
  'limit-hours': 'endedLimit',
  'space-limit': 'endedSpace',
  'disk-low': 'endedFull',
  'disk-failed': 'endedFull',
  'browser-gone': 'endedGone',
  'taken-over': 'endedTaken',
  'nothing-captured': 'endedNothing',
  asleep: 'endedAsleep',
} as const;

/** What is the matter, and what that means or what to do. */
export const troubles = computed(words, (say) => (trouble: Trouble): readonly [string, string] => {
  switch (trouble.code) {
    case 'refused':
      return [say.refusedToStart, trouble.detail];
    case 'not-taken': {
      const next = trouble.isAskedAgain ? say.askedAgain : say.notAskedAgain;
      return [say.notTaken, [trouble.detail, say.notTakenSafe, next].join(' ')];
    }
    case 'ended': {
      const { detail, isWhole } = trouble;
      const ended = say.endedAt({ time: clock(trouble.seconds) });
      if (detail === 'discarded') return [ended, say.endedDeleted];
      const reason = detail in reasons ? say[reasons[detail as keyof typeof reasons]] : detail;
      return [ended, [reason, isWhole ? say.endedSafe : say.endedRest].filter(Boolean).join(' ')];
    }
    default: {
      const [title, hint] = sentencesOf[trouble.code];
      return [say[title], say[hint]];
    }
  }
});
