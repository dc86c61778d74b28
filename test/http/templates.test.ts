import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProblemAnswer, type TestService, withAda } from '../support/http-client.ts';

type Template = {
  id: string;
  revision: number;
  name: string;
  sections: { title: string; about: string; kind: string }[];
  instructions: string;
  language: string;
  length: string;
};
type Templates = { templates: Template[]; house: Template[]; built_in: Template[] };

const minutes = {
  name: 'Board minutes',
  sections: [
    { title: 'Resolutions', about: 'what was resolved', kind: 'decision' },
    { title: 'Also said', about: '', kind: 'point' },
  ],
  instructions: 'Name amounts.',
  language: 'spoken',
  length: 'short',
};

const listed = async (service: TestService, token: string, language = 'en') => {
  const headers = { 'Accept-Language': language };
  return (await service.call<Templates>('GET', '/templates', { token, headers })).body;
};

test('a template is made, changed and deleted, each change a revision, over a restart; others do not see it', async (t) => {
  const { service, token } = await withAda(t);
  const made = await service.call<Template>('POST', '/templates', {
    token,
    json: minutes,
    headers: { 'Idempotency-Key': 'first' },
  });
  assert.equal(made.status, 201);
  const { id } = made.body;
  assert.deepEqual(made.body, { id, revision: 1, ...minutes });
  const again = await service.call<Template>('POST', '/templates', {
    token,
    json: minutes,
    headers: { 'Idempotency-Key': 'first' },
  });
  assert.deepEqual(again.body, made.body);
  const taken = await service.call<ProblemAnswer>('POST', '/templates', {
    token,
    json: { ...minutes, name: 'board MINUTES' },
  });
  assert.deepEqual([taken.status, taken.body.type], [409, '/problems/name-taken']);
  const put = async (json: object) =>
    (await service.call<Template>('PUT', `/templates/${id}`, { token, json })).body.revision;
  assert.equal(await put(minutes), 1);
  assert.equal(await put({ ...minutes, length: 'long' }), 2);
  const ben = await service.addUser('ben');
  assert.deepEqual((await listed(service, ben)).templates, []);
  const theirs = await service.call('PUT', `/templates/${id}`, { token: ben, json: minutes });
  assert.equal(theirs.status, 404);
  const { templates } = await listed(service, token);
  assert.deepEqual(templates, [{ id, revision: 2, ...minutes, length: 'long' }]);
  assert.equal((await service.call('DELETE', `/templates/${id}`, { token })).status, 204);
  assert.equal((await service.call('DELETE', `/templates/${id}`, { token })).status, 404);
  assert.deepEqual((await listed(service, token)).templates, []);
});

test('a template is not saved over what somebody else made of it since', async (t) => {
  const { service, token } = await withAda(t);
  const { body } = await service.call<Template>('POST', '/templates', { token, json: minutes });
  const put = async (json: object, seen: number) =>
    await service.call<ProblemAnswer>('PUT', `/templates/${body.id}`, {
      token,
      json,
      headers: { 'If-Match': `"${seen}"` },
    });
  const longer = { ...minutes, length: 'long' };
  assert.equal((await put(longer, body.revision)).status, 200);
  const late = await put({ ...minutes, instructions: 'Be kind.' }, body.revision);
  assert.deepEqual([late.status, late.body.type], [412, '/problems/changed-meanwhile']);
  assert.deepEqual((await listed(service, token)).templates, [
    { id: body.id, revision: 2, ...longer },
  ]);
  // What is there already is no change.
  assert.equal((await put(longer, body.revision)).status, 200);
  assert.equal((await put({ ...longer, instructions: 'Be kind.' }, 2)).status, 200);
});

test('templates of the house are chosen by everybody and changed by administrators', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const made = await service.call<Template>('POST', '/templates?of=house', {
    token,
    json: minutes,
  });
  assert.equal(made.status, 201);
  const { id } = made.body;
  const of = `/templates/${id}?of=house`;
  for (const [method, path, json] of [
    ['POST', '/templates?of=house', { ...minutes, name: 'Other' }],
    ['PUT', of, { ...minutes, name: 'Other' }],
    ['DELETE', of, undefined],
  ] as const) {
    const { status, body } = await service.call<ProblemAnswer>(method, path, {
      token: ben,
      ...(json && { json }),
    });
    assert.deepEqual([status, body.type], [403, '/problems/not-admin'], `${method} ${path}`);
  }
  // It is nobody's own, not even the administrator's.
  const mine = await service.call('PUT', `/templates/${id}`, { token, json: minutes });
  assert.equal(mine.status, 404);
  const changed = { ...minutes, length: 'long' };
  const put = await service.call<Template>('PUT', of, { token, json: changed });
  assert.deepEqual(put.body, { id, revision: 2, ...changed });
  const { templates, house } = await listed(service, ben);
  assert.deepEqual([templates, house], [[], [put.body]]);
  const asked = await service.call<Templates>('GET', '/templates?of=house', { token: ben });
  assert.deepEqual(asked.body.templates, [put.body]);
  // A name that one of the house has may be taken by one of one's own, and is chosen by its id.
  const own = await service.call<Template>('POST', '/templates', { token: ben, json: minutes });
  assert.equal(own.status, 201);
  const folder = await service.call<{ id: string; template: string }>('POST', '/folders', {
    token: ben,
    json: { name: 'Board', template: id },
  });
  assert.deepEqual([folder.status, folder.body.template], [201, id]);
  assert.equal((await service.call('DELETE', of, { token })).status, 204);
  assert.deepEqual((await listed(service, ben)).house, []);
  // What is left of it in a folder is no template any more: it cannot be chosen again.
  const renamed = await service.call<ProblemAnswer>('PATCH', `/folders/${folder.body.id}`, {
    token: ben,
    json: { template: id },
  });
  assert.equal(renamed.status, 422);
});

test('the built-in templates are there in English and German', async (t) => {
  const { service, token } = await withAda(t);
  const names = async (language: string) =>
    (await listed(service, token, language)).built_in.map(({ id, name }) => [id, name]);
  const english = await names('en');
  assert.deepEqual(english.slice(0, 3), [
    ['general', 'General'],
    ['meeting', 'Meeting'],
    ['one-on-one', 'One-on-one'],
  ]);
  assert.equal(english.length, 8);
  assert.deepEqual((await names('de')).at(-1), ['medical-visit', 'Arztbesuch']);
});

test('what no template can be is refused by the name of its field', async (t) => {
  const { service, token } = await withAda(t);
  const section = minutes.sections[0]!;
  const cases: [object, string][] = [
    [{ sections: [] }, 'sections'],
    [{ sections: Array.from({ length: 13 }, (_, at) => ({ title: `Part ${at}` })) }, 'sections'],
    [{ sections: [section, { ...section, title: 'RESOLUTIONS' }] }, 'sections'],
    [{ sections: [{ ...section, title: ' ' }] }, 'sections.0.title'],
    [{ sections: [{ ...section, kind: 'text' }] }, 'sections.0.kind'],
    [{ instructions: 'a'.repeat(2001) }, 'instructions'],
    [{ language: 'Klingon' }, 'language'],
    [{ length: 'endless' }, 'length'],
    [{ name: '' }, 'name'],
  ];
  for (const [part, path] of cases) {
    const { status, body } = await service.call<ProblemAnswer & { errors: { field: string }[] }>(
      'POST',
      '/templates',
      { token, json: { ...minutes, ...part } },
    );
    assert.equal(status, 422, path);
    assert.match(
      JSON.stringify(body),
      new RegExp(`"${path.replaceAll('.', String.raw`\.`)}"`, 'u'),
    );
  }
});

test('a folder takes a template of its owner or a built-in one, and no other', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const { id } = (await service.call<Template>('POST', '/templates', { token, json: minutes }))
    .body;
  const made = await service.call<{ id: string; template: string | null }>('POST', '/folders', {
    token,
    json: { name: 'Board', template: id },
  });
  assert.equal(made.body.template, id);
  const change = async (template: string | null) =>
    await service.call<{ template: string | null }>('PATCH', `/folders/${made.body.id}`, {
      token,
      json: { template },
    });
  assert.equal((await change('interview')).body.template, 'interview');
  assert.equal((await change('01ARZ3NDEKTSV4RRFFQ69G5FAV')).status, 422);
  assert.equal((await change(null)).body.template, null);
  const theirs = await service.call('POST', '/folders', {
    token: ben,
    json: { name: 'Board', template: id },
  });
  assert.equal(theirs.status, 422);
});
