// Before the first paint, so that a theme chosen in this browser (app/theme.ts) does not flash the other one.
try {
  const theme = localStorage.getItem('mitschrift.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing follows the system.
}
