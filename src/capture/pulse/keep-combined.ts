import { StageError } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import type { Sentence } from '../../words/params.ts';
import type { Log } from '../../shared/log.ts';
import { onceMore } from '../../shared/once-more.ts';
import type { CombinedForm, CombinedSource } from './combined-source.ts';
import { watchPulse } from './watch-pulse.ts';

/** Between attempts to mend a chain that cannot be mended yet, milliseconds. */
const retryMs = 2000;

/**
 * Keeps the combined source standing while it is recorded: a loopback ends with its microphone, and
 * everything with the audio server. What is missing is loaded again as soon as that is possible.
 * @param options.form as for `build`
 * @param options.onState with what is missing; null when nothing is.
 */
export function keepCombined(options: {
  combined: CombinedSource;
  form?: CombinedForm;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  log: Log;
  onState(problem: Sentence | null): void;
}): void {
  const { combined, form, env, signal, log, onState } = options;
  let timer: NodeJS.Timeout | undefined;
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });

  const mending = onceMore(async () => {
    clearTimeout(timer);
    if (signal.aborted) return;
    try {
      // Asked first: what stands needs none of the changes that building would look for.
      if (!(await combined.stands(form)) && !signal.aborted) await combined.build(form);
      onState(null);
    } catch (error) {
      if (signal.aborted) return;
      onState(error instanceof StageError ? error.sentence : failure('combined-incomplete'));
      if (!(error instanceof StageError))
        log.error({ err: error }, 'repairing the combined source failed');
      timer = setTimeout(mend, retryMs);
      // Or what came meanwhile, of what building itself took down, would be tried at once.
      throw error;
    }
  });
  const mend = (): void => void mending().catch(() => undefined);
  watchPulse({
    env,
    signal,
    onEvent({ what, on }) {
      const matters = on === 'module' ? what === 'remove' : on === 'source' && what !== 'change';
      if (matters) mend();
    },
    onAway: mend,
  });
  // What vanished before the service watched again makes no event.
  mend();
}
