import type { Words } from './sentences.ts';
import type { models } from './models.ts';

export const modelsInGerman = {
  'about-parakeet-tdt-0-6b-v3': {
    detail:
      '25 europäische Sprachen, mit Satzzeichen und Zeitangaben für jedes Wort. Die beste Wahl für Computer ohne Grafikkarte.',
  },
  'about-sense-voice': {
    detail: 'Chinesisch (auch Kantonesisch), Englisch, Japanisch und Koreanisch.',
  },
  'about-whisper-turbo': {
    detail:
      'Etwa 100 Sprachen, mit Zeitangaben nur für ganze Sätze. Das genaueste Whisper-Modell, braucht am meisten Arbeitsspeicher.',
  },
  'about-whisper-small': {
    detail: 'Etwa 100 Sprachen, mit Zeitangaben nur für ganze Sätze. Mittlere Größe.',
  },
  'about-whisper-base': {
    detail: 'Etwa 100 Sprachen, mit Zeitangaben nur für ganze Sätze. Für kleine Computer.',
  },
  'about-whisper-tiny': {
    detail: 'Etwa 100 Sprachen, mit Zeitangaben nur für ganze Sätze. Das kleinste und ungenaueste.',
  },
  'about-moonshine-base-en': {
    detail: 'Englisch, für kleine Computer. Keine Zeitangaben für einzelne Wörter.',
  },
  'about-moonshine-tiny-en': {
    detail: 'Englisch, für sehr kleine Computer. Keine Zeitangaben für einzelne Wörter.',
  },
  'about-silero-vad': {
    detail: 'Erkennt, wann gesprochen wird, genauer als die eingebaute Erkennung.',
  },
  'about-pyannote-segmentation-3': {
    detail:
      'Erkennt, wann der Sprecher wechselt. Braucht zusätzlich ein Stimmmodell (TitaNet small wird mitinstalliert).',
  },
  'about-titanet-small': { detail: 'Unterscheidet Stimmen. Mit englischer Sprache trainiert.' },
  'about-3dspeaker-eres2net-base': {
    detail: 'Unterscheidet Stimmen. Mit chinesischer Sprache trainiert.',
  },
  'about-punctuation-en': {
    detail:
      'Setzt in englischem Text Satzzeichen und Großbuchstaben, wenn die Spracherkennung keine setzt und es kein Sprachmodell gibt.',
  },
  'used-for-speech': { detail: 'Transkribiert Aufnahmen.' },
  'used-for-speech-chosen': {
    detail: 'Transkribiert Aufnahmen (in den Einstellungen gewählt, `stt.local_model`).',
  },
  'used-for-detection': { detail: 'Erkennt, wann gesprochen wird.' },
  'used-for-speakers': { detail: 'Unterscheidet die Sprecher in Besprechungen.' },
  'used-for-punctuation': { detail: 'Setzt Satzzeichen, wenn es kein Sprachmodell gibt.' },
  'languages-count': { detail: 'Unterstützt {count} Sprachen.' },
  'language-one': { detail: 'Unterstützt {language}.' },
  'language-and-others': {
    detail: {
      one: 'Unterstützt {language} und {count} weitere Sprache.',
      other: 'Unterstützt {language} und {count} weitere Sprachen.',
    },
  },
  'computer-fits': {
    detail: {
      one: 'Dieser Server hat {memory} Arbeitsspeicher und {count} Kern; das Modell braucht {needed} und {cores_needed}.',
      other:
        'Dieser Server hat {memory} Arbeitsspeicher und {count} Kerne; das Modell braucht {needed} und {cores_needed}.',
    },
  },
  recommendation: { detail: '[{languages} ]{fits}' },
} satisfies Words<typeof models>;
