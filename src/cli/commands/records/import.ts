/** `import FILE…`: progress on standard error, the result on standard output. */
import { type ImportResult, importRecords } from '../../../ingest/sources/files/import.ts'
import type { LineInput } from '../../../ingest/sources/files/lines.ts'
import { counted, grouped } from '../../../util/text/counted.ts'
import { type CommandContext, notify, printJson } from '../../command.ts'
import { lexiconDir, loadProject, openStore } from '../../store/project.ts'
import { findInputs, threadsOf } from '../../settings/inputs.ts'
import { startBar } from '../../progress-bar.ts'

export async function importFiles({ config, operands, root }: CommandContext): Promise<number> {
  const inputs = await findInputs(operands)
  const project = await loadProject(lexiconDir(config, root))
  await using database = await openStore(config, project)
  const total = bytesOf(inputs)
  const format =
    total === null ? '{records} records' : '{bar} {percentage} % | {records} records | {eta_formatted} left'
  using bar = startBar(config, format, total ?? 1, { records: '0' })
  const start = performance.now()
  const result = await importRecords(database.write, inputs, {
    ...project,
    maxClockSkew: config['max-clock-skew'],
    workers: threadsOf(config),
    onProgress: ({ read, consumed }) =>
      bar?.update(total === null ? 0 : consumed, { records: grouped(read) }),
    // Ends the bar, because building indexes will block this thread.
    onRead: () => {
      bar?.stop()
      if (bar !== null) process.stderr.write('All is read; indexes are being built.\n')
    },
  })
  const seconds = (performance.now() - start) / 1000
  const recordsPerSecond = Math.round(result.read / Math.max(seconds, 0.001))
  if (config.json) printJson({ ...result, seconds: Math.round(seconds * 1000) / 1000, recordsPerSecond })
  else process.stdout.write(render(result, seconds, recordsPerSecond))
  const refused = refusedOf(result)
  if (result.read === 0) notify(config, nothingRead(inputs))
  const isFailure = refused > 0 && (config.strict || refused === result.read)
  if (isFailure) process.stderr.write(`${refusedSentence(refused, result.read)}\n`)
  else if (refused > 0) notify(config, refusedSentence(refused, result.read))
  return isFailure ? 1 : 0
}

function nothingRead(inputs: readonly LineInput[]): string {
  const names = new Intl.ListFormat('en').format(inputs.map(({ name }) => name))
  return `Nothing was imported: ${names} ${inputs.length === 1 ? 'has' : 'have'} no records.`
}

function refusedSentence(refused: number, read: number): string {
  const which =
    refused === read
      ? 'Every record was'
      : `${grouped(refused)} of ${counted(read, 'record')} ${refused === 1 ? 'was' : 'were'}`
  return `${which} refused; \`lexigraph rejections\` lists them with their reasons.`
}

function refusedOf({ refused }: ImportResult): number {
  return Object.values(refused).reduce((sum, records) => sum + records, 0)
}

/** The bytes of all inputs; null if some are unknown. */
function bytesOf(inputs: readonly LineInput[]): number | null {
  const sizes = inputs.map((input) => input.size)
  return sizes.includes(null) ? null : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
}

function render(result: ImportResult, seconds: number, recordsPerSecond: number): string {
  const refused = Object.entries(result.refused)
  const { read, stored, updated, unchanged, older, withheld, purged, expired } = result
  const rare = Object.entries({ older, hidden: withheld, purged, expired })
  const counts: [string, number][] = [
    ...Object.entries({ read, stored, updated, unchanged }),
    ...rare.filter(([, records]) => records > 0),
    ['refused', refusedOf(result)],
    ...refused.map(([reason, records]): [string, number] => [`  ${reason}`, records]),
  ]
  const rows = [
    ...counts.map(([name, records]) => [name, grouped(records)] as const),
    ['seconds', seconds.toFixed(1)] as const,
    ['records per second', grouped(recordsPerSecond)] as const,
  ]
  const names = Math.max(...rows.map(([name]) => name.length))
  const widest = Math.max(...rows.map(([, value]) => value.length))
  return rows.map(([name, value]) => `${name.padEnd(names)}  ${value.padStart(widest)}\n`).join('')
}
