/** For `catch`: a default for a file or folder that is not there; any other error is thrown on. */
export const ifMissing =
  <T>(fallback: T) =>
  (error: unknown): T => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return fallback;
    throw error;
  };
