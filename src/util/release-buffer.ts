/** Memory that is given back at once, where the collector would come to it after hundreds of requests. */

/** Nobody else may have it, and nothing may be reading it: from now on it is empty. */
export function releaseBuffer({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
