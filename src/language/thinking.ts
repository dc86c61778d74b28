const names = 'think|thinking|thought|reasoning';
const closed = new RegExp(`^\\s*<(${names})>[\\s\\S]*?</\\1>`, 'iu');
const closedMistral = /^\s*\[THINK\][\s\S]*?\[\/THINK\]/iu;
const headless = new RegExp(`^(?:(?!<(?:${names})>)[\\s\\S])*?</(?:${names})>`, 'iu');
const unclosed = new RegExp(`^\\s*(?:<(?:${names})>|\\[THINK\\])[\\s\\S]*$`, 'iu');

/**
 * An answer without the thoughts before it: in tags, in tags whose opening the chat template has
 * swallowed (DeepSeek, Qwen), or in tags that never close, which leaves nothing.
 */
export function withoutThinking(answer: string): string {
  return answer
    .replace(closed, '')
    .replace(closedMistral, '')
    .replace(headless, '')
    .replace(unclosed, '')
    .trim();
}
