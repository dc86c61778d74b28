/** What a program that logged in is called by people. */

/** In this order: those behind name those before them, too. */
const browsers: [pattern: RegExp, name: string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: [pattern: RegExp, name: string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** `Firefox, Linux` out of a `User-Agent`; a program that is no browser by its own name; null: it has none. */
export function programOf(agent: string | null): string | null {
  if (agent === null || agent.trim() === '') return null;
  const nameOf = (known: typeof browsers) => known.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = nameOf(browsers);
  if (browser === undefined) return agent.split(/[\s/(]/)[0]!.slice(0, 40) || null;
  return [browser, nameOf(systems)].filter(Boolean).join(', ');
}
