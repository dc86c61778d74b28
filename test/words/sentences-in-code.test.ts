import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import ts from 'typescript';

/** Folders and files whose sentences people read over HTTP. */
const sources = [
  'src/accounts',
  'src/capture',
  'src/capture/browser',
  'src/capture/device',
  'src/capture/process',
  'src/capture/pulse',
  'src/config',
  'src/doctor',
  'src/documents',
  'src/http',
  'src/http/feed',
  'src/http/middleware',
  'src/http/routes',
  'src/http/uploads',
  'src/integrity/backup.ts',
  'src/integrity/backups.ts',
  'src/recordings',
  'src/servers',
  'src/shared',
  'src/speech',
  'src/speech/catalogue',
  'src/speech/local',
  'src/speech/remote',
  'src/storage/disk.ts',
  'src/storage/quota.ts',
];

/** What stands in code all the same. */
const unseen: readonly RegExp[] = [
  // Asked of a model, written into a file, or of the interface's description.
  /^You answer in JSON|^Say yes\.$|^The checksums were damaged/,
  // Errors whose sentence their problem's type says: these are for the log.
  /^The key of (?:this user|the recording) is|^The key was given with another|^The uploaded file is gone/,
  /^Too many requests wait|^The service is starting: it|^The backup was cancelled|is not as it was written/,
  // Said by commands and at the start alone, which speak English.
  /^The variable \{|^must be (?:postgres|file|one of|a number from|\{masterKeyBytes)|^its id is|^must end with|^Begin from|^Set by/,
  // Found by the store or in a model's own file, and quoted.
  /^What is written to|^must lie inside the model|^is invalid$/,
];
/** Settings have both languages beside each other; tags of routes are the interface's description. */
const others = new Set([
  'src/config/language-settings.ts',
  'src/config/retention-settings.ts',
  'src/config/schema.ts',
  'src/config/login-settings.ts',
  'src/config/sharing-settings.ts',
  'src/config/sign-on-settings.ts',
  'src/http/route.ts',
]);

/** In a place of these, a text is of the interface's description, of a log, or of no person. */
const elsewhere = new Set(['summary', 'description', 'describe', 'debug', 'info', 'warn', 'error']);

test('what people read stands in the catalogues, and nowhere else', async () => {
  const files = (await Promise.all(sources.map(filesIn))).flat();
  const found: string[] = [];
  for (const file of files.filter((one) => !others.has(one))) {
    for (const sentence of sentencesIn(file, await readFile(file, 'utf8')))
      if (!unseen.some((one) => one.test(sentence))) found.push(`${file}: ${sentence}`);
  }
  assert.deepEqual(found, []);
});

async function filesIn(path: string): Promise<string[]> {
  if (path.endsWith('.ts')) return [path];
  const names = await readdir(path);
  return names.filter((name) => name.endsWith('.ts')).map((name) => `${path}/${name}`);
}

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
