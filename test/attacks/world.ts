/** What is attacked: the program as a process over a database with the demo corpus and keys in it. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildDemoCorpus } from '../../demo/corpus.ts'
import type { DemoRecord } from '../../demo/record.ts'
import { runProgram, type Service, startService } from '../network/service.ts'
import { childrenOf, openFiles } from '../support/processes.ts'
import type { Engine } from '../support/store/postgres.ts'
import { until } from '../support/until.ts'
import type { Given } from './attack.ts'
import { openStores } from './stores.ts'

export interface World extends AsyncDisposable {
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

/** Stands for the file of tiers with limits that no attack comes to by chance. */
const roomyTiers = '{roomy tiers}'
/** Stands for the file of tiers with which a minute's points are soon spent. */
const scarceTiers = '{scarce tiers}'
/** Stands for the file of tiers with which points are counted and hardly ever spent. */
const countedTiers = '{counted tiers}'
/** Points that everybody has in a minute with the scarce ones. */
export const scarcePoints = 120
/** Connections that the narrow server takes. */
export const fewConnections = 20
const alone = ['--workers', '1']

export const serverOptions = {
  roomy: [...alone, '--tiers', roomyTiers, '--max-connections', '4000'],
  /** With the limits that everybody has. */
  strict: alone,
  /** The same behind a proxy, so that callers have addresses of their own. */
  proxied: [...alone, '--trusted-proxies', '127.0.0.1'],
  /** The same with few points. */
  scarce: [...alone, '--mcp', '--trusted-proxies', '127.0.0.1', '--tiers', scarceTiers],
  /** With agents, and with points that last. */
  counted: [...alone, '--mcp', '--tiers', countedTiers, '--max-connections', '4000'],
  /** With agents, whose messages cost nothing here. */
  agents: [...alone, '--mcp', '--trusted-proxies', '127.0.0.1', '--tiers', roomyTiers],
  /** Over the crowded database. */
  workers: ['--workers', '2', '--tiers', roomyTiers, '--trusted-proxies', '127.0.0.1'],
  /** With few connections, shared out among two processes. */
  narrow: ['--workers', '2', '--max-connections', String(fewConnections), '--trusted-proxies', '127.0.0.1'],
} satisfies Record<string, readonly string[]>

export type ServerName = keyof typeof serverOptions

const demoArticles = 660
/** How often the crowded database has each article. */
const copies = 4

export async function openWorld(engine: Engine = 'sqlite'): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'lexigraph-attacks-'))
  const stores = await openStores(engine, folder)
  const database = await stores.create()
  const run = async (url: string, ...args: readonly string[]): Promise<string> => {
    const { stdout, stderr, status } = await runProgram([...args, '--database', url])
    assert.equal(status, 0, stderr)
    return stdout
  }
  const keys = await createKeys((...args) => run(database, 'keys', ...args, '--json'))
  const keysAlone = await stores.copy(database)
  const corpus = [...buildDemoCorpus()]
  await run(database, 'import', await writeRecords(folder, 'records.jsonl', corpus))
  let crowding: Promise<string> | undefined
  const fillCrowded = async (): Promise<string> => {
    await run(keysAlone, 'import', await writeRecords(folder, 'crowd.jsonl', corpus.flatMap(copiesOf)))
    return keysAlone
  }
  const tiers: Readonly<Record<string, string>> = {
    [roomyTiers]: join(folder, 'roomy.json'),
    [scarceTiers]: join(folder, 'scarce.json'),
    [countedTiers]: join(folder, 'counted.json'),
  }
  await writeFile(
    join(folder, 'roomy.json'),
    JSON.stringify({ public: roomy, research: { pointsPerMinute: null } }),
  )
  await writeFile(
    join(folder, 'scarce.json'),
    JSON.stringify({ public: { pointsPerMinute: scarcePoints, pointsPerQuery: scarcePoints } }),
  )
  await writeFile(
    join(folder, 'counted.json'),
    JSON.stringify({ public: { ...roomy, pointsPerMinute: 1_000_000_000 } }),
  )
  const start = async (server: ServerName): Promise<Started> => {
    const options = serverOptions[server].map((option) => tiers[option] ?? option)
    const isCrowded = server === 'workers'
    const url = await stores.forServer(isCrowded ? await (crowding ??= fillCrowded()) : database)
    const service = await startService(['serve', '--database', url, ...options], {
      env: { LEXIGRAPH_TIERS: '' },
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
    given: { ...keys, ...(await readGiven(await target('roomy'))) },
    target,
    started,
    async [Symbol.asyncDispose]() {
      for (const one of await Promise.allSettled(servers.values()))
        if (one.status === 'fulfilled') await one.value.target[Symbol.asyncDispose]()
      await stores[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}

const roomy = { pointsPerMinute: null, pointsPerQuery: 1_000, pageSize: 100, seconds: 5, concurrent: 4 }

async function createKeys(
  run: (...args: readonly string[]) => Promise<string>,
): Promise<Pick<Given, 'goodKey' | 'revokedKey' | 'endedKey'>> {
  const made = async (...args: readonly string[]): Promise<{ id: string; key: string }> =>
    JSON.parse(await run(...args))
  const create = (name: string) => made('create', '--name', name, '--tier', 'research')
  const ended = await create('good')
  const good = await made('rotate', ended.id, '--grace', '0')
  const revoked = await create('revoked')
  await run('revoke', revoked.id)
  return { goodKey: good.key, revokedKey: revoked.key, endedKey: ended.key }
}

async function readGiven({ query }: Service): Promise<Pick<Given, 'cursor' | 'otherCursor' | 'uri'>> {
  const newest = 'first: 2, sortBy: [{field: publishedAt, direction: DESC}]'
  const data = await query(`{
    articles: techServiceNewsArticle(${newest}) { nodes { uri } pageInfo { endCursor } }
    sources: techServiceNewsSource(first: 2) { pageInfo { endCursor } }
  }`)
  return {
    cursor: data.articles.pageInfo.endCursor,
    otherCursor: data.sources.pageInfo.endCursor,
    uri: data.articles.nodes[0].uri,
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
