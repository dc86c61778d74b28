/** How hard a password is to guess: 0 too short to be taken, 1 weak, 2 fair, 3 good, 4 strong. */
export type Strength = 0 | 1 | 2 | 3 | 4;

/** Characters that the service asks for at least. */
export const passwordMin = 8;

/**
 * A rough estimate in bits, on the careful side: what is guessed first (frequent passwords, the own name,
 * repetitions, rows of the keyboard) counts little, everything else by the kind of its characters, letters as
 * in words, since most are. Passphrases come out strong, which is what they are.
 */
export function passwordStrength(password: string, username = ''): Strength {
  if (Array.from(password).length < passwordMin) return 0;
  let rest = password.toLowerCase();
  let bits = 0;
  for (const guess of [username.toLowerCase(), ...frequent]) {
    if (guess.length < 2 || !rest.includes(guess)) continue;
    rest = rest.replaceAll(guess, '\n');
    bits += 3;
  }
  // Letters that are sometimes large are worth a bit each where they do not only begin a word.
  bits += Math.min(8, (password.match(/(?<=\S)\p{Lu}/gu) ?? []).length * 1.5);
  let before = '';
  for (const character of rest.replaceAll('\n', '')) {
    bits += follows(before, character) ? 0.5 : bitsOf(character);
    before = character;
  }
  const level = limits.findIndex((limit) => bits < limit);
  return (level < 0 ? 4 : level + 1) as Strength;
}

/** Bits below which a password is weak, fair, good. */
const limits = [22, 34, 48];

const bitsOf = (character: string): number => {
  if (/\p{L}/u.test(character)) return 2.4;
  return /\p{Nd}|\s/u.test(character) ? 2.8 : 5;
};

const rows = ['qwertzuiop', 'qwertyuiop', 'asdfghjkl', 'yxcvbnm', 'zxcvbnm'];

/** Whether a character is what one expects behind another: the same, the next one, its neighbour. */
function follows(before: string, character: string): boolean {
  if (before === '') return false;
  const step = character.codePointAt(0)! - before.codePointAt(0)!;
  return Math.abs(step) <= 1 || rows.some((row) => row.includes(before + character));
}

/** What lists of stolen passwords begin with, English and German, and what fits this product. */
const frequent = [
  'password',
  'passwort',
  'kennwort',
  'mitschrift',
  'welcome',
  'willkommen',
  'letmein',
  'iloveyou',
  'football',
  'baseball',
  'dragon',
  'monkey',
  'sunshine',
  'princess',
  'schatz',
  'geheim',
  'secret',
  'sommer',
  'winter',
  'summer',
  'hallo',
  'hello',
  'admin',
  'master',
  'abc123',
  'pass',
  'test',
  '2024',
  '2025',
  '2026',
];
