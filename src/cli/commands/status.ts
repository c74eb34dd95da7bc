/** `status`: how far the index has come, as a table or as JSON. */
import type { IndexStatus, RejectionReason } from '../../database/database.ts'
import { describeStatus } from '../../server/index-status.ts'
import { formatInstant } from '../../util/instant.ts'
import type { CommandContext } from '../command.ts'
import { lexiconDir, loadFoundation, openExistingStore } from '../foundation.ts'
import { renderTable } from '../table.ts'

export async function status({ config, root }: CommandContext): Promise<number> {
  const foundation = await loadFoundation(lexiconDir(config, root))
  await using database = await openExistingStore(config, foundation)
  const found = await database.readStatus()
  process.stdout.write(config.json ? `${JSON.stringify(describeStatus(found))}\n` : render(found))
  return 0
}

function render({
  collections,
  sources,
  rejections,
  keptRejections,
  repositories,
  unfinishedPurges,
}: IndexStatus): string {
  const parts = [
    renderTable(
      ['collection', 'records', 'newest', 'stored', 'updated', 'deleted', 'refused', 'refused now'],
      collections.map(({ name, records, newestIndexedAt, outcomes, rejections: refusedNow, served }) => [
        served ? name : `${name} (not served)`,
        records,
        newestIndexedAt === null ? '–' : formatInstant(newestIndexedAt),
        outcomes.stored ?? 0,
        outcomes.updated ?? 0,
        outcomes.deleted ?? 0,
        outcomes.rejected ?? 0,
        refusedNow,
      ]),
    ),
    sources.length === 0
      ? 'No source has been followed yet; `lexigraph ingest --from SOURCE` follows one.\n'
      : renderTable(
          ['source', 'state', 'lag in s', 'events/s', 'last event', 'cursor'],
          sources.map(({ name, state, lagSeconds, eventsPerSecond, lastEventAt, cursor }) => [
            name,
            state,
            lagSeconds === null ? '–' : lagSeconds.toFixed(1),
            eventsPerSecond.toFixed(1),
            lastEventAt === null ? '–' : formatInstant(lastEventAt),
            cursor ?? '–',
          ]),
        ),
    ...sources.flatMap(({ name, detail }) => (detail === null ? [] : [`${name}: ${detail}\n`])),
  ]
  const refused = Object.entries({ ...keptRejections, ...rejections }).map(([reason]) => [
    reason,
    keptRejections[reason as RejectionReason] ?? 0,
    rejections[reason as RejectionReason] ?? 0,
  ])
  if (refused.length > 0) parts.push(renderTable(['refused for', 'records now', 'events'], refused))
  const { waiting, failed } = repositories
  if (waiting + failed > 0)
    parts.push(`${waiting} repositories wait to be fetched; ${failed} were given up on.\n`)
  const expired = collections.filter(({ outcomes }) => (outcomes.expired ?? 0) > 0)
  for (const { name, outcomes } of expired)
    parts.push(`${name}: ${outcomes.expired} records were removed for their age, or not stored for it.\n`)
  if (unfinishedPurges > 0)
    parts.push(`${unfinishedPurges} purges were broken off; \`lexigraph purge\` finishes them.\n`)
  return parts.join('\n')
}
