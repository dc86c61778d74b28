import type { Phrases } from '../../shared/german.ts';

/** What is said of models, in German: what each is, why it is recommended, and why it could not be installed. */
export const germanModels: Phrases = {
  '25 languages of Europe, with punctuation and times of words; the best there is for a machine without a graphics card.':
    '25 Sprachen Europas, mit Satzzeichen und Zeiten der Wörter; das Beste, was es für einen Rechner ohne Grafikkarte gibt.',
  'Chinese (Cantonese too), English, Japanese and Korean.':
    'Chinesisch (auch Kantonesisch), Englisch, Japanisch und Koreanisch.',
  'Some hundred languages, with times for each sentence only.':
    'Etwa hundert Sprachen, mit Zeiten nur für ganze Sätze.',
  'English for small machines; without times of words.':
    'Englisch für kleine Rechner; ohne Zeiten der Wörter.',
  'Finds where somebody speaks, better than the detector that is built in.':
    'Findet, wo gesprochen wird, besser als die eingebaute Erkennung.',
  'Finds where the speaker changes. Works together with a voice model.':
    'Findet, wo die Sprechenden wechseln. Arbeitet mit einem Modell für Stimmen zusammen.',
  'Sets punctuation and capitals in English, where the recogniser sets none and there is no language model.':
    'Setzt Satzzeichen und Großbuchstaben im Englischen, wo der Spracherkenner keine setzt und es kein Sprachmodell gibt.',
  'Tells voices apart; trained on English.': 'Unterscheidet Stimmen; an Englisch gelernt.',
  'Tells voices apart; trained on Chinese.': 'Unterscheidet Stimmen; an Chinesisch gelernt.',

  'It speaks {count} languages.': 'Es kann {count} Sprachen.',
  'It speaks {language}.': 'Es kann {language}.',
  'It speaks {language} and 1 other.': 'Es kann {language} und eine weitere Sprache.',
  'It speaks {language} and {count} others.': 'Es kann {language} und {count} weitere Sprachen.',
  'This machine has {has}; it takes {memory} GB and {cores}.':
    'Dieser Rechner hat {has}; es braucht {memory} GB und {cores}.',
  '{memory} GB of memory and {cores} cores': '{memory} GB Arbeitsspeicher und {cores} Kerne',
  '{memory} GB of memory and {cores} core': '{memory} GB Arbeitsspeicher und {cores} Kern',

  'Turns speech into text.': 'Macht aus Sprache Text.',
  'Turns speech into text (stt.local_model).': 'Macht aus Sprache Text (stt.local_model).',
  'Finds where somebody speaks.': 'Findet, wo gesprochen wird.',
  'Tells the speakers of a meeting apart.': 'Unterscheidet, wer in einer Besprechung spricht.',

  'Sets punctuation where no language model does.':
    'Setzt Satzzeichen, wo es kein Sprachmodell tut.',

  'There is no room on the disk for the model.': 'Auf der Platte ist kein Platz für das Modell.',
  'It takes {needed}, and {free} are free.': 'Es braucht {needed}, und {free} sind frei.',
  'Make room, or set MITSCHRIFT_MODELS to a folder on another disk; then install it again.':
    'Platz machen oder mit MITSCHRIFT_MODELS einen Ordner auf einer anderen Platte angeben; dann noch einmal installieren.',
  '{title}: what was fetched has no file {name}.':
    '{title}: In dem, was geholt wurde, fehlt die Datei {name}.',
  'what its publisher names': 'der, die der Herausgeber nennt',
  'what was installed here before (if its publisher has released it again, delete .checksums/{id}.json beside the models)':
    'der, die hier schon installiert war (hat der Herausgeber sie neu veröffentlicht, .checksums/{id}.json neben den Modellen löschen)',
  '{title}: the file {name} differs from {differs}. It was altered or damaged on its way: nothing was installed.':
    '{title}: Die Datei {name} weicht ab von {differs}. Sie wurde unterwegs verändert oder beschädigt: Nichts wurde installiert.',
  'The model {id} was fetched and cannot be used: {why}. Nothing was installed.':
    'Das Modell {id} wurde geholt und ist nicht zu gebrauchen: {why}. Nichts wurde installiert.',
  'the package sherpa-onnx-node is missing: run npm install again':
    'das Paket sherpa-onnx-node fehlt: noch einmal npm install ausführen',
  'it hears nothing in a sample of speech': 'es hört nichts in einer Sprachprobe',
  'it finds no speech in a sample of speech': 'es findet keine Sprache in einer Sprachprobe',
  'it makes nothing of a sample of speech': 'es macht nichts aus einer Sprachprobe',
  'it answers with other words than a sample has':
    'es antwortet mit anderen Wörtern, als eine Probe hat',
  'it needs a voice model beside it: install one first':
    'es braucht ein Modell für Stimmen neben sich: erst eines installieren',
  'it finds no turns in a sample of speech': 'es findet keine Beiträge in einer Sprachprobe',
  'Process {holder} installs it already ({lock}). Wait for it, or end it':
    'Prozess {holder} installiert es schon ({lock}). Auf ihn warten oder ihn beenden',
  '{title} could not be downloaded. {failures}. What arrived is kept: install it again, and it goes on from there.':
    '{title} ließ sich nicht herunterladen. {failures}. Was angekommen ist, bleibt: noch einmal installieren, und es geht dort weiter.',
  '{path} is not there (models.mirror)': '{path} ist nicht da (models.mirror)',
  'it leads to a link-local or metadata address':
    'führt zu einer link-lokalen oder Metadaten-Adresse',
  'it leads to {next}, which is not safe': 'führt zu {next}, und das ist nicht sicher',
  'it redirects more than {count} times': 'leitet mehr als {count}-mal weiter',
  'it is not there (404)': 'nicht vorhanden (404)',
  'it answers {status}': 'antwortet mit {status}',
  'its name is unknown': 'der Name ist unbekannt',
  'names cannot be looked up': 'Namen lassen sich nicht nachschlagen',
  'nothing listens there': 'dort horcht nichts',
  'it cannot be reached': 'nicht erreichbar',
  'it does not answer': 'antwortet nicht',
  'it stopped sending': 'hat aufgehört zu senden',
  'the connection broke off': 'die Verbindung brach ab',
  'it sent another part than was asked for': 'hat einen anderen Teil geschickt als verlangt',
  'it sends too slowly': 'sendet zu langsam',
  'the connection ended too soon': 'die Verbindung endete zu früh',
  'its answer does not say which part it is': 'die Antwort sagt nicht, welcher Teil sie ist',
  'The program bzip2 is missing, which unpacks the model: apt-get install bzip2.':
    'Das Programm bzip2 fehlt, das Modelle entpackt: apt-get install bzip2.',
  'The archive cannot be unpacked: {why}. Install the model again.':
    'Das Archiv lässt sich nicht entpacken: {why}. Das Modell noch einmal installieren.',
  'The archive {archive} cannot be unpacked: {why}. Install the model again.':
    'Das Archiv {archive} lässt sich nicht entpacken: {why}. Das Modell noch einmal installieren.',
  'it holds too many files': 'es enthält zu viele Dateien',
  'its files are larger than a model can be': 'seine Dateien sind größer, als ein Modell sein kann',
  'it holds {path} twice': 'es enthält {path} zweimal',
  'bzip2 failed': 'bzip2 ist gescheitert',
  'it holds more than a model can be': 'es enthält mehr, als ein Modell sein kann',
  'The catalogue has no model {id}. It has: {known}.':
    'Der Katalog hat kein Modell {id}. Er hat: {known}.',
  'The model {id} is not installed.': 'Das Modell {id} ist nicht installiert.',
  'Too many requests wait already. Try again in a moment.':
    'Es warten schon zu viele Anfragen. Gleich noch einmal versuchen.',
  'It failed with an error of the program’s own: see the log.':
    'Ein Fehler im Programm selbst: Er steht im Protokoll.',
};

/** What languages are called in recommendations. */
export function germanLanguageNames(codes: readonly string[]): Phrases {
  const english = new Intl.DisplayNames('en', { type: 'language' });
  const german = new Intl.DisplayNames('de', { type: 'language' });
  return Object.fromEntries(
    codes.map((code) => [english.of(code) ?? code, german.of(code) ?? code]),
  );
}
