/** Words that can be read out in any language, and typed on any keyboard. */
const consonants = 'bdfghklmnprstvw';
const vowels = 'aeiou';
const [words, syllables] = [4, 2];

/** Four made-up words, `lavo-kime-rupa-tedo`: 49 bits of chance, which are guessed ten times in some minutes at most. */
export function suggestPassword(): string {
  const word = () =>
    Array.from({ length: syllables }, () => one(consonants) + one(vowels)).join('');
  return Array.from({ length: words }, word).join('-');
}

/** Each sign with the same chance: what is above the last whole multiple is drawn again. */
function one(signs: string): string {
  const [drawn = 0] = crypto.getRandomValues(new Uint8Array(1));
  return drawn < 256 - (256 % signs.length) ? signs[drawn % signs.length]! : one(signs);
}
