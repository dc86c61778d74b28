import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guides } from '../../src/doctor/guide.ts';
import { startService } from '../support/http-client.ts';

test('the pages that explain are rendered, and lead to each other and to their paragraphs', async (t) => {
  const service = await startService(t);
  const pages = new Map<string, string>();
  for (const name of Object.keys(guides)) {
    const answer = await fetch(`${service.url}/docs/${name}`);
    assert.equal(answer.status, 200, name);
    pages.set(`/docs/${name}`, await answer.text());
  }
  const readme = pages.get('/docs/readme')!;
  assert.match(readme, /<h2 id="first-steps">First steps<\/h2>/);
  assert.match(readme, /<nav .*<a href="#first-steps">First steps<\/a>/);
  assert.match(readme, /<a href="\/docs\/administration">/);
  for (const [path, page] of pages) {
    assert.doesNotMatch(
      page,
      /```|<img|<script|\]\(/,
      `${path} shows Markdown, or what is not there`,
    );
    assert.doesNotMatch(page, /^\|/m, `${path} shows a table as pipes`);
    for (const [, href = ''] of page.matchAll(/<a href="([^"]+)"/g)) {
      if (!/^[/#]/.test(href)) continue;
      const [to = '', place] = href.split('#');
      const there = pages.get(to === '' ? path : to);
      assert.ok(there, `${path} leads to ${href}`);
      if (place !== undefined)
        assert.ok(there.includes(` id="${place}"`), `${path} leads to ${href}`);
    }
  }
});
