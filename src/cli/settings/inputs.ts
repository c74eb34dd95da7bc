/** What settings and operands name: input files, the number of threads that read them, and trusted proxies. */
import { UsageError } from '../../errors.ts'
import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { fileInput, type LineInput } from '../../ingest/sources/files/lines.ts'
import { CommandError, whyUnreadable } from '../command.ts'
import type { Config } from './settings.ts'

/** One per core: writing and waiting for the network leave each core idle at times. */
export function threadsOf(config: Config): number {
  return config.threads ?? availableParallelism()
}

/** Checks every operand before any is read, so that a misspelt one fails early. */
export async function findInputs(operands: readonly string[]): Promise<LineInput[]> {
  if (operands.filter((operand) => operand === '-').length > 1)
    throw new UsageError('Standard input can be read once; write - once.')
  return Promise.all(
    operands.map(async (operand) => {
      if (operand === '-') return { name: 'standard input', size: null, open: () => process.stdin }
      const found = await stat(operand).catch((error: NodeJS.ErrnoException) => error)
      if (found instanceof Error)
        throw new CommandError(`${operand} cannot be read: ${whyUnreadable(found)}.`)
      if (found.isDirectory()) throw new CommandError(`${operand} is a directory; name the files in it.`)
      return fileInput(operand, found.isFile() ? found.size : null)
    }),
  )
}

/** Addresses, networks and names of ranges; the parser is loaded only if the setting is given. */
export async function trustedProxiesOf({ 'trusted-proxies': text }: Config): Promise<readonly string[]> {
  if (text === null) return []
  const { parseTrustedProxies } = await import('../../server/admission/limits/address.ts')
  try {
    return parseTrustedProxies(text)
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause })
  }
}
