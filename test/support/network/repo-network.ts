/** A host of repositories and a directory on ports of this machine, a database, and the fetching between them. */
import { findDamage } from '../../../src/database/verify/find-damage.ts'
import { type FetchOptions, fetchRepositories } from '../../../src/ingest/backfill.ts'
import { createClock } from '../../../src/ingest/sources/clock.ts'
import { createHosts } from '../../../src/ingest/sources/repos/hosts.ts'
import { createIdentity } from '../../../src/ingest/sources/repos/identity.ts'
import { parseTarget } from '../../../src/ingest/sources/repos/repo-export.ts'
import { startDirectory } from './directory.ts'
import { collections, libraryLexicons } from '../records/lexicons.ts'
import { startRepoHost } from './repo-host.ts'
import { createSignedRepo, type SignedRepo, type Write } from './signed-repo.ts'
import { citusUrl } from '../clusters/citus.ts'
import { emptyDatabases, openTestStore } from '../store/store.ts'
import { understand } from '../records/understand.ts'
import { patience } from '../until.ts'
import { liftTimeLimits } from './time-limits.ts'

const { book } = collections
export const { set: lexicons, tables } = understand(libraryLexicons, {})
const newUrl = emptyDatabases()

type Given = Partial<Omit<FetchOptions, 'kind' | 'targets'>> & {
  readonly kind?: FetchOptions['kind']
  readonly targets: readonly string[]
}

export type RepoNetwork = Awaited<ReturnType<typeof openRepoNetwork>>

/** In a file, or on the cluster that tests have. */
export async function openRepoNetwork({ path }: { readonly path?: string } = {}) {
  const host = await startRepoHost()
  const directory = await startDirectory()
  // A minute passes in less than a tenth of a second, so that nothing waits long for another attempt.
  const [start, before] = [Date.now(), performance.now()]
  const clock = (): number => start + (performance.now() - before) * 1_000
  const now = (): bigint => BigInt(Math.round(clock())) * 1_000n
  const store = await openTestStore({
    path: path ?? (await newUrl(citusUrl === undefined ? 'sqlite' : 'postgres')),
    lexicons: libraryLexicons,
    now,
  })
  const limits = liftTimeLimits()
  const identityOptions = { plcUrl: directory.url, handleResolver: host.url, timeoutMs: patience }
  const identity = createIdentity(identityOptions, { now: clock })
  const repos = new Map<string, SignedRepo>()
  /** The directory has the account with the key of the repository. */
  const publishAs = ({ did, keypair }: SignedRepo): void =>
    directory.add({ did, key: keypair.did(), pds: host.url })
  /** The host has the repository as it is now. */
  const publish = async (repo: SignedRepo): Promise<void> => {
    repos.set(repo.did, repo)
    host.repos.set(repo.did, await repo.car())
  }
  const options = ({ targets, ...given }: Given): FetchOptions => ({
    kind: 'backfill',
    until: 'idle',
    // Each takes a thread, which costs more than what most tests do in it.
    parallel: 1,
    reader: { lexicons, tables, publishers: null },
    identity,
    clock: createClock({ maxClockSkew: 300, plcUrl: directory.url }),
    hosts: createHosts(identity.fetch),
    now,
    signal: new AbortController().signal,
    onNotice: () => {},
    findDamage: () => findDamage(store.database.read, tables),
    ...given,
    targets: targets.map(parseTarget),
  })
  return {
    host,
    directory,
    store,
    /** An account of the host with so many books; its DID is the letter again and again. */
    add: async (letter: string, books: number) => {
      const repo = await createSignedRepo(`did:plc:${letter.repeat(24)}`)
      const writes = Array.from({ length: books }, (_, index) => put(`${letter}${index}`, `Book ${index}`))
      if (books > 0) await repo.write(...writes)
      publishAs(repo)
      await publish(repo)
      return repo
    },
    publish,
    publishAs,
    options,
    fetch: (given: Given) => fetchRepositories(store.database.write, options(given)),
    /** Titles by URI. */
    stored: async (): Promise<ReadonlyMap<string, string>> => {
      const rows = await store.rows(
        `select base.uri || t.rkey as uri, t.record ->> 'title' as title from "${book}" t join base on base.id = t.base order by uri`,
      )
      return new Map(rows.map(({ uri, title }) => [String(uri), String(title)]))
    },
    published: async (): Promise<ReadonlyMap<string, string>> => {
      const all = await Promise.all([...repos.values()].map((repo) => repo.records()))
      return new Map(
        all
          .flatMap((records) => [...records].map(([uri, record]) => [uri, String(record.title)] as const))
          .toSorted(),
      )
    },
    statuses: async () =>
      (await store.rows('select did, status from actor order by did')).map(({ did, status }) => [
        String(did),
        status,
      ]),
    leftOver: () => store.database.write.metadata.countJobs('backfill'),
    [Symbol.asyncDispose]: async () => {
      limits[Symbol.dispose]()
      await store[Symbol.asyncDispose]()
      await host[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}

export function put(rkey: string, title: string, action: 'create' | 'update' = 'create'): Write {
  return { action, collection: book, rkey, record: { $type: book, title } }
}

export function remove(rkey: string): Write {
  return { action: 'delete', collection: book, rkey }
}
