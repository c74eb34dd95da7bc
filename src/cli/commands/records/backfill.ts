/** `backfill` and `reconcile`: fetch whole repositories; progress on standard error, the result on standard output. */
import { findDamage } from '../../../database/verify/find-damage.ts'
import { type FetchResult, fetchRepositories } from '../../../ingest/backfill.ts'
import { parseTarget } from '../../../ingest/sources/repos/repo-export.ts'
import { type Command, type CommandContext, notify, printJson } from '../../command.ts'
import { settleStories } from '../../store/curation.ts'
import { lexiconDir, loadProject, openExistingWriter, openStore } from '../../store/project.ts'
import { createLog, identityOptions, openNetwork } from '../../background/network.ts'
import { startBar } from '../../progress-bar.ts'
import { stopSignal } from '../../signals.ts'
import { renderTable } from '../../table.ts'
import { grouped } from '../../../util/text/counted.ts'

type Kind = 'backfill' | 'reconcile'

export const backfill: Command = (context) => fetchAll('backfill', context)
export const reconcile: Command = (context) => fetchAll('reconcile', context)

async function fetchAll(kind: Kind, { config, operands, root }: CommandContext): Promise<number> {
  const targets = operands.map(parseTarget)
  // Invalid settings fail before anything is opened.
  identityOptions(config)
  const project = await loadProject(lexiconDir(config, root))
  await using database = await (kind === 'backfill' ? openStore : openExistingWriter)(config, project)
  const signal = stopSignal()
  signal.addEventListener('abort', () =>
    notify(config, `Stopping; the same command goes on where this one ends.`),
  )
  const log = createLog(config)
  const network = await openNetwork(config, project, log, signal)
  // The same status as for any interrupted command.
  if (network === null) return 1
  const format = '{bar} {value} of {total} repositories | {records} records | {failed} failed | {current}'
  using bar = startBar(config, format, 0, { records: '0', failed: 0, current: '' })
  const result = await fetchRepositories(database.write, {
    kind,
    targets,
    until: 'idle',
    ...network,
    signal,
    onProgress: ({ listed, done, failed, records, current }) => {
      bar?.setTotal(Math.max(listed, done + failed + current.length))
      bar?.update(done + failed, { records: grouped(records), failed, current: current[0] ?? '' })
    },
    findDamage: () => findDamage(database.read, project.tables),
  })
  await settleStories(database.write.metadata)
  bar?.stop()
  if (config.json) printJson(result)
  else process.stdout.write(render(kind, result))
  const isSettled = kind === 'backfill' || result.unsettled.length + result.damage.length === 0
  return result.complete && result.failed.length === 0 && isSettled ? 0 : 1
}

function render(kind: Kind, result: FetchResult): string {
  const { outcome, read, differences, forgotten, unsettled, repaired, damage, gone, failed, complete } =
    result
  const { stored, updated, deleted, unchanged, older, rejected: refused, purged, expired } = outcome
  const records = { stored, updated, deleted, unchanged, older, refused, purged, expired }
  const totals = { repositories: read, gone, failed: failed.length, ...records }
  const parts = [renderTable(Object.keys(totals), [Object.values(totals)])]
  const missed = differences.map(({ name, stored, updated, deleted }) => [name, stored, updated, deleted])
  if (kind === 'reconcile' && missed.length > 0)
    parts.push(renderTable(['differed', 'creations missed', 'updates missed', 'deletions missed'], missed))
  if (forgotten > 0)
    parts.push(
      `Revisions from the future that were forgotten: ${grouped(forgotten)}. Their records can be replaced again.\n`,
    )
  const differing = unsettled.map(({ name, records, uris }) => [name, records, uris[0] ?? ''])
  if (kind === 'reconcile' && differing.length > 0)
    parts.push(
      renderTable(['still differs', 'records', 'for example'], differing),
      'Later versions of these records are known here than their repositories have. Either their hosts answer with an old state, or the network reported versions that never were; docs/repairing.md says more.\n',
    )
  const damages = [
    ...repaired.map(({ name, problem }) => [name, 'repaired', problem]),
    ...damage.map(({ name, problem }) => [name, 'still damaged', problem]),
  ]
  if (damages.length > 0) parts.push(renderTable(['damaged', 'now', 'problem'], damages))
  if (damage.length > 0)
    parts.push('`lexigraph copy` into a new database derives all of it anew from the records.\n')
  if (
    kind === 'reconcile' &&
    complete &&
    failed.length === 0 &&
    read > 0 &&
    result.differing + unsettled.length + forgotten + damages.length === 0
  )
    parts.push('The database and the repositories agree.\n')
  if (kind === 'reconcile' && complete && read === 0) parts.push('No repository was compared.\n')
  const failures = failed.map(({ name, error }) => [name, error])
  if (failures.length > 0) parts.push(renderTable(['failed', 'because'], failures))
  if (!complete) parts.push('Not all is done; the same command goes on from here.\n')
  return parts.join('\n')
}
