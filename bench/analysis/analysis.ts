/**
 * What analysis costs: shares, arrays, pairs, entities and medians over the bench corpus, whose enrichments are given
 * entities. Each question has a limit: milliseconds, or how many times as long as another question it may take; such
 * two are asked in turns. Prints a table of medians beside their limits. Plans are cached, answers are not.
 * Usage: node bench/analysis/analysis.ts [database=PATH|URL] [engine=sqlite|postgres] [over=engine|cpu] [times=15]
 *   [only=WORDS] [corpus=FOLDER] [work=FOLDER] [postgres=URL]
 * `database`: one with an imported corpus; otherwise it is made in the folder `work`, and used again. `over=cpu`: CPU
 * times, with the database's, which tell more on a busy machine. `only`: part of a question's name. `postgres`: a server
 * whose user may create databases; otherwise one is started, and is gone afterwards.
 */
import { type Asker, inProcess, ms } from '../support/asker.ts'
import { readOptions } from '../support/options.ts'
import { median } from '../support/statistics.ts'
import { databaseOptions, findDatabase } from '../support/stores.ts'
import { writeWithEntities } from './entities.ts'
import { existsSync, globSync, mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Limit, type Question, questions } from './questions.ts'

const given = readOptions(process.argv.slice(2), { ...databaseOptions, over: 'engine', times: 15, only: '' })
const { work, times, only, over } = given

await using stack = new AsyncDisposableStack()
const database = await findDatabase(stack, 'analysis', given, corpusWithEntities)
await using asker = await inProcess(database, over === 'cpu')
console.log(`| ${over === 'cpu' ? 'CPU ms' : 'ms'} | median | least | limit | |\n|---|---|---|---|---|`)
for (const question of questions) if (question.name.includes(only)) console.log(await row(asker, question))

/** A folder with the files of the corpus, of which that of the enrichments is a copy with entities. */
async function corpusWithEntities(): Promise<string> {
  const enriched = join(work, 'corpus-with-entities')
  mkdirSync(enriched, { recursive: true })
  for (const file of globSync(join(given.corpus, '*.jsonl*'))) {
    const isEnrichments = basename(file).startsWith('enrichments.')
    const to = join(enriched, isEnrichments ? 'enrichments.jsonl' : basename(file))
    if (existsSync(to)) continue
    if (!isEnrichments) symlinkSync(file, to)
    else {
      // A file that was not written to its end is not used again.
      await writeWithEntities(file, `${to}.part`)
      renameSync(`${to}.part`, to)
    }
  }
  return enriched
}

async function row(asking: Asker, { name, query, limit }: Question): Promise<string> {
  const queries = limit.kind === 'times' ? [query, limit.of] : [query]
  for (const each of queries) await asking.answer(each)
  const took = queries.map((): number[] => [])
  // The first two of each may still be planned with guesses.
  for (let round = -2; round < times; round += 1)
    for (const [index, each] of queries.entries()) {
      const one = await asking.time(each)
      if (round >= 0) took[index]?.push(one)
    }
  const [middles, leasts] = [took.map(median), took.map((all) => Math.min(...all))]
  return `| ${name} | ${ms(middles[0] ?? 0)} | ${ms(leasts[0] ?? 0)} | ${shown(limit, middles, leasts)} |`
}

/** Other programs only lengthen a time, so the least of all times may be within a limit that the median exceeds. */
function shown(limit: Limit, middles: readonly number[], leasts: readonly number[]): string {
  const of = ([own = 0, other = 1]: readonly number[]): number => (limit.kind === 'times' ? own / other : own)
  const [middle, least] = [of(middles), of(leasts)]
  const holds = middle <= limit.most ? 'holds' : least <= limit.most ? 'holds for the least' : 'misses'
  if (limit.kind === 'ms') return `${limit.most} | ${holds}`
  return `${limit.most} × ${ms(middles[1] ?? 0)} | ${middle.toFixed(2)} ×, ${holds}`
}
