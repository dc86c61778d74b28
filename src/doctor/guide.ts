import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../shared/package.ts';

/** The pages that explain, by the names under which the service shows them (`/docs/<name>`). */
export const guides = {
  readme: 'README.md',
  recording: 'src/cli/recording.md',
  settings: 'src/config/settings.md',
  administration: 'src/cli/administration.md',
  speech: 'src/speech/README.md',
  language: 'src/language/README.md',
  integrity: 'src/integrity/README.md',
  deploy: 'src/deploy/README.md',
  operating: 'src/deploy/operating.md',
  changes: 'CHANGELOG.md',
} as const;

export type GuideName = keyof typeof guides;

/** Those that there are in German too: with the same headings in the same order, since links lead to the English ones. */
export const germanGuides: Partial<Record<GuideName, string>> = {
  readme: 'README.de.md',
  recording: 'src/cli/recording.de.md',
};

/** Where a guide's file is: in the repository, or, where there is only the program, where `.build.mjs` copied it. */
export function guidePath(file: string): string {
  const path = join(packageRoot, file);
  return existsSync(path) ? path : join(packageRoot, 'dist/guides', file);
}

/** Where a section of a page is. @param heading as it stands in the file */
export const guideLink = (name: GuideName, heading: string): string =>
  `/docs/${name}#${headingId(heading)}`;

/** A heading's id, as GitHub makes them: `A phone’s microphone` → `a-phones-microphone`. */
export const headingId = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/gu, '-');
