import { once } from 'node:events';
import { untilAborted } from '../../shared/abort.ts';
import { askedStretch, keptPart } from '../../speech/detection/seams.ts';
import type { Recognised } from '../../speech/engine.ts';
import { decidedLanguage } from '../../speech/live/decided-language.ts';
import { liveDetectorName } from '../../speech/live/live-detector.ts';
import { mostHeard } from '../../speech/most-heard.ts';
import { askUntilAnswered } from './ask-live.ts';
import type { Live } from './live.ts';
import { recallVoices, voiceIn } from './voice-labels.ts';
import { utteranceFact } from './utterance-fact.ts';

/** Recognises each stretch that is closed, in order, until it is aborted. */
export async function recogniseOn(live: Live, signal: AbortSignal): Promise<never> {
  const { plan, heard } = live;
  await recallVoices(live, signal);
  for (;;) {
    await decideLanguage(live, signal);
    if (heard.length === plan.length) await planNext(live, signal);
    await recogniseOne(live, heard.length, signal);
    live.ahead?.grown(heard, live.language ?? mostHeard(heard));
  }
}

async function planNext(live: Live, signal: AbortSignal) {
  const { job, following, plan, events } = live;
  const { follower } = following;
  while (!follower.next()) await once(events, 'closed', { signal });
  const next = live.voices
    ? await follower.nextOfOneVoice((stretch) => voiceIn(live, stretch, signal))
    : follower.next();
  const { stretch, cut, voice, count } = next!;
  await job.append({
    type: 'speech.followed',
    data: { detector: liveDetectorName, stretches: [stretch], ...(cut ? { cut } : {}) },
  });
  follower.taken(count);
  plan.push({ stretch, cut, voice });
}

/** Recognises a stretch of the plan, also one once more; a fact. */
async function recogniseOne(live: Live, index: number, signal: AbortSignal): Promise<void> {
  const { job, following, plan, heard, language } = live;
  const { stretch, cut, voice } = plan[index]!;
  const [start, end] = stretch;
  const before = plan[index - 1]?.cut ? heard[index - 1]! : null;
  const result = askUntilAnswered(following, askedStretch(stretch, before), {
    job,
    language,
    leaseEngine: live.deps.leaseEngine,
    log: live.deps.log,
    onPartial(text) {
      // What is recognised once more has a text already.
      if (!heard[index]) job.partial({ index, start, end, text, speaker: voice ?? null });
    },
  });
  following.asked = { index, result };
  const recognised: Recognised = await untilAborted(result, signal).finally(() =>
    job.partial(null),
  );
  const part = keptPart(recognised.segments, stretch, { before, goesOn: cut });
  const utterance = { ...recognised, ...part, index };
  await job.append(utteranceFact(utterance, voice));
  following.asked = null;
  heard[index] = { ...utterance, voice };
}

/** Once, on the first 20 s of speech; what was taken for another language before is recognised again. */
async function decideLanguage(live: Live, signal: AbortSignal): Promise<void> {
  if (live.language !== null) return;
  const decided = decidedLanguage(live.heard);
  if (!decided) return;
  live.language = decided.language;
  for (const index of decided.others) await recogniseOne(live, index, signal);
}
