/** Compares two versions in a thread of its own: one message in, one out. */
import { type Said, compareVersions } from './word-diff.ts';

addEventListener('message', ({ data }: MessageEvent<[before: Said[], after: Said[]]>) => {
  postMessage(compareVersions(...data));
});
