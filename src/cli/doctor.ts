import { type Check, ok, runChecks } from '../doctor/checks.ts';
import { settingsFrom, unknownVariableText, unknownVariables } from '../config/environment.ts';
import { askService } from '../control/socket.ts';
import { EventStoreError } from '../../events/store.ts';
import { KeyError } from '../../events/key-store.ts';
import { type Finding, openFindings, findingPlace } from '../integrity/findings.ts';
import { withLogAlone } from '../integrity/open-mark.ts';
import { type ServiceHealth, adviceOn, verifyLogAndKeys } from '../integrity/verify.ts';
import { exists } from '../shared/files.ts';
import { type DataFolder, hostFrom } from '../shared/data-directory.ts';
import { measureTaken } from '../storage/measure-taken.ts';
import { presentSettings } from './settings.ts';

/**
 * Says what is there, what is missing and what to do about it, also what keeps a service that is down from
 * starting. Exit code 1 when something fails.
 */
export async function doctor(options: { json: boolean }): Promise<void> {
  const { data } = hostFrom(process.env);
  const { settings, running, failed } = await settingsOrFailure(data);
  // What is wrong is in the checks themselves.
  const log = { warn() {} };
  const taken = async () => (await measureTaken(data)).bytes;
  const checks: Check[] = [
    running
      ? ok('service', 'runs')
      : { name: 'service', state: 'missing', detail: 'does not run', remedy: 'npm start' },
    ...unknownVariables(process.env).map((unknown): Check => ({
      name: 'environment',
      state: 'missing',
      detail: unknownVariableText(unknown),
    })),
    ...(await runChecks({ data, settings, taken, log })),
    ...(failed ?? (running ? await checkRunning(data) : await checkAlone(data))),
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
/** Damaged things that a line names. */
const namedMax = 10;

async function settingsOrFailure(data: DataFolder) {
  try {
    return { ...(await presentSettings({ data })), failed: null };
  } catch (error) {
    const failed = [refusal(error)];
    return { settings: settingsFrom(process.env), running: false, failed };
  }
}

/** What keeps the log from being opened. @throws anything that is not about the data */
function refusal(error: unknown): Check {
  const known = error instanceof EventStoreError || error instanceof KeyError;
  if (!known) throw error;
  return { name: 'log', state: 'failed', detail: error.message };
}

async function checkRunning(data: DataFolder): Promise<Check[]> {
  const health = await askService<ServiceHealth>(data.controlSocket, 'health');
  return health ? checksOf(health.damage) : [];
}

/** Records, tables and keys; `mitschrift verify` looks at audio and documents too, which takes longer. */
async function checkAlone(data: DataFolder): Promise<Check[]> {
  if (!(await exists(data.log))) return [];
  const findings = openFindings();
  try {
    await withLogAlone(data, ({ store, keys }) =>
      verifyLogAndKeys({ store, keys, data }, findings.add),
    );
  } catch (error) {
    return [refusal(error)];
  }
  return checksOf(findings.list);
}

function checksOf(findings: readonly Omit<Finding, 'severity'>[]): Check[] {
  const keys = findings.filter(({ kind }) => kind === 'key');
  const others = findings.filter(({ kind }) => kind !== 'key');
  return [
    checkOf('keys', 'are all readable', keys, ({ path = '' }) => path),
    checkOf('log', 'is as it was written', others, (one) => `${findingPlace(one)}: ${one.what}`),
  ];
}

function checkOf(
  name: string,
  sound: string,
  damaged: readonly Omit<Finding, 'severity'>[],
  named: (finding: Omit<Finding, 'severity'>) => string,
): Check {
  if (damaged.length === 0) return ok(name, sound);
  const more = damaged.length > namedMax ? `, and ${damaged.length - namedMax} more` : '';
  const list = damaged.slice(0, namedMax).map(named).join(', ');
  return {
    name,
    state: 'failed',
    detail: `${damaged.length} missing or damaged: ${list}${more}`,
    remedy: adviceOn(damaged.map(({ kind }) => ({ kind, severity: 'damage' }))).join(' '),
  };
}
