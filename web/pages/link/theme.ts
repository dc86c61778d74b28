import { theme } from '../../app/theme.ts';

/** Light becomes dark, and dark light, whatever the system says. */
export function changeTheme(): void {
  const isDark =
    theme.get() === 'dark' ||
    (theme.get() === undefined && matchMedia('(prefers-color-scheme: dark)').matches);
  theme.set(isDark ? 'light' : 'dark');
}
