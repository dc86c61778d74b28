/**
 * A text whose runs of combining marks are shortened to 30, as the Stream-Safe Text Format of Unicode has it (UAX #15): no language
 * has more, and `normalize` puts a run in order in time that grows as its square. Two letters, the voicing marks of half width,
 * become marks in NFKC and NFKD.
 */
export const streamSafe = (text: string): string =>
  text.replaceAll(/([\p{M}\uFF9E\uFF9F]{30})[\p{M}\uFF9E\uFF9F]+/gu, '$1');
