/** Collects chunks in a growing buffer, without a second copy. Null when there are more bytes than the limit. */
export async function gather(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const buffer = new ArrayBuffer(0, { maxByteLength: limit })
  let length = 0
  for await (const chunk of chunks) {
    const end = length + chunk.length
    if (end > limit) return null
    if (end > buffer.byteLength) buffer.resize(Math.min(limit, end + growth))
    new Uint8Array(buffer, length, chunk.length).set(chunk)
    length = end
  }
  return new Uint8Array(buffer, 0, length)
}

const growth = 1024 * 1024
