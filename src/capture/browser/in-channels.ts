/**
 * Samples as a file with so many channels has them: two are added up where there is one, as browsers and audio servers
 * mix; one is the microphone, left, where there are two.
 */
export function inChannels(pcm: Buffer, from: 1 | 2, to: 1 | 2): Buffer {
  if (from === to) return pcm;
  const frames = pcm.length / (from * 2);
  const fitted = Buffer.alloc(frames * to * 2);
  for (let at = 0; at < frames; at += 1) {
    if (to === 2) {
      fitted.writeInt16LE(pcm.readInt16LE(at * 2), at * 4);
      continue;
    }
    const sum = pcm.readInt16LE(at * 4) + pcm.readInt16LE(at * 4 + 2);
    fitted.writeInt16LE(Math.max(-32_768, Math.min(32_767, sum)), at * 2);
  }
  return fitted;
}
