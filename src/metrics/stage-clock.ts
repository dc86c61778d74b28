import type { LoggedFact } from '../../events/catalogue.ts';
import type { Stage } from '../../events/recording-facts.ts';

/** Beginnings remembered; of more the oldest are forgotten, and their stages not timed. */
const beginningsMax = 10_000;

/** Times stages by their own facts: from `stage.started` to the result. Stages of before are not known. */
export function stageClock(endedBy: Readonly<Partial<Record<string, Stage>>>) {
  const began = new Map<string, number>();
  return {
    /** Takes note of a fact; answers with the stage it finished and how many seconds that took. */
    note({ stream, type, at, data }: LoggedFact): { stage: Stage; seconds: number } | undefined {
      const time = Date.parse(at);
      if (type === 'stage.started') {
        began.set(`${stream}/${data.stage}`, time);
        if (began.size > beginningsMax) began.delete(began.keys().next().value!);
        return undefined;
      }
      if (type === 'stage.failed' || type === 'stage.interrupted') {
        began.delete(`${stream}/${data.stage}`);
        return undefined;
      }
      const stage = endedBy[type];
      const since = stage === undefined ? undefined : began.get(`${stream}/${stage}`);
      if (stage === undefined || since === undefined) return undefined;
      began.delete(`${stream}/${stage}`);
      return { stage, seconds: Math.max(0, time - since) / 1000 };
    },
  };
}
