/** Input files, and the number of threads that read them. */
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
