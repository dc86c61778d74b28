import { choosableBy, templateOf } from '../recordings/template-held.ts';
import { fieldFault } from '../words/field-faults.ts';
import { invalid } from './problems.ts';
import type { HttpServices } from './services.ts';

/** @param id null and undefined: none is meant @throws {Problem} 422: its owner can choose none of that id */
export async function assertTemplate(
  { order }: Pick<HttpServices, 'order'>,
  owner: string,
  id: string | null | undefined,
): Promise<void> {
  if (id == null) return;
  if (!templateOf(id, await choosableBy(order, owner), 'en'))
    throw invalid([{ path: 'template', fault: fieldFault('not-your-template') }]);
}
