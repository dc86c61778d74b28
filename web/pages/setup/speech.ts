/** Which of the models a new house is offered. */
import type { Model } from '../../client/models.ts';
import { isLocal } from '../../components/local-link.ts';

/** Models that recognise speech: what is installed and what is recommended first, the others on demand. */
export function offered(models: readonly Model[]): { first: Model[]; more: Model[] } {
  const speech = models.filter(isSpeech);
  const isFirst = (model: Model) =>
    model.installed || model.recommended !== null || model.progress !== null;
  return {
    // What is there already needs no waiting.
    first: speech.filter(isFirst).toSorted((a, b) => Number(b.installed) - Number(a.installed)),
    more: speech.filter((model) => !isFirst(model)).toSorted((a, b) => b.size - a.size),
  };
}

/** What `stt.local_model` has to be for a model to be used: its id where another could be taken instead. */
export const localModelFor = ({ id }: Model, models: readonly Model[]): string | null =>
  models.some((one) => isSpeech(one) && one.id !== id && (one.installed || one.progress !== null))
    ? id
    : null;

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

export const isSpeech = ({ purpose }: Pick<Model, 'purpose'>): boolean =>
  purpose === 'speech-to-text';

/**
 * Models that could not be downloaded and that nothing replaces: no model for the same that is there or comes, and no server.
 * @param hasServer a server was chosen for speech recognition
 */
export function failedDownloads(models: readonly Model[], hasServer: boolean): Model[] {
  const isReplaced = (failed: Model): boolean =>
    (isSpeech(failed) && hasServer) ||
    models.some(
      (one) => one.purpose === failed.purpose && (one.installed || one.progress !== null),
    );
  return models.filter(
    (one) => one.error !== null && !one.installed && one.progress === null && !isReplaced(one),
  );
}

/** Whether an address is of the machine the service runs on; undefined: it is no address yet. */
export const isHere = (address: string): boolean | undefined =>
  URL.canParse(address) && new URL(address).hostname !== '' ? isLocal(address) : undefined;
