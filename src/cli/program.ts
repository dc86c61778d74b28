import { Command, CommanderError, InvalidArgumentError } from '@commander-js/extra-typings';
import { packageVersion } from '../shared/package.ts';

/** Runs the command that the arguments name. Exit codes: 0 done, 1 failed, 2 wrong usage. */
export async function runProgram(): Promise<void> {
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else throw error;
  }
}

const program = new Command('mitschrift')
  .description('Records people talking and turns it into written notes.')
  .version(packageVersion())
  .exitOverride();

// Each command loads what it needs when it is called: `--help` must not wait for an audio engine.
program
  .command('serve')
  .description('run the service (what npm start does)')
  .action(async () => (await import('./serve.ts')).serve());

program
  .command('transcribe')
  .description('write the three documents of audio files, without server or account')
  .argument('<file...>', 'audio files, or folders of them')
  .option('--recursive', 'search the folders in a folder too', false)
  .option('--meeting', 'several people speak', false)
  .option('--out <dir>', 'where the documents go', '.')
  .option(
    '--format <list>',
    'md (the three documents), srt, vtt, docx, txt, json; several with commas between',
    'md',
  )
  .option('--language <code>', 'language spoken, as BCP 47 tag: de, en-US')
  .option('--people <names>', 'who may be heard, with commas between: "Anna, Ben"')
  .option('--date <date>', 'when it was said: 2026-11-21, or 2026-11-21T10:30', dateOf)
  .option('--again', 'also transcribe what has its documents there already', false)
  .option('--json', 'print the paths as JSON', false)
  .action(async (files, options) =>
    (await import('./transcribe.ts')).transcribeCommand(files, options),
  );

program
  .command('toggle')
  .description('start or stop recording from a hotkey, as the guest')
  .option('--meeting', 'several people speak', false)
  .option('--stop', 'only stop', false)
  .option('--reset', 'only clear errors', false)
  .action(async (options) => (await import('./toggle.ts')).toggle(options));

program
  .command('login')
  .description('log in at a service on another machine, for record; the session is kept (0600)')
  .requiredOption('--server <url>', 'its address: https://notes.example.org')
  .option('--user <name>', 'instead of asking')
  .option('--password-stdin', 'the password is the first line of standard input', false)
  .action(async (options) => (await import('./login.ts')).login(options));

program
  .command('logout')
  .description('end that session')
  .requiredOption('--server <url>', 'its address')
  .action(async (options) => (await import('./login.ts')).logout(options));

program
  .command('record')
  .description('record from a device of this machine into a service on another one')
  .requiredOption('--server <url>', 'its address; mitschrift login comes first')
  .option('--device <name>', 'instead of the default one')
  .option('--loudspeakers', 'record what is heard from the loudspeakers too', false)
  .option('--meeting', 'several people speak', false)
  .option('--title <text>', 'what the recording is called')
  .option('--people <names>', 'who may be heard, with commas between: "Anna, Ben"')
  .option('--finish <id>', 'end a recording whose recorder will not come back, with what it sent')
  .option('--rest', 'only send what earlier recordings left on this machine', false)
  .action(async (options) => (await import('./record.ts')).record(options));

program
  .command('tray')
  .description('an icon in the tray of the desktop that shows the state, starts and stops')
  .action(async () => (await import('./tray.ts')).tray());

program
  .command('service')
  .description('run in the background of your session (systemd)')
  .argument('<action>', 'install, uninstall or status')
  .option('--dry-run', 'only show what would be done', false)
  .option('--system', 'print a unit for the whole host, which root places', false)
  .option('--user <name>', 'with --system: the system’s user that it runs as (default: mitschrift)')
  .action(async (action, options) => (await import('./service.ts')).service(action, options));

program
  .command('replay')
  .description('fold the event log again, or process a recording again from what it has')
  .option('--check', 'compare states and documents with what was recorded', false)
  .option('--recording <id>', 'only this recording')
  .option('--from <stage>', 'process the recording again from this stage on')
  .option(
    '--data <dir>',
    'a copy of a data directory, folded with this release before one switches',
  )
  .option('--json', 'print the result as JSON', false)
  .action(async (options) => (await import('./replay.ts')).replay(options));

program
  .command('verify')
  .description('check log, states, audio, documents and keys; changes nothing')
  .option('--json', 'print the report as JSON', false)
  .action(async (options) => (await import('./data.ts')).verify(options));

program
  .command('repair')
  .description('salvage what can be read of a damaged log into a new data directory')
  .requiredOption('--out <dir>', 'the new data directory')
  .option('--backup <dir>', 'salvage this backup instead of the data directory')
  .option('--json', 'print the report as JSON', false)
  .action(async (options) => (await import('./data.ts')).repairCommand(options));

program
  .command('backup')
  .description('back up everything, also while the service runs; again: only what is new')
  .argument('<dir>', 'where the backup is kept')
  .option('--json', 'print the report as JSON', false)
  .action(async (dir, options) => (await import('./data.ts')).backupCommand(dir, options));

program
  .command('restore')
  .description('make the (empty) data directory of a backup, and check it')
  .argument('<dir>', 'the backup')
  .option('--erasures <file>', 'a later list of erasures (keys/erased.jsonl) to apply as well')
  .option('--json', 'print the report as JSON', false)
  .action(async (dir, options) => (await import('./data.ts')).restoreCommand(dir, options));

program
  .command('export-log')
  .description('write the event log as JSON lines')
  .argument('<file>', 'the file to write')
  .option('--decrypt', 'make what people said readable in it', false)
  .action(async (file, options) => (await import('./data.ts')).exportLogCommand(file, options));

program
  .command('import-log')
  .description('make the log of an empty data directory of an exported file')
  .argument('<file>', 'an exported log')
  .action(async (file) => (await import('./data.ts')).importLogCommand(file));

program
  .command('migrate')
  .description('copy a data directory into PostgreSQL and a blob store, or back; again: it goes on')
  .option('--from <dir>', 'a data directory whose service is stopped')
  .option('--to <dir>', 'a data directory without a log')
  .option('--json', 'print the result as JSON', false)
  .action(async (options) => (await import('./migrate.ts')).migrate(options));

program
  .command('nodes')
  .description('which nodes of the cluster are there, and what each holds since when')
  .option('--json', 'print them as JSON', false)
  .action(async (options) => (await import('./nodes.ts')).nodesCommand(options));

const models = program
  .command('models')
  .description('speech models of this machine: list, install, import, remove');
models
  .command('list')
  .description('what is installed, what there is, and what is recommended here')
  .option('--json', 'print them as JSON', false)
  .action(async (options) => (await import('./models.ts')).listModelsCommand(options));
models
  .command('install')
  .description('download models and try them; begun again, it goes on where it broke off')
  .argument('<id...>', 'as the list has them')
  .action(async (ids) => (await import('./models.ts')).installModels(ids));
models
  .command('import')
  .description('install a model from an archive or a folder, without internet')
  .argument('<path>')
  .action(async (path) => (await import('./models.ts')).importModelCommand(path));
models
  .command('remove')
  .description('delete a model; asks first, and says what it is used for')
  .argument('<id>')
  .option('--yes', 'do not ask', false)
  .action(async (id, options) => (await import('./models.ts')).removeModelCommand(id, options));

program
  .command('doctor')
  .description('show what is installed, what is missing and what to do about it')
  .option('--json', 'print the checks as JSON', false)
  .action(async (options) => (await import('./doctor.ts')).doctor(options));

program
  .command('setup-link')
  .description('print the link that creates the first administrator; it holds the setup code')
  .action(async () => (await import('./setup-link.ts')).printSetupLink());

const quarantine = program
  .command('quarantine')
  .description(
    'list what was put aside: documents of deleted users, folders that are not in the log',
  )
  .option('--json', 'print it as JSON', false)
  .action(async (options) => (await import('./quarantine.ts')).listQuarantine(options));
quarantine
  .command('purge')
  .description('delete it for good; asks first')
  .argument('[name]', 'what the list calls it')
  .option('--all', 'everything that is there', false)
  .option('--yes', 'do not ask', false)
  .action(async (name, options) =>
    (await import('./quarantine.ts')).purgeQuarantine(name, options),
  );

const users = program.command('users').description('who may use the service');
users
  .command('list')
  .description('all users')
  .option('--json', 'print them as JSON', false)
  .action(async (options) => (await import('./users.ts')).listUsers(options));
users
  .command('add')
  .description('create a user; asks for the password, or reads the first line of standard input')
  .argument('<name>')
  .option('--admin', 'an administrator', false)
  .action(async (name, options) => (await import('./users.ts')).addUser(name, options));
users
  .command('invite')
  .description('print a link with which a colleague chooses user name and password')
  .option('--admin', 'an administrator', false)
  .option('--note <text>', 'for whom it is; only administrators see it')
  .option('--days <number>', 'how long it is valid, 1 to 30', daysOf, 7)
  .action(async (options) => (await import('./users.ts')).inviteUser(options));
users
  .command('password-link')
  .description('print a link with which a user chooses a new password')
  .argument('<name>')
  .option('--days <number>', 'how long it is valid, 1 to 30', daysOf, 7)
  .action(async (name, options) => (await import('./users.ts')).linkForPassword(name, options));
users
  .command('import')
  .description('create the users of a file, with the hashes of their passwords')
  .argument('<file>', 'a line of JSON for each user')
  .addHelpText(
    'after',
    `
Each line holds "username", "password_hash" and, optionally, "is_admin":
  {"username": "anna", "password_hash": "$argon2id$v=19$m=19456,t=2,p=1$…$…", "is_admin": true}
Hashes: argon2id, PBKDF2-SHA256 or scrypt in PHC form ($argon2id$…, $pbkdf2-sha256$i=600000$…,
$scrypt$ln=15,r=8,p=1$…), or as werkzeug writes them (pbkdf2:sha256:600000$…, scrypt:32768:8:1$…).`,
  )
  .action(async (file) => (await import('./users.ts')).importUsers(file));
users
  .command('remove')
  .description('delete a user for good; recordings are kept, documents go to the quarantine')
  .argument('<name>')
  .option('--yes', 'do not ask', false)
  .action(async (name, options) => (await import('./users.ts')).removeUser(name, options));
users
  .command('reset-password')
  .description('set a new password; asks for it, or reads the first line of standard input')
  .argument('<name>')
  .action(async (name) => (await import('./users.ts')).resetPassword(name));
for (const verb of ['disable', 'enable'] as const) {
  users
    .command(verb)
    .description(
      verb === 'disable'
        ? 'log a user out everywhere, until the user is enabled again'
        : 'let a disabled user log in',
    )
    .argument('<name>')
    .action(async (name) => (await import('./users.ts')).disableUser(name, verb === 'disable'));
}

/** @throws {InvalidArgumentError} */
function daysOf(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 30) return days;
  throw new InvalidArgumentError('Write a number of days from 1 to 30.');
}

/** A day or a time in the host's time zone, unless the text names another. @throws {InvalidArgumentError} */
function dateOf(text: string): Date {
  const parts =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?))?$/u.exec(text);
  const [, day, time = '00:00'] = parts ?? [];
  // Without a time JavaScript would take it for UTC; of February 31 it makes March 3.
  const date = new Date(`${day}T${time}`);
  const midnight = new Date(`${day}T00:00Z`);
  if (Number.isNaN(date.getTime()) || !midnight.toISOString().startsWith(day!)) {
    throw new InvalidArgumentError('Write 2026-11-21, or with a time 2026-11-21T10:30.');
  }
  return date;
}
