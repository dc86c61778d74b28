import type { Stretch } from '../../../events/facts/transcript.ts';
import type { Utterance } from '../../../projections/recording/followed.ts';
import type { SpeechFile } from '../../audio/wav.ts';
import type { Live } from './live.ts';

/** After a restart: how the voices sound that have labels, by the longest stretch of each; and who speaks in what was planned. */
export async function recallVoices(live: Live, signal: AbortSignal): Promise<void> {
  const { voices, heard, plan, following } = live;
  if (!voices || plan.length === 0) return;
  const longest = new Map<string, Utterance>();
  for (const utterance of heard) {
    const { voice, start, end } = utterance;
    if (voice === undefined) continue;
    plan[utterance.index]!.voice = voice;
    const known = longest.get(voice);
    if (!known || end - start > known.end - known.start) longest.set(voice, utterance);
  }
  await following.follower.follow();
  for (const [label, { index }] of longest) {
    await withPiece(live, plan[index]!.stretch, (piece) => voices.recall(label, piece, signal));
  }
  for (const planned of plan.slice(heard.length))
    planned.voice = await voiceIn(live, planned.stretch, signal);
}

/** The label of who speaks there. Without one the text is as good. */
export async function voiceIn(live: Live, stretch: Stretch, signal: AbortSignal) {
  const { voices, deps, job } = live;
  try {
    return await withPiece(live, stretch, async (piece) => await voices?.labelOf(piece, signal));
  } catch (error) {
    signal.throwIfAborted();
    deps.log.warn({ err: error, recordingId: job.recordingId }, 'a voice was not compared');
    return undefined;
  }
}

async function withPiece<Result>(
  { following: { follower } }: Live,
  stretch: Stretch,
  use: (piece: SpeechFile) => Promise<Result>,
): Promise<Result> {
  const piece = await follower.piece(stretch);
  try {
    return await use(piece);
  } finally {
    await piece.close();
  }
}
