import { execFile } from 'node:child_process';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { settingSchemas } from '../config/schema.ts';
import { variableOf } from '../config/environment.ts';
import { askService } from '../service/control/socket.ts';
import { exists } from '../shared/files.ts';
import { clusterSecrets, clusterVariables } from '../shared/cluster-settings.ts';
import { hostFrom } from '../shared/data-directory.ts';
import { builtProgram, inProgramFolder } from '../shared/command-line.ts';

const run = promisify(execFile);
/** systemd answers at once, or is not there; what it stops first has 20 s for that (`TimeoutStopSec`). */
const systemctlWithinMs = 30_000;
/** What was started and has not opened its data after so long is not waited for. */
const answersWithinMs = 30_000;
const askAgainMs = 200;

/**
 * Runs the service in the background of the user's session, from login on, or from boot with linger.
 * `system` only prints the unit of a service that the whole host shares: root places it.
 */
export async function service(
  action: string,
  options: { dryRun: boolean; system: boolean; user?: string | undefined },
): Promise<void> {
  switch (action) {
    case 'install':
      return options.system
        ? printSystemUnit(options.user ?? systemUser)
        : await install(options.dryRun);
    case 'uninstall':
      return await uninstall(options.dryRun);
    case 'status':
      return await status();
    default:
      console.error('Usage: mitschrift service install|uninstall|status');
      process.exitCode = 2;
  }
}

const unitFolder = (): string =>
  join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'systemd', 'user');
const unitPath = (): string => join(unitFolder(), unitName);

/** Whether it runs in the background of this user's session. */
export const isUnitInstalled = (): Promise<boolean> => exists(unitPath());

/** What the unit is made from; all paths absolute. */
export type UnitInput = {
  node: string;
  /** The compiled command line, `dist/src/cli/mitschrift.js`. */
  program: string;
  dataDir: string;
  /** `MITSCHRIFT_*` variables to keep, without the data directory. Secrets do not belong here. */
  environment: Readonly<Record<string, string>>;
  /** The system's user that it runs as, in a unit of the system; without one it is a user's unit. */
  runsAs?: string;
};

/** The unit's name, for `systemctl --user`. */
export const unitName = 'mitschrift.service';

/** Who a unit of the system runs as, and the data directory that systemd makes for it (`StateDirectory`). */
const systemUser = 'mitschrift';
const systemData = '/var/lib/mitschrift';

/**
 * A systemd unit, systemd.service(5) and systemd.exec(5). By default a user's, because sound belongs to the
 * user's session. `KillMode=process`: a capture is a separate process that outlives the service, and
 * stopping the unit must not end it. `OOMPolicy=continue`: where the kernel ends a process that needed too
 * much memory, a capture or a recogniser, the service stays, to start it again. The hardening leaves what
 * sound needs: the runtime directory with the audio server's socket, and shared memory; homes stay writable for
 * vaults of users. No `PrivateTmp`: what goes there, a backup as well, would vanish with the unit.
 */
export function unitText({ node, program, dataDir, environment, runsAs }: UnitInput): string {
  const variables = { MITSCHRIFT_DATA: dataDir, ...environment };
  const whose = runsAs === undefined ? 'user' : 'system';
  return `[Unit]
Description=Mitschrift: records conversations and turns them into notes
Documentation=file:${escapeWord(program.replace(/dist\/src\/cli\/[^/]+$/, 'README.md'))}
After=${runsAs === undefined ? 'sound.target' : 'network.target sound.target'}
${limitOfStarts[whose]}

[Service]
Type=exec
${runsAs === undefined ? '' : `User=${escapeWord(runsAs)}\nStateDirectory=mitschrift\nStateDirectoryMode=0700\n`}ExecStart=${escapeWord(node)} ${escapeWord(program).replaceAll('$', '$$$$')} serve
${Object.entries(variables)
  .map(([name, value]) => `Environment=${escapeWord(`${name}=${value}`)}`)
  .join('\n')}
# glibc keeps a heap a thread: over hours of audio a tenth more memory than with two of them.
Environment=MALLOC_ARENA_MAX=2
Restart=on-failure
RestartSec=${secondsBetweenStarts[whose]}
# Finishes what is being written; what was acknowledged is on disk in any case.
TimeoutStopSec=20
KillMode=process
OOMPolicy=continue
UMask=0077
NoNewPrivileges=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RestrictRealtime=no
SystemCallArchitectures=native
${runsAs === undefined ? '' : 'ProtectSystem=full\n'}
[Install]
WantedBy=${runsAs === undefined ? 'default.target' : 'multi-user.target'}
`;
}

/** Behind a power cut a server's database or its disk may come up much later; a laptop keeps its battery. */
const limitOfStarts = {
  user: `# Ten failures within ten minutes: something is wrong that starting again does not mend.
StartLimitIntervalSec=600
StartLimitBurst=10`,
  system: `# Nobody sits beside it: what it needs, a database or a disk, may come up at any time.
StartLimitIntervalSec=0`,
};
const secondsBetweenStarts = { user: 2, system: 10 };

/** How to place it is on standard error: the unit itself can go to a file. */
function printSystemUnit(runsAs: string): void {
  const dataDir = process.env['MITSCHRIFT_DATA'] || systemData;
  const unit = { node: process.execPath, program: builtProgram, dataDir, runsAs };
  console.log(unitText({ ...unit, environment: environmentToKeep(process.env) }));
  nameSecretsLeftOut(`systemctl edit ${unitName}`);
  console.error(
    `Nothing was installed yet. As root, write this to /etc/systemd/system/${unitName}, then\n` +
      `  useradd --system --home-dir ${systemData} ${runsAs}    # if the user doesn’t exist\n` +
      `  systemctl daemon-reload && systemctl enable --now ${unitName}`,
  );
}

async function install(dryRun: boolean): Promise<void> {
  const program = builtProgram;
  const { root, controlSocket } = hostFrom(process.env).data;
  const text = unitText({
    node: process.execPath,
    program,
    dataDir: root,
    environment: environmentToKeep(process.env),
  });
  const isWhole = nameSecretsLeftOut(`systemctl --user edit ${unitName}`);
  if (dryRun) {
    console.log(`# ${unitPath()}\n${text}`);
    return;
  }
  await access(program).catch(() => {
    throw new Error(`${program} is missing. Run this first: ${inProgramFolder('npm install')}`);
  });
  // The unit would find the data locked, and be given up.
  if ((await askService(controlSocket, 'url')) !== null && !isActive(await unitState()))
    throw new Error('Mitschrift is already running (in a terminal?). Stop it first.');
  await mkdir(unitFolder(), { recursive: true });
  await writeFile(unitPath(), text, { mode: 0o600 });
  await systemctl('daemon-reload');
  await systemctl('enable', unitName);
  // Also one that runs, with what the unit said before; its captures go on.
  if (isWhole) await systemctl('restart', unitName);
  if (isWhole && !(await hasStarted(controlSocket)))
    throw new Error(
      `Installed ${unitPath()}, but Mitschrift doesn’t answer` +
        ` (waited up to ${answersWithinMs / 1000} s). The reason is in its log: journalctl --user --unit ${unitName}`,
    );
  console.log(
    isWhole
      ? `Installed ${unitPath()}. Mitschrift is running now and starts whenever you log in.`
      : `Installed ${unitPath()}. Once the secrets are there, start it: systemctl --user restart ${unitName}`,
  );
  console.log('To start it at boot: loginctl enable-linger');
}

/** To systemd it is active as soon as its program is executed, whatever that then finds. */
async function hasStarted(controlSocket: string): Promise<boolean> {
  const until = performance.now() + answersWithinMs;
  do {
    // Who asks while it starts is answered once it has. It may end instead.
    if ((await askService(controlSocket, 'url').catch(() => null)) !== null) return true;
    if (!isActive(await unitState())) return false;
    await sleep(askAgainMs);
  } while (performance.now() < until);
  return false;
}

async function uninstall(dryRun: boolean): Promise<void> {
  if (dryRun) {
    console.log(`# would disable ${unitName} and remove ${unitPath()}; the data is kept`);
    return;
  }
  await systemctl('disable', '--now', unitName);
  await rm(unitPath(), { force: true });
  await systemctl('daemon-reload');
  console.log('Uninstalled. Your data was kept.');
}

async function status(): Promise<void> {
  if (!(await isUnitInstalled())) {
    console.log(`Not installed: ${unitPath()} doesn’t exist.`);
    process.exitCode = 1;
    return;
  }
  const state = await unitState();
  console.log(state.trim());
  if (!isActive(state)) process.exitCode = 1;
}

const unitState = async (): Promise<string> =>
  (await systemctl('show', unitName, '--property=ActiveState,SubState,MainPID')).stdout;

const isActive = (state: string): boolean => /^ActiveState=active$/m.test(state);

/** Secrets of this environment that the unit does not get: by name, never their values. @returns whether it works without */
function nameSecretsLeftOut(systemctlEdit: string): boolean {
  const secrets = Object.entries(settingSchemas).flatMap(([key, { secret }]) =>
    secret && process.env[variableOf(key)] ? [key] : [],
  );
  const isInBucket = process.env['MITSCHRIFT_BLOBS_URL']?.startsWith('s3:');
  const needed = [...clusterSecrets, ...(isInBucket ? bucketSecrets : [])];
  const ofCluster = needed.filter((name) => process.env[name]);
  const names = [...secrets.map(variableOf), ...ofCluster];
  if (names.length === 0) return true;
  console.error(`Secrets are not written to the unit: ${names.join(', ')}.`);
  if (secrets.length > 0) {
    console.error(`Set ${secrets.join(', ')} in the settings (or with PUT /config).`);
  }
  if (ofCluster.length > 0) {
    console.error(
      `Without ${ofCluster.join(', ')} it doesn’t work. Put them into a file that only its user can read, ` +
        `and name it with ${systemctlEdit}: [Service] EnvironmentFile=/path/to/file`,
    );
  }
  return ofCluster.length === 0;
}

/** What was set where it is installed from, without secrets. */
function environmentToKeep(env: NodeJS.ProcessEnv): Record<string, string> {
  const known = [
    'MITSCHRIFT_HOST',
    'MITSCHRIFT_PORT',
    'MITSCHRIFT_LOG_LEVEL',
    'MITSCHRIFT_MODELS',
    ...clusterVariables.filter((name) => !clusterSecrets.includes(name)),
    ...Object.entries(settingSchemas)
      .filter(([, { secret }]) => !secret)
      .map(([key]) => variableOf(key)),
  ];
  // The unit runs in another folder.
  const kept = (name: string, value: string) => (paths.has(name) ? resolve(value) : value);
  return Object.fromEntries(
    known.flatMap((name) => (env[name] ? [[name, kept(name, env[name])]] : [])),
  );
}

/** Of the client of a bucket. */
const bucketSecrets = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];

const paths: ReadonlySet<string> = new Set(['MITSCHRIFT_MODELS', 'MITSCHRIFT_MASTER_KEY_FILE']);

async function systemctl(...args: string[]): Promise<{ stdout: string }> {
  try {
    return await run('systemctl', ['--user', ...args], { timeout: systemctlWithinMs });
  } catch (error) {
    const { code, stderr, message } = error as NodeJS.ErrnoException & { stderr?: string };
    const why = code === 'ENOENT' ? 'systemctl was not found' : stderr?.trim() || message;
    throw new Error(`systemctl failed: ${why}`, { cause: error });
  }
}

/** Quoted as systemd reads it: backslash, quote, and `%`, which would be expanded; `$` only is in arguments of `ExecStart`. */
function escapeWord(word: string): string {
  if (/[\n\r\0]/.test(word)) throw new RangeError('a unit cannot hold a line break');
  const escaped = word.replaceAll('%', '%%');
  return /[\s"'\\;]/.test(word)
    ? `"${escaped.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
    : escaped;
}
