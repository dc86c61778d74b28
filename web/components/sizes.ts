/** In MB, or in GB with a digit behind the point. */
export const sizeOf = (bytes: number): { size: number; unit: 'MB' | 'GB' } =>
  bytes < 1e9
    ? { size: Math.max(1, Math.round(bytes / 1e6)), unit: 'MB' }
    : { size: Math.round(bytes / 1e8) / 10, unit: 'GB' };
