import { commandLine } from '../shared/command-line.ts';
import { messageOf } from '../shared/errors.ts';
import { parsedJson } from '../shared/json.ts';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type * as z from 'zod';
import { checkPasswordHash } from '../accounts/passwords.ts';
import { checkUsername } from '../accounts/usernames.ts';
import { importedUser } from '../service/control/user-commands.ts';

type ImportedUser = z.output<typeof importedUser>;

/** Users that a file holds at most. */
const usersMax = 100_000;
/** Faulty lines that are named at most. */
const faultsMax = 20;

/**
 * The users of a file of JSON lines, administrators first. All lines are checked; werkzeug's hashes are
 * written in PHC form.
 * @throws {Error} naming the lines that are wrong, in sentences; no line is quoted, since lines hold hashes
 */
export async function readImportedUsers(file: string): Promise<ImportedUser[]> {
  const users: ImportedUser[] = [];
  const faults: string[] = [];
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(file, 'utf8') })) {
    number += 1;
    if (line.trim() === '') continue;
    try {
      users.push(userIn(line));
    } catch (error) {
      faults.push(`line ${number}: ${messageOf(error)}`);
    }
    if (faults.length >= faultsMax) break;
    if (users.length > usersMax) throw new Error(`${file} has more than ${usersMax} users.`);
  }
  if (faults.length > 0) {
    const help = `What a line looks like: ${commandLine('users import --help')}`;
    throw new Error(`No users were imported.\n${faults.join('\n')}\n${help}`);
  }
  if (users.length === 0) throw new Error(`${file} has no users.`);
  // Without an administrator there are no users.
  return users.toSorted((one, other) => Number(other.is_admin) - Number(one.is_admin));
}

/**
 * werkzeug's `pbkdf2:sha256:ROUNDS$SALT$HEX` and `scrypt:N:R:P$SALT$HEX` (`generate_password_hash`, which Flask
 * applications use) in PHC form; anything else as it is.
 */
function inPhcForm(hash: string): string {
  const parts = /^(pbkdf2:sha256|scrypt)((?::\d{1,9}){1,3})\$([^$]+)\$((?:[0-9a-f]{2})+)$/iu.exec(
    hash,
  );
  if (!parts) return hash;
  const [, method = '', costs = '', salt = '', digest = ''] = parts;
  const numbers = costs.slice(1).split(':').map(Number);
  const ends = `${base64(Buffer.from(salt))}$${base64(Buffer.from(digest, 'hex'))}`;
  if (method.toLowerCase() !== 'scrypt') {
    return numbers.length === 1 ? `$pbkdf2-sha256$i=${numbers[0]}$${ends}` : hash;
  }
  const [n = 0, r, p] = numbers;
  const ln = Math.log2(n);
  return numbers.length === 3 && Number.isInteger(ln)
    ? `$scrypt$ln=${ln},r=${r},p=${p}$${ends}`
    : hash;
}

/** @throws {Error} saying what is wrong, without the line's values */
function userIn(line: string): ImportedUser {
  const parsed = importedUser.safeParse(parsedJson(line), { reportInput: true });
  if (!parsed.success) throw new Error(parsed.error.issues.map(sentenceOn)[0]);
  const { username, password_hash, is_admin } = parsed.data;
  const hash = inPhcForm(password_hash);
  checkUsername(username);
  checkPasswordHash(hash);
  return { username, password_hash: hash, is_admin };
}

const expectations: Readonly<Record<string, string>> = {
  username: 'must be text of at most 200 characters',
  password_hash: 'must be a text of at most 1000 characters',
  is_admin: 'must be true or false',
};

function sentenceOn(issue: z.core.$ZodIssue): string {
  const key = String(issue.path[0] ?? '');
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(expectations).join(', ');
    return `"${issue.keys.join(', ').slice(0, 40)}" is unknown. Allowed: ${known}.`;
  }
  if (key === '') return 'The line is not a JSON object.';
  const missing = issue.code === 'invalid_type' && issue.input === undefined;
  return missing ? `"${key}" is missing.` : `"${key}" ${expectations[key]}.`;
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
