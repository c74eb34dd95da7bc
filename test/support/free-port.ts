/** Ports for programs that must be told theirs before they listen. */
import { createServer } from 'node:net'

/** Below those that systems give to outgoing connections, and to servers that ask for any. */
const lowest = 15_000
const many = 15_000
/** Processes of tests that run at the same time begin at different ones. */
let next = process.pid * 37

/** Another one at each call, on which nothing listens, so that a server finds it free again when it is restarted. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + (next % many)
    next += 1
    const probe = createServer()
    const free = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false)).listen(port, () => resolve(true))
    })
    if (!free) continue
    await new Promise((resolve) => probe.close(resolve))
    return port
  }
}
