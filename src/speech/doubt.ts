import type { Segment } from '../../events/facts/transcript.ts';
import { echoesTerms } from './terms.ts';
import { repeatedWords } from '../shared/repeated-words.ts';
import { streamSafe } from '../shared/stream-safe.ts';

/**
 * Marks segments that may be something that was not said: `repetition` (the recogniser got stuck), `known-phrase` (what
 * Whisper models write over silence and music), `prompt` (the terms it was given), else what the recogniser itself doubts.
 * They are never deleted.
 * @param terms what the recogniser was given as its prompt, and may say over silence
 */
export function withDoubts(segments: readonly Segment[], terms: readonly string[] = []): Segment[] {
  const all = segments.map((segment) => ({ segment, words: wordsOf(segment.text) }));
  const repeated = repeatedWords(all.flatMap(({ words }) => words));
  let at = 0;
  return all.map(({ segment, words }) => {
    const from = at;
    at += words.length;
    const isRepeated = words.some((_, word) => repeated.has(from + word));
    const invented = knownPhrase(segment.text)
      ? 'known-phrase'
      : echoesTerms(segment.text, terms)
        ? 'prompt'
        : undefined;
    const doubt = isRepeated ? 'repetition' : (invented ?? segment.doubt);
    return doubt === undefined ? segment : { ...segment, doubt };
  });
}

/** What Whisper says of a segment, where a server passes it on. */
export type Confidence = {
  noSpeech: number | undefined;
  logprob: number | undefined;
  compression: number | undefined;
};

/** Whisper's own limits: beyond them its authors decode again, or take a segment for silence. */
const noSpeechMax = 0.6;
const logprobMin = -1;
const compressionMax = 2.4;

/** Why Whisper itself doubts a segment: `no-speech`, `repetition` or `low-confidence`. */
export function ownDoubt({ noSpeech = 0, logprob = 0, compression = 0 }: Confidence) {
  if (compression > compressionMax) return 'repetition';
  if (logprob >= logprobMin) return undefined;
  return noSpeech > noSpeechMax ? 'no-speech' : 'low-confidence';
}

function knownPhrase(text: string): boolean {
  const plain = wordsOf(text).join(' ');
  return plain !== '' && (phrases.has(plain) || credits.some((credit) => credit.test(plain)));
}

/** Lower-case words without punctuation; scripts without spaces character by character. */
function wordsOf(text: string): string[] {
  return (
    streamSafe(text)
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}'’]+/gu) ?? []
  );
}

/** A whole segment of exactly that. `thank you` alone is left out: people say it. */
const phrases = new Set(
  [
    'Thanks for watching',
    'Thank you for watching',
    'Thank you so much for watching',
    'Thanks for watching and see you in the next video',
    'Please subscribe to my channel',
    "Don't forget to like and subscribe",
    'Like and subscribe',
    'See you in the next video',
    'Vielen Dank fürs Zuschauen',
    'Danke fürs Zuschauen',
    'Merci d’avoir regardé cette vidéo',
    '¡Gracias por ver el video!',
    'Gracias por ver',
    'Obrigado por assistir',
    'Grazie per aver guardato il video',
    'Bedankt voor het kijken',
    'Спасибо за просмотр',
    'Продолжение следует',
    'ご視聴ありがとうございました',
    '謝謝觀看',
    '谢谢观看',
    '請不吝點贊訂閱轉發打賞支持明鏡與點點欄目',
    'MBC 뉴스 이덕영입니다',
    '시청해주셔서 감사합니다',
    'Music',
    'BLANK_AUDIO',
    'Silence',
    'Musik',
    'Applause',
    'Applaus',
  ].map((phrase) => wordsOf(phrase).join(' ')),
);

/** Names of those whose subtitles the models learned from. */
const credits = [
  /\bamara ?org\b/,
  /^untertitel(ung)?( im auftrag)? (des|der|von|im) /,
  /^copyright (wdr|zdf|swr|ard)\b/,
  /^(wdr|zdf|swr) (mediagroup|\d{4})/,
  /^subtitles by /,
  /^sous titr(es|age) /,
  /^subtítulos (realizados )?por /,
  /^sottotitoli (creati )?(dalla|a cura) /,
  /^napisy stworzone /,
  /^редактор субтитров /,
  /^субтитры (сделал|подготовил|создавал)/,
  /^ondertitel(s|ing) /,
  /^legendas pela /,
];
