import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Marked } from 'marked';
import { type GuideName, germanGuides, guides, headingId } from '../../src/doctor/guide.ts';
import { startService } from '../support/http-client.ts';

const root = join(import.meta.dirname, '../..');

for (const language of ['en', 'de'])
  test(`the guides are rendered, and lead to each other and to their paragraphs (${language})`, async (t) => {
    const service = await startService(t);
    const pages = new Map<string, string>();
    for (const path of [...Object.keys(guides).map((name) => `/docs/${name}`), '/docs']) {
      const answer = await fetch(service.url + path, { headers: { 'Accept-Language': language } });
      assert.equal(answer.status, 200, path);
      assert.match(answer.headers.get('vary') ?? '', /Accept-Language/);
      pages.set(path, await answer.text());
    }
    const readme = pages.get('/docs/readme')!;
    const title = language === 'de' ? 'Erste Schritte' : 'First steps';
    assert.match(readme, new RegExp(`<h2 id="first-steps">.*${title}</h2>`));
    assert.match(readme, new RegExp(`<nav .*<a href="#first-steps">${title}</a>`));
    assert.match(readme, new RegExp(`<a href="/docs/readme" aria-current="page">${title}</a>`));
    for (const [path, page] of pages) {
      assert.match(page, /<a href="\/docs\/administration"/, `${path} leads to the other guides`);
      if (path === '/docs') continue;
      assert.doesNotMatch(
        page.slice(page.indexOf('<main')),
        /```|<img|<script|\]\(/,
        `${path} shows Markdown, or what is not there`,
      );
      assert.doesNotMatch(page, /^\|/m, `${path} shows a table as pipes`);
      const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      assert.equal(new Set(ids).size, ids.length, `${path} has a place twice`);
      for (const [, href = ''] of page.matchAll(/<a href="([^"]+)"/g)) {
        if (!/^[/#]/.test(href) || href === '/') continue;
        const [to = '', place] = href.split('#');
        const there = pages.get(to === '' ? path : to.replace(/\?lang=(?:en|de)$/, ''));
        assert.ok(there, `${path} leads to ${href}`);
        if (place !== undefined)
          assert.ok(there.includes(` id="${place}"`), `${path} leads to ${href}`);
      }
    }
    // What Health links to: each check's place is on its page.
    for (const link of await placesOfChecks()) {
      const [path = '', place] = link.split('#');
      assert.ok(pages.get(path)?.includes(` id="${place}"`), `Health leads to ${link}`);
    }
  });

test('an address names the language before the browser does, and a guide leads to the other one', async (t) => {
  const service = await startService(t);
  const read = async (path: string, browser: string) =>
    await (await fetch(service.url + path, { headers: { 'Accept-Language': browser } })).text();
  for (const [asked, browser, title, other] of [
    ['en', 'de', 'First steps', 'de'],
    ['de', 'en', 'Erste Schritte', 'en'],
  ] as const) {
    const page = await read(`/docs/readme?lang=${asked}`, browser);
    assert.match(page, new RegExp(`<html lang="${asked}"`));
    assert.match(page, new RegExp(`<h2 id="first-steps">.*${title}</h2>`));
    assert.match(page, new RegExp(`href="/docs/readme\\?lang=${other}">(?:Deutsch|English)<`));
    assert.match(page, new RegExp(`href="/docs/recording\\?lang=${asked}"`), 'links keep it');
    const swagger = await read(`/docs?lang=${asked}`, browser);
    assert.match(swagger, new RegExp(`>${title}</a>`));
    const unnamed = await read('/docs/readme', browser);
    assert.match(unnamed, new RegExp(`<html lang="${browser}"`));
    assert.match(unnamed, /href="\/docs\/recording"/);
    assert.match(unnamed, new RegExp(`href="/docs/readme\\?lang=${asked}">(?:Deutsch|English)<`));
  }
});

test('a German guide has the headings of the English one, in their order', async () => {
  for (const [name, german] of Object.entries(germanGuides)) {
    const depths = async (file: string) =>
      new Marked()
        .lexer(await readFile(join(root, file), 'utf8'))
        .flatMap((token) => (token.type === 'heading' ? [token['depth'] as number] : []));
    assert.deepEqual(await depths(german), await depths(guides[name as GuideName]), name);
  }
});

/** `/docs/<name>#<id>` of every `guideLink(…)` in the doctor. */
async function placesOfChecks(): Promise<string[]> {
  const folder = join(root, 'src/doctor');
  const links: string[] = [];
  for (const file of await readdir(folder)) {
    if (!file.endsWith('.ts')) continue;
    const text = await readFile(join(folder, file), 'utf8');
    for (const [, name, heading] of text.matchAll(/guideLink\('(\w+)', '([^']+)'\)/g))
      links.push(`/docs/${name}#${headingId(heading!)}`);
  }
  assert.ok(links.length > 10, `${links.length} links found`);
  return links;
}
