/** What has happened to a recording, in the steps that a person knows. */
import { type StepName, stepNames, stepOf } from '../../client/stages.ts';
import type { Recording } from './turn-key.ts';

export type Step = { name: StepName; state: 'done' | 'runs' | 'waits' | 'failed' | 'to-come' };

/** Steps in their order. What comes before the present one is done; of two side by side each is said. */
export function stepsOf(
  recording: Pick<Recording, 'kind' | 'status' | 'state' | 'stage' | 'error' | 'activities'>,
): Step[] {
  const names = stepNames.filter(
    (name) => recording.kind === 'meeting' || (name !== 'voices' && name !== 'named'),
  );
  const present = presentStep(recording);
  const at = present === null ? names.length : names.indexOf(present);
  const running = new Set(recording.activities.map(({ stage }) => stepOf(stage)));
  return names.map((name, place) => {
    if (recording.status === 'ERROR' && name === present) return { name, state: 'failed' };
    if (isDoneBeside(name, recording.state)) return { name, state: 'done' };
    if (running.has(name)) return { name, state: 'runs' };
    if (place < at) return { name, state: 'done' };
    if (place > at) return { name, state: 'to-come' };
    return { name, state: name === 'named' ? 'waits' : 'runs' };
  });
}

function presentStep({
  status,
  state,
  stage,
  error,
}: Pick<Recording, 'status' | 'state' | 'stage' | 'error'>): StepName | null {
  if (status === 'ERROR' && error !== null) return stepOf(error.stage);
  if (status === 'AWAITING_SPEAKERS') return 'named';
  if (status === 'RECORDING') return 'recorded';
  if (status === 'IDLE') return null;
  if (stage !== null) return stepOf(stage);
  if (state.includes('.finishing')) return 'punctuated';
  if (state.includes('.attributing') || state.includes('.joining')) return 'voices';
  return state.includes('.recognising') ? 'recognised' : 'documents';
}

/** `transcribing.finishing(punctuate.done,summarise.running)`: the one is done while the other runs. */
const isDoneBeside = (name: StepName, state: string): boolean =>
  (name === 'punctuated' && state.includes('punctuate.done')) ||
  (name === 'summary' && state.includes('summarise.done'));
