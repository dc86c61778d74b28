export declare function noteBundled(
  dir: string,
  part: 'service' | 'web',
  moduleIds: readonly string[],
): Promise<void>;
