import type { checkTitles } from './check-titles.ts';
import { checksOfCluster } from './checks-of-cluster.ts';
import { checksOfClusterInGerman } from './checks-of-cluster.de.ts';
import { checksOfData } from './checks-of-data.ts';
import { checksOfDataInGerman } from './checks-of-data.de.ts';
import { checksOfHost } from './checks-of-host.ts';
import { checksOfHostInGerman } from './checks-of-host.de.ts';
import { checksOfPeople } from './checks-of-people.ts';
import { checksOfPeopleInGerman } from './checks-of-people.de.ts';
import { checksOfParts } from './checks-of-parts.ts';
import { checksOfPartsInGerman } from './checks-of-parts.de.ts';
import { sayingsOf } from './sentences.ts';

/** Everything that Health says: what each check finds, what mends it, and what came of trying a server. */
export const checks = {
  ...checksOfHost,
  ...checksOfData,
  ...checksOfParts,
  ...checksOfCluster,
  ...checksOfPeople,
};
export const checksInGerman = {
  ...checksOfHostInGerman,
  ...checksOfDataInGerman,
  ...checksOfPartsInGerman,
  ...checksOfClusterInGerman,
  ...checksOfPeopleInGerman,
};

/** A check's finding, by its code. */
export const check = sayingsOf(checks, 'check');

/** Ids of checks, each with its title. */
export type CheckId = keyof typeof checkTitles;
