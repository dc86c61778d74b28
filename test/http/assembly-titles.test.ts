import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, meeting, read, spelledWorld } from '../support/spelled-world.ts';

/** A model's title quotes what was said; what was removed is quoted by none. */
for (const forGood of [true, false])
  test(`a title that quotes a removed passage goes with it${forGood ? ', and the names of files, for good' : ''}`, async (t) => {
    const at = await spelledWorld(t, {
      entitle: async (job) => {
        await job.acquireSlot({ name: 'entitle', concurrency: 4 });
        await job.append({
          type: 'title.chosen',
          data: { engine: 'scripted', model: null },
          content: { title: 'About w4 and w6', abstract: 'They speak of w4.' },
        });
      },
    });
    const id = await meeting(at, [2, 4, 6, 1, 3, 5]);
    const before = await read(at.service, at.token, id);
    assert.match(JSON.stringify([before.title, before.documents]), /w4/u);
    const passage = { from: 1, to: 2, for_good: forGood };
    const { into } = await ask(at, 'POST', `/recordings/${id}/remove`, passage);
    await at.service.reaches(into ?? id, 'idle.saved');
    const { title, documents, ...left } = await read(at.service, at.token, into ?? id);
    assert.doesNotMatch(`${title} ${JSON.stringify(left.summary)}`, /w4/u);
    const { body } = await at.service.call<string>(
      'GET',
      `/transcripts/${encodeURIComponent(documents.index)}`,
      { token: at.token },
    );
    const [front = ''] = /^---\n[^]*?\n---\n/u.exec(body) ?? [];
    assert.match(front, /aliases:/u);
    assert.doesNotMatch(front, /w4/u);
    if (forGood) assert.doesNotMatch(JSON.stringify(documents), /w4/u);
  });
