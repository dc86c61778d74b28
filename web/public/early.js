// What is done while the app itself is still on its way.

// Before the first paint, so that a theme chosen in this browser (app/theme.ts) does not flash the other one.
try {
  const theme = localStorage.getItem('mitschrift.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing follows the system.
}
// The first date makes a browser read its tables, which takes longer than to draw a page.
new Intl.DateTimeFormat(navigator.language, { timeStyle: 'short' }).format();
