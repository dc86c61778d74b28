import { noDiarizationModel } from '../../projections/recording/notes.ts';

/**
 * Why something was not made, in German. The log has the sentence in English (reasons of `src/language` and
 * `src/recordings/stages/finish.ts`). What a server said itself stays as it is.
 */
export function germanReason(reason: string): string {
  if (reason === noDiarizationModel) {
    return 'Um Sprechende zu unterscheiden, ein Modell zur Sprecher-Segmentierung und eines für Stimm-Embeddings in den Ordner „models“ des Datenverzeichnisses legen und die Aufnahme erneut verarbeiten.';
  }
  for (const [english, german] of sentences) {
    const match = english.exec(reason);
    if (match) return german(match.groups ?? {});
  }
  return reason;
}

type Parts = Readonly<Record<string, string | undefined>>;

/** What an address looks like in these sentences, and what follows of the server's own words. */
const at = String.raw`The language-model server at (?<server>\S+)`;
const said = String.raw`(?<said>: .*|\.)`;
const sentence = (pattern: string) => new RegExp(`^${pattern}$`, 'su');
const server = ({ server: address }: Parts) => `Der Sprachmodell-Server unter ${address}`;

const sentences: readonly (readonly [RegExp, (parts: Parts) => string])[] = [
  [
    sentence(String.raw`track (?<used>\d+) of (?<of>\d+)`),
    ({ used, of }) => `Spur ${used} von ${of}`,
  ],
  [
    sentence(String.raw`No language model is configured\.`),
    () => 'Es ist kein Sprachmodell eingerichtet.',
  ],
  [
    sentence(String.raw`${at} cannot be reached \((?<code>.*)\)\.`),
    (parts) => `${server(parts)} ist nicht erreichbar (${parts['code']}).`,
  ],
  [
    sentence(String.raw`${at} gave no answer within (?<seconds>[\d.]+) seconds\.`),
    (parts) =>
      `${server(parts)} hat innerhalb von ${parts['seconds']?.replace('.', ',')} Sekunden nicht geantwortet.`,
  ],
  [
    sentence(String.raw`The certificate of (?<server>\S+) is not trusted \((?<code>.*)\)\.`),
    (parts) => `Dem Zertifikat von ${parts['server']} wird nicht vertraut (${parts['code']}).`,
  ],
  [
    sentence(
      String.raw`${at} sends us elsewhere, to (?<url>.*)\. Enter that address if you trust it\.`,
    ),
    (parts) => `${server(parts)} leitet weiter nach ${parts['url']}.`,
  ],
  [
    sentence(String.raw`${at} answered with more than 8 MiB.*`),
    (parts) => `${server(parts)} hat mit mehr als 8 MiB geantwortet.`,
  ],
  [
    sentence(String.raw`${at} answered (?:something that is not|with broken) JSON\..*`),
    (parts) => `${server(parts)} hat nicht mit gültigem JSON geantwortet.`,
  ],
  [
    sentence(`${at} has too small a context${said}`),
    (parts) => `${server(parts)} hat einen zu kleinen Kontext${parts['said']}`,
  ],
  [
    sentence(`${at} refuses the content${said}`),
    (parts) => `${server(parts)} lehnt den Inhalt ab${parts['said']}`,
  ],
  [
    sentence(String.raw`${at} does not accept the key \((?<status>\d+)\)${said}`),
    (parts) => `${server(parts)} nimmt den Schlüssel nicht an (${parts['status']})${parts['said']}`,
  ],
  [
    sentence(`${at} says that the quota is used up${said}`),
    (parts) => `${server(parts)} meldet, das Kontingent sei aufgebraucht${parts['said']}`,
  ],
  [
    sentence(String.raw`${at} answered (?<status>\d+)${said}`),
    (parts) => `${server(parts)} hat mit ${parts['status']} geantwortet${parts['said']}`,
  ],
  [
    sentence(String.raw`${at} lists no model\..*`),
    (parts) => `${server(parts)} bietet kein Modell an.`,
  ],
  [
    sentence(
      String.raw`The language model at (?<server>\S+) read only (?<read>\d+) tokens of a prompt of at least (?<least>\d+)\..*`,
    ),
    (parts) =>
      `${model(parts)} hat nur ${parts['read']} von mindestens ${parts['least']} Token gelesen: Sein Kontext ist zu klein.`,
  ],
  [
    sentence(String.raw`The language model at (?<server>\S+) refuses this content\.`),
    (parts) => `${model(parts)} lehnt den Inhalt ab.`,
  ],
  [
    sentence(
      String.raw`The language model at (?<server>\S+) did not come to an end of its answer\.`,
    ),
    (parts) => `${model(parts)} ist mit der Antwort nicht zu Ende gekommen.`,
  ],
  [
    sentence(String.raw`The language model at (?<server>\S+) declined to answer\.`),
    (parts) => `${model(parts)} hat nicht antworten wollen.`,
  ],
  [
    sentence(String.raw`The language model at (?<server>\S+) gave an empty answer\.`),
    (parts) => `${model(parts)} hat leer geantwortet.`,
  ],
  [
    sentence(String.raw`The language model gave no (?:title|summary): its answer (?<why>.*)\.`),
    ({ why = '' }) =>
      `Das Sprachmodell hat nichts Brauchbares geantwortet: Die Antwort ${unusable[why] ?? why}.`,
  ],
  [
    sentence(String.raw`The language model answered with no list of names\.`),
    () => 'Das Sprachmodell hat nicht mit einer Liste von Namen geantwortet.',
  ],
  [
    sentence(
      String.raw`The context of the language model is too small to merge the summaries of this recording\.`,
    ),
    () =>
      'Der Kontext des Sprachmodells ist zu klein, um die Zusammenfassungen dieser Aufnahme zu verbinden.',
  ],
];

const model = ({ server: address }: Parts) => `Das Sprachmodell unter ${address}`;

/** `whyUnusable` in `src/language/unusable.ts`, and the checks of the stages. */
const unusable: Readonly<Record<string, string>> = {
  'holds no title': 'enthält keinen Titel',
  'has a title of more than a line': 'hat einen Titel von mehr als einer Zeile',
  'has JSON for a title': 'hat JSON als Titel',
  'has the word “title” for a title': 'hat als Titel das Wort „Titel“',
  'is too short': 'ist zu kurz',
  'holds characters that cannot be read': 'enthält unlesbare Zeichen',
  'says the same over and over': 'wiederholt sich immerzu',
  'declines to do it': 'lehnt die Aufgabe ab',
  'repeats what was asked for': 'wiederholt die Aufgabe',
  'repeats the text': 'wiederholt den Text',
  'is in another language': 'ist in einer anderen Sprache',
};
