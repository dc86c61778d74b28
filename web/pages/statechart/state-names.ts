/** What states and stages are called, beside the codes that the log and the chart have for them. */
import { computed } from 'nanostores';
import type { Stage } from '../../client/stages.ts';
import { activePaths } from './moments.ts';
import { words } from './words.ts';

type Names = {
  /** Of a stage; undefined: this page does not know it. */
  stage(code: string): string | undefined;
  /** Of one state, by its path. */
  state(path: string): string | undefined;
  /** Of all that a state's name says, as the log writes it: `transcribing.attributing(diarize.running,identify.done)`. */
  states(name: string): string;
};

export const stateNames = computed(words, (said): Names => {
  const texts: Readonly<Record<string, unknown>> = said;
  const text = (key: string) => {
    const found = texts[key];
    return typeof found === 'string' ? found : undefined;
  };
  const stage = (code: string) => text(`stage:${code}`);
  const state = (path: string) => {
    const last = path.split('.').at(-1)!;
    if (last === 'running' || last === 'done') return text(last);
    return text(`state:${path}`) ?? stage(stagesOf[last] ?? last);
  };
  return {
    stage,
    state,
    states(name) {
      const paths = activePaths(name);
      const isLeaf = (path: string) => !paths.some((other) => other.startsWith(`${path}.`));
      const names = paths
        .filter((path) => isLeaf(path) && !path.endsWith('.done'))
        .map((path) => state(path.replace(/\.running$/, '')) ?? path);
      return names.length > 0 ? names.join(', ') : (state(paths[0] ?? '') ?? name);
    },
  };
});

/** States that are called otherwise than the stage that runs in them. */
const stagesOf: Readonly<Record<string, Stage>> = {
  assembling: 'assemble',
  continuing: 'continue',
  recognising: 'transcribe',
  joining: 'join',
  summarising: 'summarise',
  entitling: 'entitle',
  writing: 'write',
};
