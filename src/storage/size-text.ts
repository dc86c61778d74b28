/** Bytes of a GB of `limits.spaces_gb`: 1024³, as an MB of `limits.upload_mb` is 1024². */
export const gigabyte = 1024 ** 3;

/** Bytes for a person, three digits: `1.5 GB`, `20.3 MB`. */
export function sizeText(bytes: number): string {
  const [unit, size] = units.find(([, size]) => bytes >= size) ?? ['bytes', 1];
  return `${Number((bytes / size).toPrecision(3))} ${unit}`;
}

const units = [
  ['GB', gigabyte],
  ['MB', 1024 ** 2],
  ['KB', 1024],
] as const;
