import { noDiarizationModel } from '../../projections/recording/notes.ts';

/**
 * Why something was not made, in German. The log has the sentence in English (reasons of `src/language` and
 * `src/recordings/stages/finish.ts`). What a server said itself stays as it is.
 */
export function germanReason(reason: string): string {
  if (reason === noDiarizationModel) {
    return 'Um Sprechende zu unterscheiden, ein Modell zur Sprecher-Segmentierung und eines für Stimm-Embeddings in den Ordner „models“ des Datenverzeichnisses legen und die Aufnahme erneut verarbeiten.';
  }
  if (Object.hasOwn(fixed, reason)) return fixed[reason]!;
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
  [sentence(String.raw`(?<whole>\d+)(?:\.(?<tenth>\d))? s`), (parts) => `${seconds(parts)} s`],
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
      String.raw`The name (?<name>\S+) leads to a link-local or metadata address, to which nothing is sent\.`,
    ),
    ({ name }) =>
      `Der Name ${name} führt zu einer link-lokalen oder Metadaten-Adresse; dorthin wird nichts gesendet.`,
  ],
  [
    sentence(
      String.raw`The local speech engine ended unexpectedly \((?:by (?<signal>\w+)|with code (?<code>\w+))\)\.`,
    ),
    ({ signal, code }) =>
      `Das lokale Sprachprogramm endete unerwartet (${signal ?? `Code ${code}`}).`,
  ],
  [
    sentence(String.raw`The local speech engine could not be started \((?<why>.*)\)\.`),
    ({ why }) => `Das lokale Sprachprogramm ließ sich nicht starten (${why}).`,
  ],
  [
    sentence(String.raw`The local speech engine could not do it: (?<why>.*)`),
    ({ why }) => `Das lokale Sprachprogramm konnte es nicht: ${why}`,
  ],
  [
    sentence(
      String.raw`The model (?<id>\S+) cannot be used: (?<why>.*)\. Put it into (?<folder>.*) again\.`,
    ),
    ({ id, why, folder }) =>
      `Das Modell ${id} ist nicht zu gebrauchen (${why}); es gehört neu nach ${folder}.`,
  ],
  [
    sentence(String.raw`Only WAV files can be read here\..*`),
    () => 'Hier können nur WAV-Dateien gelesen werden; für alle anderen fehlt ffmpeg.',
  ],
  [
    sentence(String.raw`The audio is longer than (?<hours>\d+) hours\..*`),
    ({ hours }) => `Die Aufnahme ist länger als ${hours} Stunden.`,
  ],
  [
    sentence(String.raw`The WAV file cannot be used: (?<why>.*)\.`),
    ({ why }) => `Die WAV-Datei ist nicht zu gebrauchen: ${why}.`,
  ],
  [
    sentence(String.raw`Reading this file would take more memory than (?<megabytes>\d+) MB\.`),
    ({ megabytes }) => `Diese Datei zu lesen brauchte mehr als ${megabytes} MB Arbeitsspeicher.`,
  ],
];

const seconds = ({ whole, tenth }: Parts): string =>
  tenth === undefined ? `${whole}` : `${whole},${tenth}`;

/** Sentences in which nothing changes. */
const fixed: Readonly<Record<string, string>> = {
  'No language model is configured.': 'Es ist kein Sprachmodell eingerichtet.',
  'The context of the language model is too small to merge the summaries of this recording.':
    'Der Kontext des Sprachmodells ist zu klein, um die Zusammenfassungen dieser Aufnahme zu verbinden.',
  'The local speech engine stopped answering.': 'Das lokale Sprachprogramm antwortete nicht mehr.',
  'It failed with an error of the program’s own.': 'Ein Fehler im Programm selbst.',
  'The language model answered with no list of names.':
    'Das Sprachmodell hat keine Liste von Namen geantwortet.',
  'There is no audio.': 'Es gibt keine Audiodatei.',
  'The working copy of the audio is damaged and has to be made again.':
    'Die Arbeitskopie der Aufnahme ist beschädigt und muss neu gemacht werden.',
  'The file is empty.': 'Die Datei ist leer.',
  'The file holds no audio.': 'Die Datei enthält keinen Ton.',
  'The file is protected against copying (DRM) and can be played only by its shop’s player.':
    'Die Datei ist kopiergeschützt (DRM).',
  'ffmpeg stopped answering while it read the audio.':
    'ffmpeg antwortete nicht mehr, während es die Aufnahme las.',
  'ffmpeg could not decode any audio from this file: it is damaged.':
    'ffmpeg konnte aus dieser Datei keinen Ton lesen: Sie ist beschädigt.',
  'This file has no sound track.': 'Diese Datei hat keine Tonspur.',
  'This MP4 file is incomplete: its table of contents is missing, so nothing in it can be found. Copy or export it again.':
    'Diese MP4-Datei ist unvollständig: Ihr Inhaltsverzeichnis fehlt.',
  'The ffmpeg on this machine has no decoder for the sound in this file.':
    'Das ffmpeg auf diesem Rechner hat keinen Decoder für den Ton dieser Datei.',
  'This is a playlist or another kind of file that refers to audio elsewhere and holds none.':
    'Das ist eine Abspielliste oder eine andere Datei, die selbst keinen Ton enthält.',
  'The audio file is gone or may not be read.':
    'Die Audiodatei ist fort oder darf nicht gelesen werden.',
  'The sound track of this file is damaged from its start: nothing could be decoded.':
    'Die Tonspur dieser Datei ist von Anfang an beschädigt.',
  'This is not an audio file that can be read.': 'Das ist keine lesbare Audiodatei.',
};

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
  'is empty': 'ist leer',
};
