import type { CaptureWarning } from '../../capture/capture-now.ts';
import { shownTo } from '../../words/say.ts';
import { type Moment, onMoment, onMomentElsewhere } from '../../capture/moments.ts';
import type { PartialUtterance, StageNow } from '../../recordings/stages/stage-progress.ts';
import { newestOfEach } from '../../shared/newest-of-each.ts';
import { limits } from '../limits.ts';
import type { FactFrames } from './frames.ts';
import { waitingIn } from '../readers-language.ts';
import type { HttpServices } from '../services.ts';
import type { Needs } from '../visible-recording.ts';

type ToldFrames = Pick<FactFrames, 'ownerFrames' | 'readerFrames'>;

/** The clients that ephemeral events go to. */
type Audience = {
  /** Whether a client follows. */
  followed(): boolean;
  /** What may have been said, for those who have a link. */
  heard(recordingId: string, frame: object): void;
  /** To the owner, and to whom the recording is shared with as far as this needs. */
  tell(owner: string, recordingId: string, frames: ToldFrames, needs: Needs): void;
  /** The status object of the owner looks different now. */
  touch(owner: string): void;
};

/**
 * Publishes what is in no log: how far a stage is (`progress`), what may have been said (`utterance`, not `final`), how
 * loud a capture is (`level`) and what is wrong with it (`warning`); of other nodes all but what may have been said.
 * @param ownerOf the user a recording belongs to; undefined for one that is not there.
 * @returns how to stop.
 */
export function followEphemeral(
  services: Pick<HttpServices, 'recordingService' | 'captures' | 'notices' | 'log'>,
  ownerOf: (recordingId: string) => Promise<string | undefined>,
  { followed, heard: told, tell, touch }: Audience,
): () => void {
  const { recordingService, log } = services;
  const every = { everyMs: limits.progressEveryMs };
  const tellOf = (recordingId: string, frame: object, needs: Needs, readers?: object): void =>
    void ofOwner(recordingId, (owner) => {
      const ownerFrames = [JSON.stringify(frame)];
      const readerFrames = readers ? [JSON.stringify(readers)] : ownerFrames;
      tell(owner, recordingId, { ownerFrames, readerFrames }, needs);
    });
  const progress = newestOfEach((recordingId: string, activity: StageNow) => {
    const frame = progressFrame(recordingId, activity);
    // For what it waits is its owner's, as in answers (`shared-answer.ts`).
    tellOf(recordingId, frame, 'read', { ...frame, waiting: null });
  }, every);
  const guesses = newestOfEach((recording_id: string, heard: PartialUtterance) => {
    const frame = { type: 'utterance', recording_id, ...heard, final: false };
    told(recording_id, frame);
    tellOf(recording_id, frame, 'read');
  }, every);
  const stopHearing = recordingService.onHeard((recordingId, heard) => {
    if (heard === null) guesses.forget(recordingId);
    else if (followed()) guesses.add(recordingId, heard);
  });
  const publish = (moment: Moment): void => {
    if (!followed()) return;
    const { recordingId } = moment;
    if ('activity' in moment) {
      progress.add(recordingId, moment.activity);
      // A wait is part of the status object, and no fact.
      if (moment.activity.waiting) void ofOwner(recordingId, touch);
    } else if ('level' in moment) {
      // How loud it is, as peaks are.
      tellOf(recordingId, { type: 'level', recording_id: recordingId, ...moment.level }, 'audio');
    } else if ('warnings' in moment) {
      const ownerFrames = moment.warnings.map((warning) => warningFrame(recordingId, warning));
      void ofOwner(recordingId, (owner) => {
        tell(owner, recordingId, { ownerFrames, readerFrames: [] }, 'owner');
        // Warnings are part of the status object, and no facts.
        touch(owner);
      });
    }
  };
  const stops = [
    onMoment(services, publish),
    onMomentElsewhere(services.notices, (moment) => {
      if (moment.again !== true) publish(moment);
    }),
  ];

  return () => {
    for (const stop of stops) stop();
    stopHearing();
    progress.stop();
    guesses.stop();
  };

  async function ofOwner(recordingId: string, use: (owner: string) => void): Promise<void> {
    try {
      const owner = await ownerOf(recordingId);
      if (owner !== undefined) use(owner);
    } catch (error) {
      log.warn({ err: error, recordingId }, 'live message could not be sent to other nodes');
    }
  }
}

/** In English: the same frame is sent to all of the owner's pages. The status object has it in each one's language. */
function warningFrame(recordingId: string, { code, message, said }: CaptureWarning): string {
  const { code: reason, params } = said ? shownTo('everyone', said) : { code: undefined };
  const frame = { type: 'warning', recording_id: recordingId, code, message, detail: message };
  return JSON.stringify({ ...frame, reason, params });
}

/** In English, as warnings: see above. */
const progressFrame = (
  recordingId: string,
  { stage, fraction, seconds_left, attempt, waiting, behind }: StageNow,
) => ({
  type: 'progress',
  recording_id: recordingId,
  stage,
  fraction,
  seconds_left,
  attempt,
  waiting: waitingIn({ language: 'en', isAdmin: false }, waiting),
  ...(behind === undefined ? {} : { behind }),
});
