/**
 * A process that writes as many lines of log as its first argument says, and ends as its second does. With a third one
 * its clock stands still, so that it waits for its reader however long that takes.
 */
import { createLogs } from '../../../src/cli/log-stream.ts'

const [, , count, end, still] = process.argv
if (still !== undefined) performance.now = () => 0
const { requests } = createLogs({ 'log-level': 'info' }, null)
for (let n = 0; n < Number(count); n += 1) requests.info({ count: n, filler: 'ä'.repeat(100) })
if (end === 'exit') process.exit(0)
if (end === 'throw') throw new Error('It ends here.')
