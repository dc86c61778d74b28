import { createRequire } from 'node:module';

/** Whether an optional package is there. */
export function isInstalled(packageName: string): boolean {
  try {
    createRequire(import.meta.url).resolve(packageName);
    return true;
  } catch {
    return false;
  }
}
