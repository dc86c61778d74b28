/** What is typed with commas between. */
export const betweenCommas = (typed: string): string[] =>
  typed
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
