/** `status`: prints the state of the index as a table or as JSON. */
import type { IndexStatus, RejectionReason } from '../../../database/database.ts'
import { describeStatus } from '../../../server/http/health.ts'
import { type CommandContext, printJson } from '../../command.ts'
import { lexiconDir, loadProject, openExistingStore } from '../../store/project.ts'
import { renderTable } from '../../table.ts'
import { instantText } from '../../../util/instant.ts'
import { counted, grouped } from '../../../util/text/counted.ts'

export async function status({ config, root }: CommandContext): Promise<void> {
  const project = await loadProject(lexiconDir(config, root))
  await using database = await openExistingStore(config, project)
  const found = await database.readStatus()
  if (config.json) printJson(describeStatus(found))
  else process.stdout.write(render(found, database.dialect.isSpread))
}

function render(
  { collections, sources, rejections, keptRejections, repositories, unfinishedPurges }: IndexStatus,
  isSpread: boolean,
): string {
  const parts = [
    renderTable(
      ['collection', 'records', 'newest', 'stored', 'updated', 'deleted', 'refused', 'refused now'],
      collections.map(({ name, records, newestIndexedAt, outcomes, rejections: refusedNow, served }) => [
        served ? name : `${name} (not served)`,
        records,
        instantText(newestIndexedAt) ?? '–',
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
          ['source', 'callers see', 'state', 'lag in s', 'events/s', 'last event', 'cursor'],
          sources.map(({ name, publicName, state, lagSeconds, eventsPerSecond, lastEventAt, cursor }) => [
            name,
            publicName,
            state,
            lagSeconds === null ? '–' : lagSeconds.toFixed(1),
            eventsPerSecond.toFixed(1),
            instantText(lastEventAt) ?? '–',
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
    parts.push(
      `${counted(waiting, 'repository', 'repositories')} ${waiting === 1 ? 'waits' : 'wait'} to be fetched; ${grouped(failed)} ${failed === 1 ? 'was' : 'were'} given up on.\n`,
    )
  for (const { name, outcomes } of collections) {
    const expired = outcomes.expired ?? 0
    if (expired > 0)
      parts.push(
        `${name}: ${counted(expired, 'record')} ${expired === 1 ? 'was' : 'were'} removed or not stored, being older than --retain allows.\n`,
      )
  }
  if (unfinishedPurges > 0)
    parts.push(
      `${counted(unfinishedPurges, 'purge')} ${unfinishedPurges === 1 ? 'was' : 'were'} interrupted; \`lexigraph purge\` finishes ${unfinishedPurges === 1 ? 'it' : 'them'}.\n`,
    )
  if (isSpread) parts.push('The records are spread over the nodes of a cluster.\n')
  return parts.join('\n')
}
