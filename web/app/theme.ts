import { persistentAtom } from '@nanostores/persistent';

export type Theme = 'light' | 'dark';

/** The theme chosen in this browser; undefined follows the system. `public/early.js` reads it first. */
export const theme = persistentAtom<Theme | undefined>('mitschrift.theme');

/** Light becomes dark, and dark light, whatever the system says. */
export function turnTheme(): void {
  const isDark =
    theme.get() === 'dark' ||
    (theme.get() === undefined && matchMedia('(prefers-color-scheme: dark)').matches);
  theme.set(isDark ? 'light' : 'dark');
}

/** Shows the chosen theme from now on. */
export function followTheme(): void {
  theme.subscribe((chosen) => {
    const { dataset } = document.documentElement;
    if (chosen === undefined) delete dataset['theme'];
    else dataset['theme'] = chosen;
  });
}
