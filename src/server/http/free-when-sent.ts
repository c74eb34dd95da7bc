/** Memory of answers, which the collector would come to after hundreds of requests. */
import type { ServerResponse } from 'node:http'
import { releaseBuffer } from '../../util/release-buffer.ts'

/** Nobody else may have the body. Whoever is told of the answer may look at it in the turn in which it was sent. */
export function freeWhenSent(response: ServerResponse, body: Uint8Array): void {
  response.once('finish', () => setImmediate(releaseBuffer, body))
}
