/** Which of the models a new house is offered. */
import type { Model } from '../../client/models.ts';

/** Models that recognise speech: what is installed and what is recommended first, the others on demand. */
export function offered(models: readonly Model[]): { first: Model[]; more: Model[] } {
  const speech = models.filter(({ purpose }) => purpose === 'speech-to-text');
  const isFirst = (model: Model) =>
    model.installed || model.recommended !== null || model.progress !== null;
  return {
    // What is there already needs no waiting.
    first: speech.filter(isFirst).toSorted((a, b) => Number(b.installed) - Number(a.installed)),
    more: speech.filter((model) => !isFirst(model)).toSorted((a, b) => b.size - a.size),
  };
}

const apart = ['speaker-segmentation', 'speaker-embedding'];

/** The models by which speakers of a meeting are told apart: those that are there, else the recommended. */
export function meetingModels(models: readonly Model[]): Model[] {
  return apart.flatMap((purpose) => {
    const fitting = models.filter((model) => model.purpose === purpose);
    const one =
      fitting.find(({ installed }) => installed) ??
      fitting.find(({ recommended }) => recommended !== null);
    return one === undefined ? [] : [one];
  });
}

/** Whether an address is of the machine the service runs on; undefined: it is no address yet. */
export function isHere(address: string): boolean | undefined {
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  if (host === '') return undefined;
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}
