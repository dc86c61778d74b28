import type { Words } from './sentences.ts';
import type { models } from './models.ts';

export const modelsInGerman = {
  'about-parakeet-tdt-0-6b-v3':
    'Europäische Sprachen, mit Satzzeichen und Zeitangaben für jedes Wort. Die beste Wahl für Computer ohne Grafikkarte.',
  'about-sense-voice': 'Versteht auch Kantonesisch.',
  'about-whisper-turbo':
    'Zeitangaben nur für ganze Sätze. Das genaueste der Whisper-Modelle und das mit dem größten Bedarf an Arbeitsspeicher.',
  'about-whisper-small':
    'Zeitangaben nur für ganze Sätze. Ein Mittelweg zwischen Größe und Genauigkeit.',
  'about-whisper-base': 'Zeitangaben nur für ganze Sätze. Weniger genau, für kleine Computer.',
  'about-whisper-tiny':
    'Zeitangaben nur für ganze Sätze. Das kleinste und ungenaueste der Whisper-Modelle.',
  'about-moonshine-base-en': 'Für kleine Computer. Keine Zeitangaben für einzelne Wörter.',
  'about-moonshine-tiny-en': 'Für sehr kleine Computer. Keine Zeitangaben für einzelne Wörter.',
  'about-streaming-zipformer-en':
    'Zeigt englische Wörter eine halbe Sekunde, nachdem sie gesprochen wurden. Das endgültige Transkript macht ein anderes Modell.',
  'about-streaming-zipformer-en-20m': 'Dasselbe für kleine Computer, weniger genau.',
  'about-silero-vad': 'Erkennt, wann gesprochen wird, genauer als die eingebaute Erkennung.',
  'about-pyannote-segmentation-3':
    'Erkennt, wann der Sprecher wechselt. Braucht zusätzlich ein Stimmmodell (TitaNet small wird mitinstalliert).',
  'about-titanet-small': 'Unterscheidet Stimmen. Mit englischer Sprache trainiert.',
  'about-3dspeaker-eres2net-base': 'Unterscheidet Stimmen. Mit chinesischer Sprache trainiert.',
  'about-punctuation-en':
    'Setzt in englischem Text Satzzeichen und Großbuchstaben, wenn die Spracherkennung keine setzt und es kein Sprachmodell gibt.',
  'used-for-speech': 'Transkribiert Aufnahmen.',
  'used-for-speech-chosen':
    'Transkribiert Aufnahmen (in den Einstellungen gewählt, `stt.local_model`).',
  'used-for-interim': 'Zeigt Wörter, während sie gesprochen werden.',
  'used-for-detection': 'Erkennt, wann gesprochen wird.',
  'used-for-speakers': 'Unterscheidet die Sprecher in Besprechungen.',
  'used-for-punctuation': 'Setzt Satzzeichen, wenn es kein Sprachmodell gibt.',
  'language-one': 'Unterstützt {language}.',
  'language-and-others': {
    detail: {
      one: 'Unterstützt {language} und {count} weitere Sprache.',
      other: 'Unterstützt {language} und {count} weitere Sprachen.',
    },
  },
  'computer-fits': {
    detail: {
      one: 'Dieser Server hat {memory} Arbeitsspeicher und {count} Kern; das Modell braucht {needed} Arbeitsspeicher.',
      other:
        'Dieser Server hat {memory} Arbeitsspeicher und {count} Kerne; das Modell braucht {needed} Arbeitsspeicher.',
    },
  },
  recommendation: '[{languages} ]{fits}',
} satisfies Words<typeof models>;
