import assert from 'node:assert/strict';
import { type ExecFileException, execFile } from 'node:child_process';
import { test } from 'node:test';
import { program } from '../support/program.ts';
import { tempDir } from '../support/temp-dir.ts';
import { checkLook, openPage, phone, startChromium, startWebService } from './browser.ts';

test('a program on another computer logs in with a code of the account page, once', async (t) => {
  const service = await startWebService(t);
  const session = await service.login('ben');
  const browser = await startChromium(t);
  const page = await openPage(t, browser, {
    ...phone,
    viewport: { width: 320, height: 640 },
    url: `${service.url}/account`,
    session,
    locale: 'de-DE',
  });
  // What is read after the page has opened moves the button, and a tap on what moves is lost.
  await page.waitForLoadState('networkidle');
  await page.getByRole('button', { name: 'Programm anmelden…' }).tap();
  await page.getByRole('heading', { name: 'Code für ein Programm' }).waitFor();
  const text = (await page.locator('main').textContent()) ?? '';
  const [code = ''] = /\b(?:[A-Z2-9]{4}-){2}[A-Z2-9]{4}\b/u.exec(text) ?? [];
  // Nothing of the server's own computer stands in a command for another one; who is no administrator sees it, too.
  await page
    .getByText(`npx mitschrift login --server ${service.url} --with-code`, { exact: true })
    .waitFor();
  await checkLook(page, 'login-code-de');

  const home = await tempDir(t);
  const logIn = (given: string) => withCode(service.url, given, home);
  // As people type what they read.
  const first = await logIn(code.toLowerCase().replaceAll('-', ' '));
  assert.deepEqual([first.code, first.out], [0, `Logged in to ${service.url} as ben.\n`]);
  const second = await logIn(code);
  assert.equal(second.code, 1);
  assert.match(second.err, /was used or has expired/);
});

async function withCode(server: string, given: string, home: string) {
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home };
  return await new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [program, 'login', '--server', server, '--with-code'],
      { env },
      (error: ExecFileException | null, out, err) =>
        resolve({ code: Number(error?.code ?? 0), out, err }),
    );
    child.stdin?.end(`${given}\n`);
  });
}
