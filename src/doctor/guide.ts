/** The pages that explain, by the names under which the service shows them (`/docs/<name>`). */
export const guides = {
  readme: 'README.md',
  administration: 'src/cli/administration.md',
  recording: 'src/cli/recording.md',
  settings: 'src/config/settings.md',
  integrity: 'src/integrity/README.md',
  speech: 'src/speech/README.md',
  language: 'src/language/README.md',
  deploy: 'src/deploy/README.md',
} as const;

export type GuideName = keyof typeof guides;

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
