import { detailsOfDevices } from './details-of-devices.ts';
import { detailsOfDevicesInGerman } from './details-of-devices.de.ts';
import { detailsOfRecordings } from './details-of-recordings.ts';
import { detailsOfRecordingsInGerman } from './details-of-recordings.de.ts';
import { detailsOfServer } from './details-of-server.ts';
import { detailsOfServerInGerman } from './details-of-server.de.ts';
import { sayingsOf } from './sentences.ts';

/** What problems say that say more than their type. */
export const details = {
  ...detailsOfRecordings,
  ...detailsOfDevices,
  ...detailsOfServer,
};

export const detailsInGerman = {
  ...detailsOfRecordingsInGerman,
  ...detailsOfDevicesInGerman,
  ...detailsOfServerInGerman,
};

/** A detail's code with what varies in its sentence. */
export const detail = sayingsOf(details, 'detail');
