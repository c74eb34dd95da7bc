/** The process in which `commands.ts` runs the program's commands one after another. */
import { enableCompileCache } from 'node:module'
import type { CommandGiven } from './commands.ts'

enableCompileCache()
const { main } = await import('../../../src/cli/main.ts')
const root = new URL('../../../', import.meta.url)
const [node = '', ...ownArguments] = process.argv
const ownEnvironment = { ...process.env }
// Each command listens to them anew.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0)

const said = { stdout: '', stderr: '' }
for (const name of ['stdout', 'stderr'] as const)
  process[name].write = (piece: string | Uint8Array): boolean => {
    said[name] += typeof piece === 'string' ? piece : Buffer.from(piece).toString()
    return true
  }

process.on('message', async ({ args, env }: CommandGiven) => {
  process.argv = [node, ownArguments[0] ?? '', ...args]
  process.env = { ...ownEnvironment, ...env }
  process.exitCode = undefined
  Object.assign(said, { stdout: '', stderr: '' })
  await main(root)
  process.send?.({ ...said, status: process.exitCode ?? 0 })
  process.exitCode = undefined
})
process.send?.('ready')
