import type { CommandMetadata, Decision } from '../../events/command-handler.ts';
import type { LoggedRecordingFact } from '../../events/facts/catalogue.ts';
import type { RecordingFact } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import { type DecideRecording, erase } from '../../projections/recording/decide.ts';
import { holdTaken, holdVersion } from '../../projections/recording/holds.ts';
import {
  type OrderRefusal,
  orderChanged,
  orderSince,
  orderVersion,
} from '../../projections/recording/order.ts';
import { type Recording, readRecording } from '../../projections/recording/recording.ts';
import { possibleFacts, stateName } from '../../machines/states.ts';
import type { OpenRecordings } from './control/open-recordings.ts';
import type { ErasureCommands, Removals } from './erasure.ts';
import { type RecordingHandler, erasedState, lastState } from './handle.ts';
import type { Accepted } from './import-audio.ts';
import { type LateAudioDeps, unlessLateAudio } from './late-audio-first.ts';
import { audioStillComes, notLegal, refusalError } from './refusals.ts';
import type { TakenDeps } from './stages/taken-along.ts';

/** Recordings that are made of parts of others (`stages/assemble.ts`). */
export type MadeOfOthers = {
  /** @throws {NotAccepted} when its state allows no fact of this type, {UnknownRecording} */
  assertPossible(recordingId: string, fact: RecordingFact): Promise<void>;
  /**
   * As `RecordingService.decide`, for what has a recording's audio put together anew.
   * @throws {NotAccepted} also while more of its audio comes, or is to be added
   */
  assemble: Deciding;
  /** Begins a recording that is made of parts of others, with all that is carried over: all of it or nothing. */
  beginMade(
    recordingId: string,
    facts: readonly RecordingFact[],
    metadata: CommandMetadata,
  ): Promise<void>;
  /**
   * Erases a recording that is in another one whole, which is protected from deletion and put in order as this one is by
   * now; resolves when nothing is left of it.
   */
  absorb(recordingId: string, into: string): Promise<void>;
};

/** How often it is looked at again because its protection or order changed meanwhile. */
const triesMax = 20;

const absorbing = 'absorbed-by-';
/** The recording that took up one which was erased by this command; null: it was erased for another reason. */
export const absorbedBy = (command: string): string | null =>
  command.startsWith(absorbing) ? command.slice(absorbing.length) : null;

type Parts = {
  handler: RecordingHandler;
  recordings: OpenRecordings;
  erasing: ErasureCommands;
  removals: Removals;
};

/** `RecordingService.decide` */
type Deciding = (
  recordingId: string,
  metadata: { by: string; command: string },
  decision: DecideRecording,
) => Promise<Accepted & { facts: readonly LoggedRecordingFact[] }>;
type MakingDeps = TakenDeps & LateAudioDeps & { store: EventStore; decide: Deciding };

export const madeOfOthers = (
  { handler, recordings, erasing, removals }: Parts,
  { store, order, decide, ...late }: MakingDeps,
): MadeOfOthers => ({
  async assertPossible(recordingId, fact) {
    const { snapshot } = await handler.read(recordingId);
    if (!possibleFacts(snapshot).includes(fact.type))
      throw refusalError(recordingId, notLegal(snapshot, fact));
  },
  async assemble(recordingId, ...command) {
    const work = () => decide(recordingId, ...command);
    const decided = await unlessLateAudio(recordingId, late, work);
    if (decided) return decided;
    throw audioStillComes(stateName((await handler.read(recordingId)).snapshot.value));
  },
  async beginMade(recordingId, facts, metadata) {
    await recordings.use(recordingId, { create: true }, (recording) =>
      recording.append(facts, metadata),
    );
  },
  async absorb(recordingId, into) {
    let state = await lastState(store, recordingId);
    if (state === undefined) return;
    if (state === erasedState) await removals.erase(recordingId, null);
    const metadata = { by: 'system', command: `${absorbing}${into}` };
    for (let tries = 0; state !== erasedState; tries += 1) {
      if (tries === triesMax) throw new Error('protection or order changed again and again');
      const taken = await readRecording(store, recordingId);
      const seen = besideVersion(taken);
      if (seen > 0) {
        const given = await saidMeanwhile(taken, order);
        await recordings.use(into, { create: false }, (one) =>
          one.decide({ by: 'system', command: `beside-of-${recordingId}@${seen}` }, given),
        );
      }
      // Protected or put otherwise meanwhile: nothing is erased before that is taken over, too.
      await erasing.erase(recordingId, metadata, (now, at) =>
        besideVersion(now) === seen ? erase(now, at) : [],
      );
      state = await lastState(store, recordingId);
    }
  },
});

/** What people said of it that is not in its audio. */
const besideVersion = (recording: Pick<Recording, 'facts'>): number =>
  Math.max(holdVersion(recording), orderVersion(recording));

/** What was said of it since the recording that takes it up was put together, for that one. */
async function saidMeanwhile(taken: Recording, order: TakenDeps['order']) {
  const { folders } = await order.of(taken.files.owner ?? 'system');
  return (now: Recording): Decision<RecordingFact, OrderRefusal> => {
    const version = now.facts
      .flatMap((fact) =>
        fact.type === 'audio.imported' || fact.type === 'audio.assembled' ? [fact.data] : [],
      )
      .findLast(({ absorbs }) => absorbs?.includes(taken.recordingId))?.absorbed_version;
    const { folder, ...others } = version === undefined ? {} : orderSince(now, taken, version);
    // Who reads a shared folder would read all of this one.
    const isReadByOthers = (folders.get(folder ?? '')?.access.length ?? 0) > 0;
    const put = orderChanged(now, isReadByOthers ? others : { ...others, folder });
    if ('refused' in put) return put;
    return [...put, ...holdTaken(now, taken, Date.now())];
  };
}
