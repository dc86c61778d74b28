import { StageError } from '../shared/errors.ts';
import type { Captures } from './captures.ts';

/** Captures of a node of a cluster: browsers send it what they hear; sound devices are at people's desks. */
export function withoutDevices(captures: Captures): Captures {
  const refuse = async (): Promise<never> => {
    throw new StageError(
      'devices-unavailable',
      'This service is one of several nodes, which record from no devices of their own. Record in the browser, or at the desk by mitschrift record --server with the address of this service.',
      { retriable: false },
    );
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
