import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import ts from 'typescript';
import * as z from 'zod';
import { germanText, textIn } from '../../src/http/readers-language.ts';
import { inWords } from '../../src/shared/in-words.ts';
import { germanBy } from '../../src/shared/german.ts';

/** Folders and files whose sentences pages show: of the doctor, of trials, of models, of devices and problems. */
const sources = [
  'src/doctor',
  'src/speech/remote/probe-server.ts',
  'src/speech/choose-engine.ts',
  'src/speech/local/local-engine.ts',
  'src/speech/catalogue',
  'src/service/shared-log.ts',
  'src/shared/certificate.ts',
  'src/shared/in-words.ts',
  'src/shared/mutex.ts',
  'src/servers',
  'src/storage/blobs/open-blobs.ts',
  'src/storage/disk.ts',
  'src/storage/postgres/fitness.ts',
  'src/storage/postgres/schema.ts',
  'src/storage/quota.ts',
  'src/config/setting.ts',
  'src/config/config.ts',
  'src/accounts/usernames.ts',
  'src/accounts/login.ts',
  'src/capture/capture-now.ts',
  'src/capture/capture-activity.ts',
  'src/capture/captures.ts',
  'src/capture/toggle.ts',
  'src/capture/browser',
  'src/capture/device',
  'src/capture/process/client.ts',
  'src/capture/process/recorder.ts',
  'src/capture/pulse',
  'src/documents/desktop.ts',
  'src/documents/vault.ts',
  'src/recordings/refusals.ts',
  'src/http/routes',
];

/** What no page shows: asked of a model, written to a file, logged, said on a console, or only to programs. */
const unseen: readonly RegExp[] = [
  /^Write the numbers|^You answer in JSON|const why = /,
  /^The checksums were damaged/,
  /^model\.json|has no model\.json|^its id is|^must end with/,
  /^The audio is not as|^Say yes\.$/,
  // How a request is to be made: the general sentence of the problem's type stands for it.
  /`|recording_id|^Connect with/,
  // Whole only with what is put into it: `must have at least 3 characters`, and figures before a judgement.
  /^must \{amount|^\{detail\}:|\{figures\}|^The package sherpa-onnx-node|^Install a speech model|\{why\}\.$/,
];

/** In a place of these, a text is of the interface's description, of a log, or of no person. */
const elsewhere = new Set(['summary', 'description', 'describe', 'debug', 'info', 'warn', 'error']);

test('every sentence that a page shows of the service’s has German words', async () => {
  const files = (await Promise.all(sources.map(filesIn))).flat();
  const missing: string[] = [];
  let found = 0;
  for (const file of files) {
    for (const sentence of sentencesIn(file, await readFile(file, 'utf8'))) {
      if (unseen.some((one) => one.test(sentence))) continue;
      found += 1;
      if (germanText(filled(sentence)) === undefined) missing.push(`${file}: ${sentence}`);
    }
  }
  assert.deepEqual(missing, []);
  assert.ok(found > 250, `only ${found} sentences were found`);
});

test('a text of several sentences, parts that vary, and what a server said', () => {
  const toGerman = germanBy({
    'It has {size} and {rest}.': 'Es hat {size} und {rest}.',
    'no more': 'nichts weiter',
    'Good {it} day.': 'Guten {it} Tag.',
    'Again {it}, {it}.': '{it} wieder.',
    'It says: {said}': 'Er sagt: {said}',
  });
  assert.equal(
    toGerman('Good x day. It has 1.5 GB and no more.'),
    'Guten x Tag. Es hat 1,5 GB und nichts weiter.',
  );
  assert.equal(toGerman('Again y, y.'), 'y wieder.');
  assert.equal(toGerman('Again y, z.'), undefined);
  assert.equal(
    toGerman('Good x day. It says: Wait. Then ask.'),
    'Guten x Tag. Er sagt: Wait. Then ask.',
  );
  assert.equal(toGerman('Good x day. Who knows?'), undefined);
  assert.equal(textIn('de', 'Who knows?'), 'Who knows?');
  assert.equal(textIn('en', 'It answers.'), 'It answers.');
  const shape = z.object({
    name: z.string().min(3).max(9),
    many: z.number().max(2),
    kind: z.enum(['a', 'b']),
  });
  const wrong = shape.safeParse({ name: 'x', many: 'x', kind: 3 }, { error: inWords });
  const wrongToo = shape.safeParse(
    { name: 'x'.repeat(10), many: 3, kind: 'a' },
    { error: inWords },
  );
  for (const { message } of [...wrong.error!.issues, ...wrongToo.error!.issues])
    assert.notEqual(germanText(message), undefined, message);
});

async function filesIn(path: string): Promise<string[]> {
  if (path.endsWith('.ts')) return [path];
  const names = await readdir(path);
  return names
    .filter((name) => name.endsWith('.ts') && !name.startsWith('german'))
    .map((name) => `${path}/${name}`);
}

/** What stands in a place holder: a count where one is meant, else a word. */
const filled = (sentence: string): string =>
  sentence
    .replace(/^\{[^}]*\} (?=\p{Lu})/u, '')
    .replaceAll(/\{([^}]*)\}/g, (_, code: string) =>
      /count|length|max|min|seconds|minutes|bytes|free|cores|memory|gb|rate|ms/i.test(code)
        ? '12'
        : 'x',
    );

/** Texts of a file that are sentences, or what stands behind a field's name; `{…}` for what varies. */
function sentencesIn(file: string, code: string): string[] {
  const found: string[] = [];
  const isRoute = file.startsWith('src/http/routes');
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node) || isElsewhere(node)) return;
    const sentences = textsOf(node).filter(isSentence);
    // What a route says besides is its description.
    if (sentences.length > 0 && (!isRoute || isRefusal(node))) found.push(...sentences);
    else ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true));
  return found;
}

const isSentence = (text: string): boolean =>
  /^(?:\p{Lu}|“|\{)[^{]*.* .*[.?]$/su.test(text.trim()) || /^(?:must|is|has|it|its) \S+/.test(text);

function isElsewhere(node: ts.Node): boolean {
  if (ts.isPropertyAssignment(node)) return elsewhere.has(node.name.getText());
  if (!ts.isCallExpression(node)) return false;
  const { expression } = node;
  if (!ts.isPropertyAccessExpression(expression)) return false;
  const { text } = expression.name;
  return (
    text === 'describe' || (elsewhere.has(text) && expression.expression.getText().endsWith('log'))
  );
}

const isRefusal = (node: ts.Node): boolean =>
  node.parent !== undefined &&
  (((ts.isNewExpression(node.parent) || ts.isCallExpression(node.parent)) &&
    /^(?:Problem|notFound|invalid)$/.test(node.parent.expression.getText())) ||
    (!ts.isBlock(node.parent) && isRefusal(node.parent)));

/** What a text can be, with `{…}` for its parts. */
function textsOf(node: ts.Node): string[] {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
  if (ts.isParenthesizedExpression(node)) return textsOf(node.expression);
  if (ts.isConditionalExpression(node))
    return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
  if (ts.isTemplateExpression(node)) {
    let texts = [node.head.text];
    for (const { expression, literal } of node.templateSpans) {
      const parts = ts.isConditionalExpression(expression)
        ? textsOf(expression)
        : [`{${expression.getText().replaceAll(/[{}\s]+/g, ' ')}}`];
      texts = texts.flatMap((text) => parts.map((part) => text + part + literal.text));
    }
    return texts;
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken)
    return [];
  return textsOf(node.left).flatMap((left) => textsOf(node.right).map((right) => left + right));
}
