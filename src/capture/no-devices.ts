import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import type { Captures } from './captures.ts';

/** Captures of a node of a cluster: browsers send it what they hear; sound devices are at people's desks. */
export function withoutDevices(captures: Captures): Captures {
  const refuse = async (): Promise<never> => {
    throw new StageError(failure('no-devices-on-nodes'), { retriable: false });
  };
  return {
    ...captures,
    devices: refuse,
    choose: refuse,
    hear: refuse,
    sources: refuse,
    combine: refuse,
    uncombine: refuse,
  };
}
