/** The derived 16 kHz mono file beside the kept audio; made again whenever it is missing. */
export const speechFileName = 'speech.wav';
