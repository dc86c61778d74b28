import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { stat } from 'node:fs/promises';
import { SettingsError } from '../shared/errors.ts';
import { buildRemedy } from './build-tools.ts';
import { packageVersion } from '../shared/package.ts';
import { hasFfmpeg } from '../audio/ffmpeg.ts';
import type { Settings } from '../config/schema.ts';
import { environmentSettings, unknownVariables } from '../config/environment.ts';
import { type LookedAt, type Look, asLimited, asMissing, asOk } from './check.ts';
import { check } from '../words/checks.ts';
import type { Sentence } from '../words/params.ts';
import { guideLink } from './guide.ts';
import { ifMissing } from '../shared/files.ts';

/** Releases of Node that the tests run on. */
const testedNodes = [20, 22, 24];

const oldestNode = [20, 19] as const;

/** What a program or package that only says who it is may take. */
const shortMs = 10_000;

const needs = guideLink('readme', 'What it needs');

/** Node and its native packages. They need nothing of ours that could itself be broken. */
export const runtimeLooks = (): Look[] => [
  { id: 'node', link: needs, limitMs: shortMs, look: async () => node() },
  {
    id: 'modules',
    link: needs,
    limitMs: 30_000,
    look: (signal) => nativePackages(signal),
  },
];

/** Programs, and the variables of the environment. */
export const hostLooks = (
  env: NodeJS.ProcessEnv,
  settings: Pick<Settings, 'stt.base_url'>,
): Look[] => [
  {
    id: 'environment',
    link: guideLink('settings', 'Settings'),
    limitMs: shortMs,
    look: async () => variables(env),
  },
  { id: 'ffmpeg', link: needs, limitMs: shortMs, look: () => ffmpeg() },
  {
    id: 'bzip2',
    link: needs,
    limitMs: shortMs,
    look: (signal) => bzip2(settings['stt.base_url'] === null, signal),
  },
];

function node(): LookedAt {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const here = { release: packageVersion(), node: process.versions.node };
  const [oldestMajor, oldestMinor] = oldestNode;
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    return asMissing(check('node-too-old', { ...here, oldest: oldestNode.join('.') }));
  }
  if (testedNodes.includes(major)) return asOk(check('node-ok', here));
  return asLimited(check('node-untested', { ...here, tested: testedNodes.map(String) }));
}

/** Packages with a part that is compiled for one Node, and what cannot be done without each. */
const natives = [
  { name: 'classic-level', from: ['level'], needed: true, without: 'no-data' },
  { name: 'argon2', from: [], needed: true, without: 'no-login' },
  {
    name: 'sherpa-onnx-node',
    from: [],
    needed: false,
    without: 'no-local-speech',
  },
  {
    name: 'naudiodon/build/Release/naudiodon.node',
    from: [],
    needed: false,
    without: 'no-devices',
  },
] as const;

async function nativePackages(signal: AbortSignal): Promise<LookedAt> {
  const broken = (await brokenPackages(signal)).filter(
    // What cannot be done without these is said by the checks of speech and devices.
    ({ needed, isMissing }) => needed || !isMissing,
  );
  if (broken.length === 0) return asOk(check('packages-ok'));
  return asMissing(
    check('packages-broken', { packages: broken.map(({ said }) => said) }),
    await buildRemedy('npm install && npm rebuild'),
  );
}

type Broken = { name: string; needed: boolean; isMissing: boolean; said: Sentence };

/** Native packages that this Node cannot load, and why. */
export async function brokenPackages(signal: AbortSignal): Promise<Broken[]> {
  const paths = natives.map(({ name, from }) => pathOf(name, from));
  const together = await reasonsOf(paths, signal);
  // One of them has ended the process: which one, each tells in one of its own.
  const alone = () => Promise.all(paths.map(async (path) => await reasonsOf([path], signal)));
  const reasons = together ?? (await alone()).map((one) => (one ? one[0]! : ended));
  return natives.flatMap(({ name, needed, without }, index) => {
    const why = reasons[index];
    if (!why) return [];
    const [short = name] = name.split('/');
    const cause = why === missing ? 'missing' : why === ended ? 'ended' : 'failed';
    const said = check('package-broken', { name: short, consequence: without, cause, said: why });
    return [{ name: short, needed, isMissing: why === missing, said }];
  });
}

/** Why a package cannot be loaded, where nothing was thrown. */
const missing = 'MISSING';
const ended = 'ENDED';

/** Where the package is; null when it is not installed. What a package of ours depends on is found from there. */
function pathOf(name: string, from: readonly string[]): string | null {
  try {
    let require = createRequire(import.meta.url);
    for (const owner of from) require = createRequire(require.resolve(owner));
    return require.resolve(name);
  } catch {
    return null;
  }
}

/** Why each cannot be loaded, by a process of its own; null where it can. Null for all when the process has ended. */
async function reasonsOf(
  paths: readonly (string | null)[],
  signal: AbortSignal,
): Promise<(string | null)[] | null> {
  const args = paths.map((path) => path ?? '');
  const { code, stdout } = await run(process.execPath, ['-e', loadEach, ...args], signal);
  if (code !== 0) return null;
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as (string | null)[];
}

const loadEach = `
  const why = process.argv.slice(1).map((path) => {
    if (path === '') return '${missing}';
    try { require(path); return null; } catch (error) { return String(error.message).split('\\n')[0].slice(0, 300); }
  });
  console.log(JSON.stringify(why));
  process.exit(0);
`;

async function ffmpeg(): Promise<LookedAt> {
  if (await hasFfmpeg()) return asOk(check('ffmpeg-ok'));
  return asMissing(check('ffmpeg-missing'), { command: 'sudo apt-get install ffmpeg' });
}

async function bzip2(recognisesHere: boolean, signal: AbortSignal): Promise<LookedAt> {
  const { code } = await run('bzip2', ['--help'], signal);
  if (code === 0) return asOk(check('bzip2-ok'));
  const remedy = { command: 'sudo apt-get install bzip2' };
  const said = check('bzip2-missing');
  return recognisesHere ? asMissing(said, remedy) : asLimited(said, remedy);
}

function variables(env: NodeJS.ProcessEnv): LookedAt {
  try {
    environmentSettings(env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return asMissing(check('variables-wrong', { faults: error.message }));
  }
  const unknown = unknownVariables(env);
  if (unknown.length === 0) return asOk(check('variables-ok'));
  const said = unknown.map(({ variable, nearest }) =>
    check('variable-unknown', { variable, nearest: nearest ?? undefined }),
  );
  return { status: 'limited', said: said as [Sentence, ...Sentence[]], remedy: null };
}

/** Runs a program that ends by itself. `code` is null when it could not be started or was killed. */
export function run(
  program: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const options = { signal, killSignal: 'SIGKILL', maxBuffer: 1_000_000 } as const;
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : child.exitCode, stdout, stderr });
    });
  });
}

const lookMs = 10_000;

/** A clock that is ahead or behind by less is set by itself again. */
const clockMs = 3600_000;

/** The time zone in which documents are dated, and the clock. @param logFolder was written last when something happened */
export const timeLook = (env: NodeJS.ProcessEnv, logFolder: string): Look => ({
  id: 'time-zone',
  link: guideLink('administration', 'Times'),
  limitMs: lookMs,
  look: () => time(env, logFolder),
});

async function time(env: NodeJS.ProcessEnv, logFolder: string): Promise<LookedAt> {
  const set = env['TZ'] ?? '';
  // Undefined where TZ is none, whatever the types say.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;
  // Asks for the zone.
  const choose = { command: 'sudo dpkg-reconfigure tzdata' };
  if (set !== '' && !isZone(set)) {
    return asLimited(check('time-zone-unknown', { set, zone: zone ?? 'UTC' }), choose);
  }
  const written = await stat(logFolder).then(({ mtimeMs }) => mtimeMs, ifMissing(null));
  if (written !== null && written > Date.now() + clockMs) {
    const last = new Date(written).toISOString();
    return asLimited(check('clock-behind', { last }), {
      command: 'sudo timedatectl set-ntp true',
    });
  }
  if (set === '' && isUtc(zone ?? 'UTC')) {
    return asLimited(check('time-zone-not-set'), choose);
  }
  return asOk(check('time-ok', { zone: zone ?? 'UTC' }));
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
