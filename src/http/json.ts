import type { IncomingMessage } from 'node:http';
import { limits } from './limits.ts';
import { Problem } from './problems.ts';

/**
 * The body of a request as JSON; undefined without a body. What would keep the event loop busy (deep
 * nesting, tens of thousands of values) is refused before it is parsed.
 * @throws {Problem} 400, 413, 415
 */
export async function readJson(request: IncomingMessage, bytesMax: number): Promise<unknown> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    throw new Problem('unsupported-media', 'Send the body without `Content-Encoding`.');
  }
  const text = (await readAtMost(request, bytesMax)).toString('utf8');
  if (text === '') return undefined;
  if (!isBounded(text)) {
    throw new Problem('too-large', 'The body has too many values, or they are nested too deeply.');
  }
  try {
    return JSON.parse(text, withoutPrototype) as unknown;
  } catch (cause) {
    throw new Problem('malformed-body', 'The body is not valid JSON.', { cause });
  }
}

async function readAtMost(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > bytesMax) throw tooLarge(bytesMax);
  // The answer goes out over the same connection.
  const coming: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  for await (const chunk of coming) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLarge(bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = (bytesMax: number): Problem =>
  new Problem('too-large', `The body may have ${Math.floor(bytesMax / 1024)} KB here.`, {
    headers: { Connection: 'close' },
  });

/** Looks at the characters only, so that it takes milliseconds for a megabyte of anything. */
function isBounded(text: string): boolean {
  let depth = 0;
  let values = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (inString) {
      if (character === backslash) at += 1;
      else if (character === quote) inString = false;
    } else if (character === quote) inString = true;
    else if (character === comma) values += 1;
    else if (character === openBrace || character === openBracket) {
      depth += 1;
      values += 1;
    } else if (character === closeBrace || character === closeBracket) depth -= 1;
    if (depth > limits.jsonDepthMax || values > limits.jsonValuesMax) return false;
  }
  return true;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** `__proto__` as a key would be another object's prototype once the value is copied. */
function withoutPrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('__proto__ is not allowed as a key');
  return value;
}
