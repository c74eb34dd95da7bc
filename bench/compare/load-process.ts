/**
 * A load as a process of its own: warms a server up, says so, and asks for so many seconds when it is told to.
 * Arguments: URL, query, connections, seconds.
 */
import { once } from 'node:events'
import { measure, warmUp } from './load.ts'

const [url = '', query = '', connections, seconds] = process.argv.slice(2)
const asked = { url, query, pid: process.pid, databasePid: null }
// Each worker compiles its own code.
await warmUp(asked)
await measure(asked, Number(connections), 1)
process.send?.('ready')
await once(process, 'message')
const { perSecond } = await measure(asked, Number(connections), Number(seconds))
process.send?.(perSecond)
process.disconnect()
