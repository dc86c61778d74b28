import { stat } from 'node:fs/promises';
import { ifMissing } from '../shared/files.ts';
import { type LookedAt, type Look, asLimited, asOk } from './check.ts';
import { guideLink } from './guide.ts';

const lookMs = 10_000;
/** A clock that is ahead or behind by less is set by itself again. */
const clockMs = 3600_000;

/** The time zone in which documents are dated, and the clock. @param logFolder was written last when something happened */
export const timeLook = (env: NodeJS.ProcessEnv, logFolder: string): Look => ({
  id: 'time-zone',
  title: 'Time zone and clock',
  link: guideLink('administration', 'Times'),
  limitMs: lookMs,
  look: () => time(env, logFolder),
});

async function time(env: NodeJS.ProcessEnv, logFolder: string): Promise<LookedAt> {
  const set = env['TZ'] ?? '';
  // Undefined where TZ is none, whatever the types say.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;
  const choose = {
    text: 'Set the time zone of this machine (of a container: the variable TZ, such as Europe/Berlin).',
    // Asks for the zone.
    command: 'sudo dpkg-reconfigure tzdata',
  };
  if (set !== '' && !isZone(set)) {
    return asLimited(`TZ is “${set}”, which is no time zone: times are ${zone ?? 'UTC'}.`, choose);
  }
  const written = await stat(logFolder).then(({ mtimeMs }) => mtimeMs, ifMissing(null));
  if (written !== null && written > Date.now() + clockMs) {
    const when = new Date(written).toISOString();
    return asLimited(`The clock is behind: something was recorded at ${when}.`, {
      text: 'Have the clock set by the network.',
      command: 'sudo timedatectl set-ntp true',
    });
  }
  if (set === '' && isUtc(zone ?? 'UTC')) {
    return asLimited('No time zone is set: documents are dated in UTC.', choose);
  }
  return asOk(`Documents are dated in ${zone ?? 'UTC'}.`);
}

const isUtc = (zone: string | undefined): boolean =>
  zone === undefined || /^(?:Etc\/)?(?:UTC|UCT|GMT|Unknown|Universal|Zulu)$/.test(zone);

function isZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name.replace(/^:/, '') }) !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
