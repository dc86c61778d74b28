/** `npm run types:web`: `interface.d.ts`, the types of the HTTP interface from its OpenAPI document. */
import openapiTS, { astToString } from 'openapi-typescript';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { routes } from '../../src/http/routes.ts';

const document = JSON.stringify(openApiDocument(routes, { version: '0', uploadMb: 0 }));
const types = astToString(await openapiTS(document, { alphabetize: true }));
const path = join(import.meta.dirname, '../../web/client/interface.d.ts');
const before = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
  if (error.code === 'ENOENT') return '';
  throw error;
});
// What is newer than the built pages has them built again.
if (types !== before) await writeFile(path, types);
