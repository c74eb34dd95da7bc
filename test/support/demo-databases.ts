/** Databases with the demo's records, for tests of commands that only read them. */
import { writeFileSync } from 'node:fs'
import { runProgram } from '../network/service.ts'
import type { Json } from '../reference/shapes.ts'
import { demoRecords } from './records/demo.ts'
import { printed } from './server/commands.ts'
import type { Engine } from './store/postgres.ts'
import { emptyDatabases, temporaryFolder } from './store/store.ts'

/** The demo's records as lines for `import`. */
export const demo: readonly Json[] = demoRecords()

const some = linesOf(demo, ['aaaa']).filter((_, index) => index % 3 === 0)
const articles = demo.filter(({ uri }) => String(uri).includes('.article/'))
const amounts = {
  /** Of every collection, and on both sides of any key. */
  some,
  /** Enough for several transactions in one of the collections. */
  often: [...some, ...linesOf(articles, ['bbbb', 'cccc', 'dddd'])],
}
export const lines: readonly Json[] = amounts.some

/** The same records in that many repositories. */
function linesOf(records: readonly Json[], parts: readonly string[]): readonly Json[] {
  return records.flatMap((line) =>
    parts.map((part) => ({
      ...line,
      uri: String(line.uri).replace(/^at:\/\/[^/]+/, `at://did:plc:${part.repeat(6)}`),
    })),
  )
}

/** More than one statement copies. */
const refused = Array.from({ length: 150 }, (_, n) => ({ uri: `nonsense ${n}`, value: {} }))

/** The URL of a database of those records and refused ones; it is imported once. */
export function demoDatabases(): (engine: Engine, amount: keyof typeof amounts) => Promise<string> {
  const emptyUrl = emptyDatabases()
  const inFolder = temporaryFolder()
  const known = new Map<string, Promise<string>>()
  return (engine, amount) => {
    const key = `${engine}-${amount}`
    const made = known.get(key) ?? fill(engine, amount, inFolder(`${key}.jsonl`))
    known.set(key, made)
    return made
  }

  async function fill(engine: Engine, amount: keyof typeof amounts, file: string): Promise<string> {
    const url = await emptyUrl(engine)
    writeLines(file, [...amounts[amount], ...refused])
    await printed(runProgram(['import', file, '--database', url]))
    return url
  }
}

export function writeLines(path: string, content: readonly object[]): string {
  writeFileSync(path, content.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return path
}
