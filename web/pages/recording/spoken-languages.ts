/** Languages that speech engines know, as far as a person is offered them. */
const codes =
  'ar bg ca cs da de el en es et fi fr he hi hr hu id it ja ko lt lv ms nl no pl pt ro ru sk sl sr sv th tr uk vi zh'.split(
    ' ',
  );

/** By name, as the language of the page calls them; `present` too, whatever it is. */
export function spokenLanguages(
  locale: string,
  present: string | null,
): { code: string; name: string }[] {
  const names = new Intl.DisplayNames([locale], { type: 'language' });
  const all = present === null || codes.includes(present) ? codes : [...codes, present];
  return all
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .toSorted((a, b) => a.name.localeCompare(b.name, locale));
}
