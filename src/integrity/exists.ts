import { lstat } from 'node:fs/promises';

/** Whether anything is at a path. What cannot be looked at is an error, not an absence. */
export const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
