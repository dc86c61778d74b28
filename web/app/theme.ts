import { persistentAtom } from '@nanostores/persistent';

export type Theme = 'light' | 'dark';

/** The theme chosen in this browser; undefined follows the system. `public/early.js` reads it first. */
export const theme = persistentAtom<Theme | undefined>('mitschrift.theme');

/** Shows the chosen theme from now on. */
export function followTheme(): void {
  theme.subscribe((chosen) => {
    const { dataset } = document.documentElement;
    if (chosen === undefined) delete dataset['theme'];
    else dataset['theme'] = chosen;
  });
}
