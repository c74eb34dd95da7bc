/**
 * `check [FILE…]`: reports all problems of the lexicons and of records, in files or in a database, what a database derives
 * from its records, and the names that GraphQL required to change.
 */
import { validateSchema } from 'graphql/type'
import type { Rejection } from '../../../database/database.ts'
import { buildTables } from '../../../database/layout/tables.ts'
import { readChanges } from '../../../ingest/sources/files/import.ts'
import type { LineInput } from '../../../ingest/sources/files/lines.ts'
import { displayFile } from '../../../lexicon/document.ts'
import { loadLexicons } from '../../../lexicon/load.ts'
import type { LexiconProblem } from '../../../lexicon/lexicons.ts'
import { buildModel } from '../../../schema/model/build-model.ts'
import { buildGraphQLSchema } from '../../../schema/graphql/graphql.ts'
import type { Model } from '../../../schema/model/model.ts'
import { type CommandContext, print, printJson } from '../../command.ts'
import { showSubjects } from '../../serve/explorer.ts'
import type { ProjectContext } from '../../store/project.ts'
import { isStoreOutdated, lexiconDir, lexiconSentence, previewStore } from '../../store/project.ts'
import { isLossless, previewLines } from '../../store/rebuild-notices.ts'
import { damageLines, verifyStore } from '../../store/verify-store.ts'
import type { Config } from '../../settings/settings.ts'
import { findInputs, threadsOf } from '../../settings/inputs.ts'
import { counted, grouped } from '../../../util/text/counted.ts'

export async function check({ config, operands, given, root }: CommandContext): Promise<number> {
  const inputs = await findInputs(operands)
  const dir = lexiconDir(config, root)
  const loaded = await loadLexicons(dir)
  const say = (text: string): unknown => config.json || print(text)
  const fail = (problems: readonly object[], sentences: readonly string[]): number => {
    for (const sentence of sentences) say(sentence)
    if (config.json) printJson({ lexicons: { problems } })
    return 1
  }
  const failIn = (what: string, problems: readonly LexiconProblem[]): number =>
    fail(problems, [...problems.map(lexiconSentence), `${counted(problems.length, 'problem')} in ${what}.`])
  if (!loaded.ok) return failIn('the lexicons', loaded.problems)

  const model = buildModel(loaded.lexicons)
  const clash = schemaProblem(model)
  if (clash !== null) return fail([{ problem: clash }], [clash])
  const { problems } = await showSubjects({ model, display: loaded.display, dir })
  if (problems.length > 0) return failIn(displayFile, problems)
  const collections = model.collections.map(({ nsid }) => nsid)
  say(`The lexicons have no problems; collections: ${collections.join(', ')}.`)
  for (const note of model.notes) say(`Note: ${note}`)

  const refused: Rejection[] = []
  const { lexicons } = loaded
  const project = { dir, lexicons, model, tables: buildTables(model), display: loaded.display }
  const read = await checkRecords(inputs, project, config, (rejection) => {
    refused.push(rejection)
    say(`${rejection.source}: ${rejection.reason}: ${rejection.message}`)
  })
  if (inputs.length > 0) say(`${counted(read, 'record')} read, ${grouped(refused.length)} of them refused.`)
  const stored = given.has('database') ? await previewStore(config, project) : null
  if (stored !== null) for (const line of ['Of what the database has:', ...previewLines(stored)]) say(line)
  // A database of other lexicons has other tables, which these do not describe.
  const isComparable = stored !== null && !(await isStoreOutdated(config, project))
  const damage = isComparable ? await verifyStore(config, project) : []
  if (isComparable) for (const line of damageLines(damage)) say(line)
  else if (stored !== null)
    say(
      'It was built with other lexicons or by another version; its counts, columns and words are compared with those.',
    )
  if (config.json)
    printJson({
      lexicons: { problems: [], collections, notes: model.notes },
      records: { read, refused },
      ...(stored !== null && { database: { ...stored, damage: isComparable ? damage : null } }),
    })
  return refused.length + damage.length === 0 && (stored === null || isLossless(stored)) ? 0 : 1
}

/** Name conflicts between lexicons, and names that GraphQL reserves, appear only when the whole schema is built. */
function schemaProblem(model: Model): string | null {
  try {
    const problems = validateSchema(buildGraphQLSchema(model))
    return problems.length === 0 ? null : problems.map(({ message }) => message).join('\n')
  } catch (error) {
    return (error as Error).message
  }
}

/** Returns the number of records read. */
async function checkRecords(
  inputs: readonly LineInput[],
  project: ProjectContext,
  config: Config,
  onRefused: (rejection: Rejection) => void,
): Promise<number> {
  if (inputs.length === 0) return 0
  let read = 0
  for await (const { changes } of readChanges(inputs, { ...project, workers: threadsOf(config) })) {
    read += changes.length
    for (const change of changes) {
      if (change.kind !== 'reject') continue
      const { kind: _, ...rejection } = change
      onRefused(rejection)
    }
  }
  return read
}
