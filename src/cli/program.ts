import { Command, CommanderError, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import type { Upload } from '../recordings/import-audio.ts';
import { packageVersion } from '../shared/package.ts';

/** Runs the command that the arguments name. Exit codes: 0 done, 1 failed, 2 wrong usage. */
export async function runProgram(): Promise<void> {
  // A terminal that was closed, or a reader that has ended, must not end what still has to be sent or removed.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else throw error;
  }
}

const program = new Command('mitschrift')
  .description('Records conversations and turns them into notes.')
  .version(packageVersion())
  .exitOverride();

// Each command loads what it needs when it is called: `--help` must not wait for an audio engine.
program
  .command('serve')
  .description('run the server (same as npm start)')
  .action(async () => (await import('./serve.ts')).serve());

program
  .command('transcribe')
  .description('transcribe audio files into documents, without a server or an account')
  .argument('<file...>', 'audio or video files, or folders')
  .option('--recursive', 'include subfolders', false)
  .option('--meeting', 'the recording is a meeting with several speakers', false)
  .option('--speakers <number>', 'how many people speak in a meeting: 3, or from 2-5', speakersOf)
  .option('--out <dir>', 'folder for the documents', '.')
  .option(
    '--format <list>',
    'md (the three documents), srt, vtt, docx, txt or json; separate several with commas',
    'md',
  )
  .option('--language <code>', 'spoken language, such as de or en-US (default: detect it)')
  .option('--people <names>', 'names of possible speakers: "Anna, Ben"')
  .option('--date <date>', 'date of the recording: 2026-11-21 or 2026-11-21T10:30', dateOf)
  .option('--again', 'transcribe again files that already have documents there', false)
  .option('--json', 'print the paths as JSON', false)
  .action(async (files, options) =>
    (await import('./transcribe.ts')).transcribeCommand(files, options),
  );

program
  .command('toggle')
  .description('start or stop a recording with a keyboard shortcut, as guest')
  .option('--meeting', 'the recording is a meeting with several speakers', false)
  .option('--stop', 'only stop', false)
  .addOption(new Option('--reset', 'only dismiss errors').default(false).conflicts('stop'))
  .action(async (options) => (await import('./toggle.ts')).toggle(options));

program
  .command('login')
  .description(
    'log in to a Mitschrift server, for record (the session is saved, readable only by you)',
  )
  .requiredOption('--server <url>', 'address, such as https://notes.example.org', originOf)
  .option('--user <name>', 'user name (default: ask)')
  .option('--password-stdin', 'read the password from the first line of standard input', false)
  .option('--code <code>', 'code of two-step login, or a recovery code (default: ask)')
  .option('--with-code', 'log in with a code from your account page, instead of a password', false)
  .action(async (options) => (await import('./login.ts')).login(options));

program
  .command('logout')
  .description('log out from a Mitschrift server')
  .requiredOption('--server <url>', 'address of the server', originOf)
  .action(async (options) => (await import('./login.ts')).logout(options));

program
  .command('record')
  .description('record from this computer for a Mitschrift server elsewhere')
  .requiredOption(
    '--server <url>',
    'address of the server (log in first: mitschrift login)',
    originOf,
  )
  .option('--device <name>', 'input device (default: the system’s)')
  .option('--loudspeakers', 'also record what the speakers play', false)
  .option('--meeting', 'the recording is a meeting with several speakers', false)
  .option('--title <text>', 'title of the recording')
  .option('--people <names>', 'names of possible speakers: "Anna, Ben"')
  .option('--folder <name>', 'folder that the recording is put into')
  .option('--finish <id>', 'end an abandoned recording, keeping what was sent')
  .option('--rest', 'only send what is left of earlier recordings', false)
  .action(async (options) => (await import('./record.ts')).record(options));

program
  .command('tray')
  .description('show a tray icon to start and stop recordings')
  .action(async () => (await import('./tray.ts')).tray());

program
  .command('service')
  .description('run Mitschrift in the background (systemd)')
  .argument('<action>', 'install, uninstall or status')
  .option('--dry-run', 'only show what would be done', false)
  .option('--system', 'print a system-wide unit for root to install', false)
  .option('--user <name>', 'with --system: system user to run as (default: mitschrift)')
  .action(async (action, options) => (await import('./service.ts')).service(action, options));

program
  .command('replay')
  .description('check the event log by computing everything again, or process a recording again')
  .option('--check', 'compare states and documents with the recorded ones', false)
  .option('--recording <id>', 'only this recording')
  .option('--from <stage>', 'process the recording again from this step')
  .option(
    '--data <dir>',
    'copy of a data directory, to check it with this version before an upgrade',
  )
  .option('--json', 'print the result as JSON', false)
  .action(async (options) => (await import('./replay.ts')).replay(options));

program
  .command('verify')
  .description('check all stored data for damage; changes nothing')
  .option('--json', 'print the result as JSON', false)
  .action(async (options) => (await import('./data.ts')).verify(options));

program
  .command('repair')
  .description('salvage a damaged event log into a new data directory')
  .requiredOption('--out <dir>', 'new data directory')
  .option('--backup <dir>', 'salvage this backup instead of the data directory')
  .option('--json', 'print the result as JSON', false)
  .action(async (options) => (await import('./data.ts')).repairCommand(options));

program
  .command('backup')
  .description(
    'back up everything except models, even while Mitschrift runs; repeated backups copy only what is new',
  )
  .argument('<dir>', 'folder for the backup')
  .option('--json', 'print the result as JSON', false)
  .action(async (dir, options) => (await import('./data.ts')).backupCommand(dir, options));

program
  .command('restore')
  .description('restore a backup into an empty data directory and check it')
  .argument('<dir>', 'the backup')
  .option('--erasures <file>', 'newer list of erased data to apply as well (keys/erased.jsonl)')
  .option('--json', 'print the result as JSON', false)
  .action(async (dir, options) => (await import('./data.ts')).restoreCommand(dir, options));

program
  .command('export-log')
  .description('export the event log as JSON lines')
  .argument('<file>', 'file to write')
  .option('--decrypt', 'include what people said as readable text', false)
  .action(async (file, options) => (await import('./data.ts')).exportLogCommand(file, options));

program
  .command('import-log')
  .description('import an exported event log into an empty data directory')
  .argument('<file>', 'exported event log')
  .action(async (file) => (await import('./data.ts')).importLogCommand(file));

program
  .command('migrate')
  .description(
    'copy a data directory into PostgreSQL and shared storage, or back; run again to continue',
  )
  .option('--from <dir>', 'data directory to copy (its server must be stopped)')
  .option('--to <dir>', 'empty data directory to copy into')
  .option('--json', 'print the result as JSON', false)
  .action(async (options) => (await import('./migrate.ts')).migrate(options));

program
  .command('nodes')
  .description('list the nodes of a cluster and what each one does')
  .option('--json', 'print the result as JSON', false)
  .action(async (options) => (await import('./nodes.ts')).nodesCommand(options));

const models = program
  .command('models')
  .description('list, install, import and remove models on this computer');
models
  .command('list')
  .description('list installed, available and recommended models')
  .option('--json', 'print the result as JSON', false)
  .action(async (options) => (await import('./models.ts')).listModelsCommand(options));
models
  .command('install')
  .description('download models and test them; run again to continue an interrupted download')
  .argument('<id...>', 'ids from the list')
  .action(async (ids) => (await import('./models.ts')).installModels(ids));
models
  .command('import')
  .description('install a model from an archive or folder, without internet access')
  .argument('<path>', 'archive or folder')
  .action(async (path) => (await import('./models.ts')).importModelCommand(path));
models
  .command('remove')
  .description('remove a model (asks first and says what it is used for)')
  .argument('<id>')
  .option('--yes', 'don’t ask for confirmation', false)
  .action(async (id, options) => (await import('./models.ts')).removeModelCommand(id, options));

program
  .command('doctor')
  .description('check what is missing and say how to fix it')
  .option('--json', 'print the result as JSON', false)
  .action(async (options) => (await import('./doctor.ts')).doctor(options));

program
  .command('setup-link')
  .description('print the setup link (contains the setup code)')
  .action(async () => (await import('./setup-link.ts')).printSetupLink());

const quarantine = program
  .command('quarantine')
  .description('list what was put aside: documents of deleted users and unknown folders')
  .option('--json', 'print the result as JSON', false)
  .action(async (options) => (await import('./quarantine.ts')).listQuarantine(options));
quarantine
  .command('purge')
  .description('delete it permanently (asks first)')
  .argument('[name]', 'name from the list')
  .option('--all', 'everything in the quarantine', false)
  .option('--yes', 'don’t ask for confirmation', false)
  .action(async (name, options) =>
    (await import('./quarantine.ts')).purgeQuarantine(name, options),
  );

const users = program.command('users').description('manage users');
users
  .command('list')
  .description('all users')
  .option('--json', 'print the result as JSON', false)
  .action(async (options) => (await import('./users.ts')).listUsers(options));
users
  .command('add')
  .description('create a user (asks for the password, or reads it from standard input)')
  .argument('<name>')
  .option('--admin', 'with administrator rights', false)
  .action(async (name, options) => (await import('./users.ts')).addUser(name, options));
users
  .command('invite')
  .description('print an invitation link for someone to choose a user name and password')
  .option('--admin', 'with administrator rights', false)
  .option('--note <text>', 'who the link is for (only administrators see this)')
  .option('--days <number>', 'number of days the link is valid, 1 to 30', daysOf, 7)
  .action(async (options) => (await import('./users.ts')).inviteUser(options));
users
  .command('password-link')
  .description('print a link for a user to choose a new password')
  .argument('<name>')
  .option('--days <number>', 'number of days the link is valid, 1 to 30', daysOf, 7)
  .action(async (name, options) => (await import('./users.ts')).linkForPassword(name, options));
users
  .command('import')
  .description('create users from a file with password hashes')
  .argument('<file>', 'file with one JSON object per line')
  .addHelpText(
    'after',
    `
Each line has "username", "password_hash" and optionally "is_admin":
  {"username": "anna", "password_hash": "$argon2id$v=19$m=19456,t=2,p=1$…$…", "is_admin": true}
Hashes: argon2id, PBKDF2-SHA256 or scrypt in PHC form ($argon2id$…, $pbkdf2-sha256$i=600000$…,
$scrypt$ln=15,r=8,p=1$…), or in werkzeug’s format (pbkdf2:sha256:600000$…, scrypt:32768:8:1$…).`,
  )
  .action(async (file) => (await import('./users.ts')).importUsers(file));
users
  .command('remove')
  .description('remove a user permanently; recordings are kept, documents go to the quarantine')
  .argument('<name>')
  .option('--yes', 'don’t ask for confirmation', false)
  .action(async (name, options) => (await import('./users.ts')).removeUser(name, options));
users
  .command('reset-password')
  .description('set a new password (asks for it, or reads it from standard input)')
  .argument('<name>')
  .action(async (name) => (await import('./users.ts')).resetPassword(name));
users
  .command('reset-totp')
  .description('switch off two-step login of a user who lost phone and recovery codes')
  .argument('<name>')
  .action(async (name) => (await import('./users.ts')).resetTotp(name));
for (const verb of ['disable', 'enable'] as const) {
  users
    .command(verb)
    .description(
      verb === 'disable'
        ? 'log a user out and block logins until enabled again'
        : 'allow a disabled user to log in again',
    )
    .argument('<name>')
    .action(async (name) => (await import('./users.ts')).disableUser(name, verb === 'disable'));
}

/** The origin of a server. What was given is not said again, as Commander would: a password may be in it. */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/u.test(url.protocol))
    return program.error('--server needs an address such as https://notes.example.org');
  if (url.username !== '' || url.password !== '')
    return program.error(
      'Don’t put user name or password into the address; mitschrift login asks for them.',
    );
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    return program.error(`Use only the address of the server: ${url.origin}`);
  return url.origin;
}

/** @throws {InvalidArgumentError} */
function daysOf(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 30) return days;
  throw new InvalidArgumentError('Use a number of days from 1 to 30.');
}

/** `3`, or `2-5` for at least 2 and at most 5. @throws {InvalidArgumentError} */
function speakersOf(text: string): Pick<Upload, 'speakers' | 'speakers_min' | 'speakers_max'> {
  const [, from, to] = /^(\d{1,2})(?:-(\d{1,2}))?$/u.exec(text) ?? [];
  const [min, max] = [Number(from), Number(to ?? from)];
  if (!(min >= 1 && max <= 20 && min <= max))
    throw new InvalidArgumentError('Use a number from 1 to 20, or two: 2-5.');
  return to === undefined
    ? { speakers: min }
    : { speakers: null, speakers_min: min, speakers_max: max };
}

/** A day or a time in the host's time zone, unless the text names another. @throws {InvalidArgumentError} */
function dateOf(text: string): Date {
  const parts =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?))?$/u.exec(text);
  const [, day = '', time = '00:00'] = parts ?? [];
  // Without a time JavaScript would take it for UTC; of February 31 it makes March 3.
  const date = new Date(`${day}T${time}`);
  const midnight = new Date(`${day}T00:00Z`);
  if (Number.isNaN(date.getTime()) || !midnight.toISOString().startsWith(day)) {
    throw new InvalidArgumentError('Use the form 2026-11-21 or 2026-11-21T10:30.');
  }
  return date;
}
