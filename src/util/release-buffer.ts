/** Frees memory at once; the garbage collector would free it only after hundreds of requests. */

/** The caller must own the whole buffer, with no read pending; the buffer is empty afterwards. */
export function releaseBuffer({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
