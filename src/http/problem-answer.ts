import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Sentence } from '../words/params.ts';
import { say, shownTo } from '../words/say.ts';
import type { FieldFault, Problem } from './problems.ts';
import { type Reader, heardBy, hearerOf, languageAsked } from './readers-language.ts';

/** What an answer has of a sentence for programs: its code, and what varies in it. */
type Coded = { code?: string; params?: Sentence['params'] };

/**
 * The JSON body of a problem in its reader's words: `detail` says what is wrong and what to do; its `code` and
 * `params` are for programs, where it says more than its type.
 * @param requestId by which the log knows the request
 */
export function problemBody(
  { type, status, said, errors, members }: Problem,
  reader: Reader,
  requestId?: string,
): Record<string, unknown> & { title: string; detail: string } {
  const known = status >= 500 && requestId !== undefined;
  const sentence =
    type === 'internal' && known ? { ...typeOf(type), params: { request: requestId } } : said;
  const faults = errors.map((fault) => faultAnswer(fault, reader));
  const detail =
    type === 'invalid' && faults.length > 0
      ? faults.map(({ path, message }) => `${path}: ${message}`).join('; ')
      : heardBy(reader, sentence);
  return {
    type: `/problems/${type}`,
    title: say(typeOf(type), reader.language)?.title ?? type,
    status,
    detail,
    ...codedFor(reader, sentence),
    ...(faults.length > 0 && { errors: faults }),
    ...members,
    ...(known && { request_id: requestId }),
  };
}

const typeOf = (code: string): Sentence => ({ area: 'problem', code });

/** A problem without a code of its own is known by its type. */
function codedFor(reader: Reader, said: Sentence): Coded {
  const { code, params } = shownTo(hearerOf(reader), said);
  return { ...(said.area !== 'problem' && { code }), ...(params && { params }) };
}

/** What somebody reads of a sentence, and programs of its code. */
export const spokenFor = (reader: Reader, said: Sentence): { detail: string } & Coded => ({
  detail: heardBy(reader, said),
  ...codedFor(reader, said),
});

const faultAnswer = (
  { path, fault }: FieldFault,
  reader: Reader,
): { path: string; message: string } & Coded => ({
  path,
  message: heardBy(reader, fault),
  ...codedFor(reader, fault),
});

/** Answers outside of the app, for people as a page: a browser shows no JSON that it has not asked for. */
export function answerProblem(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  problem: Problem,
): void {
  const asPage = incoming.headers.accept?.includes('text/html') === true;
  const reader = { language: languageAsked(incoming), isAdmin: false };
  const said = problemBody(problem, reader);
  const body = asPage ? pageSaying(said) : JSON.stringify(said);
  outgoing.writeHead(problem.status, {
    'Content-Type': asPage ? 'text/html; charset=utf-8' : 'application/problem+json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Content-Language': reader.language,
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    ...problem.headers,
  });
  outgoing.end(body);
}

/** A page without any file of the app, for who cannot be given one. */
export const pageSaying = ({ title, detail }: { title: string; detail: string }): string =>
  `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Mitschrift</title><h1>${escaped(title)}</h1><p>${linked(escaped(detail))}</p>\n`;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? sign);
const linked = (text: string): string =>
  text.replaceAll(/https:\/\/[\w.:[\]-]+/g, (address) => `<a href="${address}">${address}</a>`);
