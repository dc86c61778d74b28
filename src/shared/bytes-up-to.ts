/** All bytes of a stream. @throws what `tooMany` makes, as soon as there are more than `bytesMax` */
export async function bytesUpTo(
  stream: AsyncIterable<Uint8Array>,
  bytesMax: number,
  tooMany: () => Error,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooMany();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
