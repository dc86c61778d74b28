import { type Check, ok, runChecks } from '../doctor/checks.ts';
import { hostFrom } from '../shared/data-directory.ts';
import { measureTaken } from '../storage/quota.ts';
import { presentSettings } from './settings.ts';

/** Says what is there, what is missing and what to do about it. Exit code 1 when something fails. */
export async function doctor(options: { json: boolean }): Promise<void> {
  const { data } = hostFrom(process.env);
  const { settings, running } = await presentSettings({ data });
  // What is amiss stands in the checks themselves.
  const log = { warn() {} };
  const taken = async () => (await measureTaken(data)).bytes;
  const checks: Check[] = [
    running
      ? ok('service', 'runs')
      : { name: 'service', state: 'missing', detail: 'does not run', remedy: 'npm start' },
    ...(await runChecks({ data, settings, taken, log })),
  ];
  if (options.json) console.log(JSON.stringify(checks));
  else {
    for (const { name, state, detail, remedy } of checks) {
      console.log(`${marks[state]} ${name}: ${detail}${remedy ? `\n    → ${remedy}` : ''}`);
    }
  }
  if (checks.some(({ state }) => state === 'failed')) process.exitCode = 1;
}

const marks = { ok: '✔', missing: '–', failed: '✖' };
