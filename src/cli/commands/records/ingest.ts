/** `ingest --from SOURCE,…`: follows sources until they end or a signal arrives. */
import { UsageError } from '../../../errors.ts'
import { type CommandContext, notify } from '../../command.ts'
import { openStore } from '../../store/project.ts'
import { type IngestGiven, runIngest } from '../../background/ingest.ts'
import { stopSignal } from '../../signals.ts'

export async function ingest(context: CommandContext): Promise<void> {
  const { config } = context
  if (config.from === null)
    throw new UsageError('ingest needs a source: --from jetstream:wss://… ; docs/ingestion.md tells which.')
  const signal = (): AbortSignal => {
    const stop = stopSignal()
    stop.addEventListener('abort', () => notify(config, 'Stopping: what has come is stored first.'))
    return stop
  }
  const open: IngestGiven['open'] = (...given) => openStore(...given, { tellsNew: true })
  await runIngest(context, config.from, { open, signal })
}
