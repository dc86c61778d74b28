/** One after the other; the first error is thrown when all have been tried. */
export async function inOrder(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
