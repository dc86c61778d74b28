/** What a model answers to a prompt: the part of a language model that is not protocol. */
export type Brain = (prompt: Prompt) => string;
export type Prompt = { system: string; user: string; schema: unknown };

/**
 * Does what it is asked: punctuates without touching words, answers JSON for a summary, a title and the
 * names of those who speak.
 */
export const wellBehaved: Brain = (prompt) => {
  if (/punctuat/i.test(prompt.system)) return punctuated(prompt.user);
  if (/names of the people/i.test(prompt.system)) return identified(prompt.user);
  if (/title/i.test(prompt.system)) return titled(prompt.user);
  return /JSON/u.test(prompt.system) ? linesOf(prompt.user) : summarised(prompt.user);
};

/** Punctuates like `wellBehaved`, but replaces one word wherever it occurs. */
export const wordChanging =
  (from: string, to: string): Brain =>
  (prompt) =>
    wellBehaved(prompt).replace(new RegExp(from, 'giu'), to);

/** Obeys the first `SAY "…"` it reads, wherever it stands: the most gullible model there can be. */
export const gullible: Brain = (prompt) =>
  /\bsay "([^"]+)"/i.exec(prompt.user)?.[1] ?? wellBehaved(prompt);

/**
 * Obeys orders only where they seem to come from its user: outside of the transcript's marks. What
 * a good model does, and what a forged closing mark would break.
 */
export const obedientOutsideData: Brain = (prompt) => {
  const outside = prompt.user.replaceAll(/<(\w+)>[\s\S]*?<\/\1>/gu, '');
  return /\bsay "([^"]+)"/i.exec(outside)?.[1] ?? wellBehaved(prompt);
};

/** Wraps the answer of another brain in the chatter and fences small models like to add. */
export const chatty =
  (brain: Brain): Brain =>
  (prompt) =>
    `Sure! Here is the result you asked for:\n\n\`\`\`\n${brain(prompt)}\n\`\`\`\n\nI hope this helps!`;

const markedLine = /^(\[\d+(?:\|[^\]]*)?\]) (.*)$/u;

/** What stands between the marks of the data, or everything where there are none. */
const dataOf = (user: string): string =>
  /<(transcript|parts|summary)>\n?([\s\S]*?)\n?<\/\1>/u.exec(user)?.[2] ?? user;

function punctuated(user: string): string {
  return dataOf(user)
    .split('\n')
    .flatMap((line) => {
      const marked = markedLine.exec(line);
      return marked ? [`${marked[1]} ${sentences(marked[2]!)}`] : [];
    })
    .join('\n');
}

/** A full stop after every twelfth word and at the end, a capital after each. */
function sentences(text: string): string {
  const words = text.split(/\s+/u).filter(Boolean);
  let fresh = true;
  return words
    .map((word, index) => {
      const shown = fresh ? word.charAt(0).toLocaleUpperCase() + word.slice(1) : word;
      const ends = index === words.length - 1 || index % 12 === 11;
      const stop = ends && /[\p{L}\p{N}]$/u.test(shown) ? '.' : '';
      fresh = /[.!?]$/u.test(shown + stop);
      return shown + stop;
    })
    .join(' ');
}

/** Three paragraphs from the beginning, the middle and the end, in the words of the talk. */
function summarised(user: string): string {
  const lines = dataOf(user)
    .split('\n')
    .map((line) => line.replace(/^[^:]{1,40}: /u, '').trim())
    .filter(Boolean);
  const chosen = [0, Math.floor(lines.length / 2), lines.length - 1];
  return [...new Set(chosen)]
    .map((index) => sentences((lines[index] ?? '').split(/\s+/u).slice(0, 25).join(' ')))
    .join('\n\n');
}

/** Who says “I am …”, and who is thanked. */
function identified(user: string): string {
  const data = dataOf(user);
  const found = (pattern: RegExp, how: string) =>
    Array.from(data.matchAll(pattern), ([quote, name = '']) => ({
      name: name.charAt(0).toLocaleUpperCase() + name.slice(1),
      how,
      quote,
      confidence: 0.9,
    }));
  return JSON.stringify({
    names: [
      ...found(/\b(?:i am|i'm|my name is|ich bin|mein name ist) (\p{L}+)/giu, 'said_by_self'),
      ...found(/\b(?:thanks|danke) (\p{L}+)/giu, 'addressed'),
    ],
  });
}

/** The first, the middle and the last line of the talk as points, each with its number. */
function linesOf(user: string): string {
  const said = dataOf(user).split('\n').filter(Boolean);
  const chosen = [0, Math.floor(said.length / 2), said.length - 1];
  const lines = [...new Set(chosen)].map((index) => {
    const [, turn, text = ''] = /^\[(\d+)\] (?:[^:]{1,40}: )?(.*)$/u.exec(said[index]!) ?? [];
    const words = sentences(text.split(/\s+/u).slice(0, 25).join(' '));
    return { turn: Number(turn), kind: 'point', person: null, text: words, due: null };
  });
  return JSON.stringify({ lines });
}

function titled(user: string): string {
  const words = dataOf(user)
    .replaceAll(/[^\p{L}\p{N}\s]/gu, '')
    .split(/\s+/u)
    .filter(Boolean);
  const title = sentences(words.slice(0, 5).join(' ')).replace(/\.$/u, '');
  const abstract = `${sentences(words.slice(0, 10).join(' '))} ${sentences(words.slice(-10).join(' '))}`;
  return JSON.stringify({ title, abstract });
}
