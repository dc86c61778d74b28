/**
 * What is wrong with a page in the pseudo-language (`web/words/pseudo.ts`): texts without brackets, and texts that are cut
 * off or lead out of the window.
 */

/** Data by where it stands. */
const data = {
  '[lang]:not(html)': 'what was said, a language by its own name, a program’s words',
  'q, .hit p': 'what was said',
  'code, .code, pre, .cmd, kbd': 'what a machine is asked, keys with a letter',
  '.node .h, text.q': 'codes of states and events, drawn',
  '.brand': 'the program’s name',
  '.mark, .me': 'initials',
};

/** Data by what it says: people, titles, programs and models of the test, files, addresses, commands, codes of the log. */
const said = [
  'Ada Muster|Ben Beispiel|Cleo Sample|Mitschrift|\\b(?:ada|ben|guest|node)\\b|one\\.wav',
  'The reading room opens again in March|Choir board, autumn',
  'parakeet-tdt-0\\.6b-v3|openai|qwen3:8b|Test recogniser for English espeak-ng speech',
  'MITSCHRIFT_DATA=.*|^: (?:sudo|systemctl) .*|\\b[0-9A-Z]{26}\\b',
  'https?://\\S+|/[\\w./-]+|\\.(?:md|txt|srt|vtt|docx|json|zip)\\b',
  '[a-z]+\\.[a-z]+(?:[.,()][a-z]+)*|awaiting-speakers',
  '\\((?:capture|follow|transcribe|diarize|identify|join|punctuate|summarise|entitle|write)\\)',
];

/** Texts that the service sends, in the language of the page: they follow with the words of the service. */
const ofService = {
  '.set label, .set .hint, .prefs .side a, .prefs h1':
    'titles and sentences of settings (src/config/schema.ts)',
  '.choice > span > :is(b, small)': 'models in the wizard: titles, licences, advice (src/speech)',
  '.models :is(h2, p.soft, .vh)': 'models in the settings (src/speech)',
  '.health > :is(b, .soft), .health .do > p': 'what the doctor found (src/doctor)',
  '.facts li': 'what a reader should know of a recording (src/words)',
  '.because': 'why a name is suggested (projections/recording)',
};

const exempt = [...Object.keys(data), ...Object.keys(ofService)].join(', ');

/** What `Intl` writes: names of days, months and languages, durations, sizes; and signs between texts. */
const written = [
  ...said,
  '\\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\\b',
  '\\b(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\\b',
  '\\bat(?= \\d)',
  '\\b(?:English|German)\\b',
  '\\b\\d+(?:[.,]\\d+)? ?(?:h|min|s|ms|kB|MB|GB|×)(?!\\w)',
  '[\\d\\s\\u0000-\\u002f\\u003a-\\u0040·…–—×→←↑↓▸▾•|~]+',
];

/** To be evaluated in a page. @returns a line for each fault */
export const faultsOnPage = `(() => {
  const faults = new Set();
  const written = ${JSON.stringify(written)}.map((source) => new RegExp(source, 'g'));
  const bare = (text) =>
    written.reduce((rest, one) => rest.replace(one, ''), text).trim() === '' ? '' : text.trim();
  const outside = (text, depth = 0) => {
    let rest = '';
    for (const letter of text) {
      if (letter === '⟦') depth += 1;
      else if (letter === '⟧') depth -= 1;
      else if (depth === 0) rest += letter;
    }
    return [rest, depth];
  };
  const nameOf = (element) =>
    element.localName + (element.id ? '#' + element.id : '') +
    [...element.classList].filter((name) => !name.startsWith('svelte-')).map((name) => '.' + name).join('');
  const pathOf = (element) => [element.parentElement, element].filter(Boolean).map(nameOf).join(' > ');
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
  const isExempt = (element) => element.closest(${JSON.stringify(exempt)}) !== null;

  let depth = 0;
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
    const element = node.parentElement;
    if (!isShown(element) || /^(?:script|style|noscript)$/.test(element.localName)) continue;
    if (depth === 0 && isExempt(element)) continue;
    const [rest, after] = outside(node.data, depth);
    depth = after;
    if (bare(rest) !== '') faults.add('text: ' + bare(rest).slice(0, 80) + ' (' + pathOf(element) + ')');
  }
  if (depth !== 0) faults.add('brackets do not close');
  for (const element of document.querySelectorAll('*')) {
    // What is hidden from screen readers has attributes for nobody.
    if (!isShown(element) || isExempt(element) || element.closest('[aria-hidden=true]')) continue;
    for (const name of ['aria-label', 'aria-description', 'aria-valuetext', 'title', 'alt', 'placeholder']) {
      const [rest] = outside(element.getAttribute(name) ?? '');
      if (bare(rest) !== '') faults.add(name + ': ' + bare(rest).slice(0, 80) + ' (' + pathOf(element) + ')');
    }
  }
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 0) faults.add('scrolls sideways by ' + wide);
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((one) => one.nodeType === 3 && one.data.trim() !== '');
    if (!own || !isShown(element) || element.closest('.vh, svg, option, .skip') !== null) continue;
    const box = element.getBoundingClientRect();
    if (box.width <= 1 || box.height <= 1) continue;
    const style = getComputedStyle(element);
    const spills = element.scrollWidth > element.clientWidth + 1 && style.display !== 'inline';
    if (spills) faults.add('cut off or spilling: ' + element.textContent.trim().slice(0, 60) + ' (' + pathOf(element) + ')');
    let scroller = element.parentElement;
    while (scroller !== null && !/auto|scroll/.test(getComputedStyle(scroller).overflowX)) scroller = scroller.parentElement;
    if (scroller === null && (box.right > innerWidth + 1 || box.left < -1))
      faults.add('out of the window: ' + element.textContent.trim().slice(0, 60) + ' (' + pathOf(element) + ')');
  }
  const pen = document.createElement('canvas').getContext('2d');
  for (const field of document.querySelectorAll('input[placeholder], select')) {
    if (!isShown(field) || field.value !== '' && field.localName === 'input') continue;
    const text = field.localName === 'input' ? field.placeholder : field.selectedOptions[0]?.text ?? '';
    const style = getComputedStyle(field);
    pen.font = style.fontWeight + ' ' + style.fontSize + ' ' + style.fontFamily;
    const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    if (pen.measureText(text).width > room + 1)
      faults.add('cut off: ' + text.slice(0, 60) + ' (' + pathOf(field) + ')');
  }
  return [...faults];
})()`;
