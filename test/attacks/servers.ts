/** What is attacked: the program as a process over a database with the demo corpus and keys in it. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildDemoCorpus } from '../../demo/corpus.ts'
import type { DemoRecord } from '../../demo/record.ts'
import { type Service, startService } from '../network/service.ts'
import { childrenOf, openFiles } from '../support/processes.ts'
import { openCommands } from '../support/server/commands.ts'
import type { Engine } from '../support/store/postgres.ts'
import { until } from '../support/until.ts'
import type { Given } from './attack.ts'
import { createKeys, readGiven } from './given.ts'
import { openStores } from './stores.ts'

export interface AttackedServers extends AsyncDisposable {
  readonly given: Given
  /** The server of that name, which is started when it is first asked for. */
  readonly target: (server: ServerName) => Promise<Target>
  readonly started: () => Promise<readonly Started[]>
}

export interface Target extends Service {
  readonly engine: Engine
  readonly port: number
  /** Articles in its database. */
  readonly articles: number
  readonly isUp: () => boolean
  /** Whether a server of databases works on something that was asked. */
  readonly isStoreBusy: () => Promise<boolean>
}

export interface Started {
  readonly target: Target
  /** Files and connections that were open at the beginning. */
  readonly files: number
}

/** Points in a minute without a key where they are soon spent. */
export const scarcePoints = 120
/** Connections that the narrow server takes. */
export const fewConnections = 20

/** Long enough for a machine that does other things too. */
const seconds = 120
const roomy = { pointsPerMinute: null, pointsPerQuery: 1_000, pageSize: 100, seconds, concurrent: 4 }
const research = { pointsPerMinute: null, seconds }
const tiers = {
  /** Limits that no attack reaches by chance. */
  roomy: { public: roomy, research },
  /** The limits that everybody has, but for the time. */
  usual: { public: { seconds }, research },
  scarce: { public: { pointsPerMinute: scarcePoints, pointsPerQuery: scarcePoints, seconds }, research },
  /** Points are counted, and hardly ever spent. */
  counted: { public: { ...roomy, pointsPerMinute: 1_000_000_000 }, research },
}

const proxied = ['--trusted-proxies', '127.0.0.1']
const one = ['--workers', '1']
const two = ['--workers', '2']

/** All but the strict one believe what 127.0.0.1 says of callers' addresses, so that each caller may have its own. */
const serverOptions = {
  roomy: ['roomy', ...one, ...proxied, '--mcp', '--max-connections', '4000'],
  strict: ['usual', ...one],
  proxied: ['usual', ...one, ...proxied],
  scarce: ['scarce', ...one, ...proxied, '--mcp'],
  counted: ['counted', ...one, '--mcp', '--max-connections', '4000'],
  /** Over the crowded database. */
  workers: ['roomy', ...two, ...proxied],
  /** With few connections, shared out among two processes. */
  narrow: ['usual', ...two, ...proxied, '--max-connections', String(fewConnections)],
} satisfies Record<string, readonly [tiers: keyof typeof tiers, ...options: string[]]>

export type ServerName = keyof typeof serverOptions

const demoArticles = 660
/** How often the crowded database has each article. */
const copies = 4

export async function openServers(engine: Engine = 'sqlite'): Promise<AttackedServers> {
  const folder = await mkdtemp(join(tmpdir(), 'lexigraph-attacks-'))
  const stores = await openStores(engine, folder)
  using commands = openCommands()
  const run = async (url: string, ...args: readonly string[]): Promise<string> => {
    const { stdout, stderr, status } = await commands.run([...args, '--database', url])
    assert.equal(status, 0, stderr)
    return stdout
  }
  const database = await stores.create()
  await run(database, 'import', '/dev/null')
  const keys = await createKeys((...args) => run(database, 'keys', ...args, '--json'))
  const keysAlone = await stores.copy(database)
  const corpus = [...buildDemoCorpus()]
  await run(database, 'import', await writeRecords(folder, 'records.jsonl', corpus))
  for (const [name, limits] of Object.entries(tiers))
    await writeFile(join(folder, `${name}.json`), JSON.stringify(limits))
  const crowd = async (): Promise<string> => {
    using others = openCommands()
    const file = await writeRecords(folder, 'crowd.jsonl', corpus.flatMap(copiesOf))
    const { status, stderr } = await others.run(['import', file, '--database', keysAlone])
    assert.equal(status, 0, stderr)
    return keysAlone
  }
  const start = async (server: ServerName): Promise<Started> => {
    const [limits, ...options] = serverOptions[server]
    const isCrowded = server === 'workers'
    const url = await stores.forServer(isCrowded ? await crowd() : database)
    const service = await startService(['serve', '--database', url, ...options], {
      env: { LEXIGRAPH_TIERS: join(folder, `${limits}.json`) },
    })
    let isUp = true
    service.ended.then(() => (isUp = false))
    const articles = isCrowded ? demoArticles * copies : demoArticles
    const port = Number(new URL(service.url).port)
    const target = { ...service, engine, port, articles, isUp: () => isUp, isStoreBusy: stores.areBusy }
    // The process that reads for long comes a moment later, and is spoken to by files too.
    if (engine === 'sqlite') await until(() => childrenOf(service.pid).length > 0)
    return { target, files: openFiles(service.pid).length }
  }
  const servers = new Map<ServerName, Promise<Started>>()
  const target = async (server: ServerName): Promise<Target> => {
    const started = servers.get(server) ?? start(server)
    servers.set(server, started)
    return (await started).target
  }
  const started = () => Promise.all(servers.values())
  return {
    given: { ...keys, ...(await readGiven((await target('roomy')).query)) },
    target,
    started,
    async [Symbol.asyncDispose]() {
      for (const server of await Promise.allSettled(servers.values()))
        if (server.status === 'fulfilled') await server.value.target[Symbol.asyncDispose]()
      await stores[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}

async function writeRecords(folder: string, name: string, records: readonly DemoRecord[]): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return file
}

/** An article under keys that begin like its own; other records as they are. */
function copiesOf(record: DemoRecord): readonly DemoRecord[] {
  if (!record.uri.includes('/tech.service.news.article/')) return [record]
  return Array.from({ length: copies }, (_, copy) => ({
    ...record,
    uri: `${record.uri.slice(0, -2)}${(copy + 11).toString(32).slice(-1)}${record.uri.slice(-1)}`,
  }))
}
