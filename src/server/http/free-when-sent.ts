/** Releases the memory of sent answers, which the garbage collector would do only after hundreds of requests. */
import type { ServerResponse } from 'node:http'
import { releaseBuffer } from '../../util/release-buffer.ts'

/** The caller must own the body exclusively. Listeners of the response may still read it in the turn of `finish`. */
export function freeWhenSent(response: ServerResponse, body: Uint8Array): void {
  response.once('finish', () => setImmediate(releaseBuffer, body))
}
