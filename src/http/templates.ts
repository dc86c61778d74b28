import { builtInTemplate } from '../recordings/built-in-templates.ts';
import { fieldFault } from '../words/field-faults.ts';
import { invalid } from './problems.ts';
import type { HttpServices } from './services.ts';

/** @param id null and undefined: none is meant @throws {Problem} 422: there is none of that id for its owner */
export async function assertTemplate(
  { order }: Pick<HttpServices, 'order'>,
  owner: string,
  id: string | null | undefined,
): Promise<void> {
  if (id == null || builtInTemplate(id, 'en') !== undefined) return;
  const { templates } = await order.of(owner);
  if (!templates.has(id))
    throw invalid([{ path: 'template', fault: fieldFault('not-your-template') }]);
}
