import { contentIn } from './content-words.ts';

/** How people greet, thank and part, by language; what begins a sentence. */
const beginnings: Readonly<Record<string, string>> = {
  de: "guten (?:morgen|tag|abend)|(?:herzlich )?willkommen|hallo|servus|moin|gr(?:ü|ue)(?:ß|ss) (?:gott|euch|dich)|gr(?:ü|ue)ezi|mein name ist|ich hei(?:ß|ss)e|schön,? dass|(?:vielen|herzlichen|besten|schönen) dank|danke|tschüss?|auf wiedersehen|bis (?:dann|bald|später|morgen|nächste woche|zum nächsten mal)|(?:einen )?schönen (?:tag|abend|feierabend|urlaub)|schönes wochenende|mach(?:t|en sie)?[' ]?s gut|das war'?s",
  en: "good (?:morning|afternoon|evening)|(?:and )?welcome|hello|hi|hey|my name is|nice to (?:meet|see) you|(?:many )?thanks|thank you|bye|goodbye|see you|take care|have a (?:nice|good|great)|cheers|that's all",
  es: 'buenos días|buenas (?:tardes|noches)|hola|bienvenid\\p{L}+|(?:muchas )?gracias|adiós|hasta (?:luego|mañana|pronto)|me llamo',
  fr: "bonjour|bonsoir|salut|bienvenue|(?:un grand )?merci|au revoir|à (?:bientôt|demain)|bonne (?:journée|soirée)|je m'appelle",
  it: 'buongiorno|buonasera|ciao|benvenut\\p{L}+|(?:molte |mille )?grazie|arrivederci|a (?:presto|domani)|mi chiamo',
  nl: 'goede(?:morgen|middag|navond)|hallo|welkom|(?:hartelijk )?dank|bedankt|tot (?:ziens|morgen|straks)|mijn naam is',
  pt: 'bom dia|boa (?:tarde|noite)|olá|bem-vind\\p{L}+|(?:muito )?obrigad[oa]|até (?:logo|amanhã)|meu nome é',
};

const begins = new RegExp(
  `^(?:(?:so|ja|well|okay|ok|gut|right|also|und|and)[,.]? )?(?:${Object.values(beginnings).join('|')})(?![\\p{L}\\p{N}])`,
  'iu',
);

/** What else such a sentence says: a name, “all of you”, “for coming”. */
const wordsBeside = 2;

/** Whether a sentence only greets, introduces, thanks or says goodbye: nothing of a talk is lost without it. */
export function isCourtesy(sentence: string, language: string | null): boolean {
  const plain = sentence
    .replaceAll('’', "'")
    .trim()
    .replace(/^[^\p{L}\p{N}]+/u, '');
  const beginning = begins.exec(plain)?.[0];
  if (beginning === undefined || /\p{N}/u.test(plain)) return false;
  const rest = plain.slice(beginning.length);
  return contentIn(rest, language).filter((word) => !company.has(word)).length <= wordsBeside;
}

/** Whom one greets. */
const company = new Set(
  'all alle allen zusammen everyone everybody folks team leute liebe kollegen kolleginnen ladies gentlemen damen herren tous todos tutti iedereen guten morgen good hallo hello'.split(
    ' ',
  ),
);
