import { execFile } from 'node:child_process';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { settingSchemas } from '../config/schema.ts';
import { variableOf } from '../settings.ts';
import { hostFrom } from '../host.ts';
import { packageRoot } from '../package-root.ts';
import { unitName, unitText } from '../system-service/unit.ts';

const run = promisify(execFile);
/** systemd answers at once, or is not there. */
const systemctlWithinMs = 20_000;

/** Runs the service in the background of the user's session, from login on, or from boot with linger. */
export async function service(action: string, options: { dryRun: boolean }): Promise<void> {
  switch (action) {
    case 'install':
      return await install(options.dryRun);
    case 'uninstall':
      return await uninstall(options.dryRun);
    case 'status':
      return await status();
    default:
      console.error('Say install, uninstall or status.');
      process.exitCode = 2;
  }
}

async function install(dryRun: boolean): Promise<void> {
  const program = join(packageRoot, 'dist', 'src', 'cli', 'mitschrift.js');
  const text = unitText({
    node: process.execPath,
    program,
    dataDir: hostFrom(process.env).data.root,
    environment: environmentToKeep(process.env),
  });
  if (dryRun) {
    console.log(`# ${unitPath()}\n${text}`);
    return;
  }
  await access(program).catch(() => {
    throw new Error(`${program} is missing: run npm install first`);
  });
  await mkdir(unitFolder(), { recursive: true });
  await writeFile(unitPath(), text, { mode: 0o600 });
  await systemctl('daemon-reload');
  await systemctl('enable', '--now', unitName);
  console.log(`Installed ${unitPath()}; it runs now and at every login.`);
  console.log('To have it run from boot, before anybody logs in: loginctl enable-linger');
}

async function uninstall(dryRun: boolean): Promise<void> {
  if (dryRun) {
    console.log(`# would disable ${unitName} and remove ${unitPath()}; the data stays`);
    return;
  }
  await systemctl('disable', '--now', unitName);
  await rm(unitPath(), { force: true });
  await systemctl('daemon-reload');
  console.log('Uninstalled. The data directory is as it was.');
}

async function status(): Promise<void> {
  const installed = await access(unitPath()).then(
    () => true,
    () => false,
  );
  if (!installed) {
    console.log(`Not installed: ${unitPath()} is not there.`);
    process.exitCode = 1;
    return;
  }
  const { stdout } = await systemctl('show', unitName, '--property=ActiveState,SubState,MainPID');
  console.log(stdout.trim());
}

const unitFolder = (): string =>
  join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'systemd', 'user');
const unitPath = (): string => join(unitFolder(), unitName);

/** What was set where it is installed from, secrets left out: those belong into the settings. */
function environmentToKeep(env: NodeJS.ProcessEnv): Record<string, string> {
  const known = [
    'MITSCHRIFT_HOST',
    'MITSCHRIFT_PORT',
    'MITSCHRIFT_LOG_LEVEL',
    ...Object.entries(settingSchemas)
      .filter(([, { secret }]) => !secret)
      .map(([key]) => variableOf(key)),
  ];
  return Object.fromEntries(known.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

async function systemctl(...args: string[]): Promise<{ stdout: string }> {
  try {
    return await run('systemctl', ['--user', ...args], { timeout: systemctlWithinMs });
  } catch (error) {
    const { code, stderr, message } = error as NodeJS.ErrnoException & { stderr?: string };
    const why = code === 'ENOENT' ? 'systemctl is not on the PATH' : stderr?.trim() || message;
    throw new Error(`systemd did not do it: ${why}`, { cause: error });
  }
}
