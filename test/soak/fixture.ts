/** What is there before the traffic begins: lexicons, a file with records that stay as they are, tiers and keys. */
import assert from 'node:assert/strict'
import { mkdtemp, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Reference } from '../reference/reference.ts'
import { printInstant } from '../reference/values.ts'
import type { Json } from '../reference/shapes.ts'
import { openCommands } from '../support/server/commands.ts'
import { patience } from '../support/until.ts'
import { crowdLines, drawStill, lexicons, references } from './corpora.ts'

export interface Fixture extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>
  readonly tiers: string
  readonly still: Reference
  /** Accounts whose records are never touched. */
  readonly stillAccounts: readonly string[]
  /** Runs a command beside the server and gives what it prints; fails when it fails. */
  readonly run: (...args: readonly string[]) => Promise<string>
  readonly createKey: (name: string, tier: string) => Promise<MadeKey>
  /** How many accounts have rows that are still to be moved, or removed. */
  readonly unsettled: () => number
  /** Megabytes of the file and of what is written but not yet in it. */
  readonly sizes: () => Promise<{ readonly file: number; readonly log: number }>
}

export interface MadeKey {
  readonly id: string
  readonly key: string
}

/** Everybody without a key is held to the limits that come with the program. */
const tiers = {
  honest: { pointsPerMinute: null, pointsPerQuery: 1_000, pageSize: 1_000, seconds: 600, concurrent: 64 },
  leaving: { pointsPerMinute: null, pointsPerQuery: 1_000, pageSize: 1_000, seconds: 600, concurrent: 4 },
  flooding: { pointsPerMinute: 600, pointsPerQuery: 100, pageSize: 20, seconds: 2, concurrent: 2 },
}

/** `crowd`: how many thousand and a half records there are besides those that are compared. */
export async function openFixture(seed: number, crowd: number): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), 'lexigraph-soak-'))
  const inFolder = (name: string): string => join(folder, name)
  await mkdir(inFolder('lexicons'))
  for (const document of lexicons)
    await writeFile(inFolder(`lexicons/${document.id}.json`), JSON.stringify(document))
  await writeFile(inFolder('lexicons/references.json'), JSON.stringify(references))
  await writeFile(inFolder('tiers.json'), JSON.stringify(tiers))

  const still = await drawStill(seed)
  const lines = still.records.map(({ uri, cid, rev, indexedAt, value }) => {
    const line: Json = { uri, cid, rev, indexedAt: printInstant(indexedAt), value }
    return `${JSON.stringify(line)}\n`
  })
  await writeFile(inFolder('records.jsonl'), [...lines, ...crowdLines(crowd)].join(''))

  const env = {
    LEXIGRAPH_DATABASE: inFolder('soak.db'),
    LEXIGRAPH_LEXICONS: inFolder('lexicons'),
    LEXIGRAPH_TIERS: inFolder('tiers.json'),
  }
  const commands = openCommands()
  const run = async (...args: readonly string[]): Promise<string> => {
    const { LEXIGRAPH_TIERS: _, ...others } = env
    const { stdout, stderr, status } = await commands.run(args, { env: args[0] === 'keys' ? env : others })
    assert.equal(status, 0, `${args.join(' ')}: ${stderr}`)
    return stdout
  }
  await run('import', inFolder('records.jsonl'))
  const reading = new DatabaseSync(inFolder('soak.db'), { readOnly: true, timeout: patience })
  const moves = reading.prepare('select count(*) as n from actor where move is not null')
  return {
    env,
    tiers: inFolder('tiers.json'),
    still,
    stillAccounts: [...new Set(still.records.map(({ did }) => did))],
    run,
    createKey: async (name, tier) =>
      JSON.parse(await run('keys', 'create', '--name', name, '--tier', tier, '--json')),
    unsettled: () => Number(moves.get()?.n),
    sizes: async () => ({
      file: await megabytes(inFolder('soak.db')),
      log: await megabytes(inFolder('soak.db-wal')),
    }),
    async [Symbol.asyncDispose]() {
      commands[Symbol.dispose]()
      reading.close()
      await rm(folder, { recursive: true })
    },
  }
}

async function megabytes(path: string): Promise<number> {
  return (await stat(path).catch(() => ({ size: 0 }))).size / 2 ** 20
}
