import { problemIn } from './api.ts';

/**
 * Asks for something of each note by itself.
 * @param progress is called with how many were asked for
 * @returns how many were done, and what was said of the others
 */
export async function oneByOne(
  ids: readonly string[],
  act: (id: string) => Promise<unknown>,
  progress: (done: number) => void,
): Promise<{ taken: number; refused: string[] }> {
  let taken = 0;
  const refused = new Set<string>();
  for (const [at, id] of ids.entries()) {
    try {
      await act(id);
      taken += 1;
    } catch (error) {
      const { status, detail, title } = problemIn(error);
      refused.add(detail ?? title);
      // The service is away: the others would be refused too.
      if (status === 0) break;
    }
    progress(at + 1);
  }
  return { taken, refused: [...refused] };
}
