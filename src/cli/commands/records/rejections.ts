/** `rejections [retry]`: lists rejections with their reasons, or retries them under the current lexicons. */
import { UsageError } from '../../../errors.ts'
import { rejectionPages, retryRejections } from '../../../ingest/retry.ts'
import { formatInstant } from '../../../util/instant.ts'
import { type CommandContext, print, printJson } from '../../command.ts'
import type { ProjectContext } from '../../store/project.ts'
import { settleStories } from '../../store/curation.ts'
import { lexiconDir, loadProject, openExistingStore, openExistingWriter } from '../../store/project.ts'
import type { Config } from '../../settings/settings.ts'
import { counted, grouped } from '../../../util/text/counted.ts'

export async function rejections({ config, operands, root }: CommandContext): Promise<void> {
  const [action] = operands
  if (action !== undefined && action !== 'retry')
    throw new UsageError(`rejections takes nothing or retry, not ${JSON.stringify(action)}.`)
  const project = await loadProject(lexiconDir(config, root))
  return action === 'retry' ? retry(config, project) : list(config, project)
}

async function retry(config: Config, project: ProjectContext): Promise<void> {
  await using database = await openExistingWriter(config, project)
  const result = await retryRejections(database, {
    ...project,
    maxClockSkew: config['max-clock-skew'],
  })
  await settleStories(database.write.metadata)
  const { stored, updated, unchanged, older, rejected, cut, malformed } = result
  if (config.json) printJson(result)
  else
    print(
      `${counted(stored + updated, 'record')} stored, ${grouped(rejected)} still refused, ${grouped(cut)} not tried because only the beginning was kept, ${grouped(malformed)} not tried because they are not records, ${grouped(unchanged + older)} outdated and no longer listed.`,
    )
}

async function list(config: Config, project: ProjectContext): Promise<void> {
  await using database = await openExistingStore(config, project)
  let count = 0
  for await (const page of rejectionPages(database)) {
    count += page.length
    for (const { seenAt, ...rest } of page)
      if (config.json) printJson({ ...rest, seenAt })
      else
        print(
          `${rest.key}\n  ${rest.reason}: ${rest.message}\n  from ${rest.source}, ${formatInstant(seenAt)}`,
        )
  }
  if (count === 0 && !config.json) print('Nothing has been refused.')
}
