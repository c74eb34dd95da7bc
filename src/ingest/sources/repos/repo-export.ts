/** Lists the repositories of a target, for `backfill.ts` or as requests of a source, and reads verified CAR files. */
import { UsageError } from '../../../errors.ts'
import { createReadStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isValidDid, isValidHandle } from '@atproto/syntax'
import type { Change } from '../../../database/changes.ts'
import { retryDelay } from '../../retries.ts'
import type { Source } from '../../source.ts'
import type { NetworkReaderOptions } from '../change-reader.ts'
import type { Clock } from '../clock.ts'
import { Fault } from './fault.ts'
import type { AccountPage, Hosts } from './hosts.ts'
import { gather } from '../../../util/async/gather.ts'
import type { Identity } from './identity.ts'
import { InputError } from '../files/lines.ts'
import { damaged, RepoError } from './repo-blocks.ts'
import { maxCarBytes } from './repo-reader.ts'
import type { RepoAnswer, RepoQuestion } from './repo-worker.ts'
import { siblingModule } from '../../../util/sibling-module.ts'
import { openThreads, type Threads } from '../threads.ts'
import { grouped } from '../../../util/text/counted.ts'

/** Names the repositories to fetch: `name` is a DID, a handle, the URL of a host or relay, or the path of a CAR file. */
export type Target = ListedTarget | { readonly kind: 'file'; readonly name: string }

interface ListedTarget {
  readonly kind: 'account' | 'handle' | 'host'
  readonly name: string
}

/** Throws a `UsageError`. */
export function parseTarget(text: string): Target {
  if (isValidDid(text)) return { kind: 'account', name: text }
  if (/^https?:/i.test(text)) {
    const url = URL.parse(text)
    if (url !== null) return { kind: 'host', name: url.origin }
  } else if (text.includes('/') || text.endsWith('.car')) return { kind: 'file', name: text }
  else if (isValidHandle(text)) return { kind: 'handle', name: text }
  const forms = 'a DID, a handle, the URL of a host as https://example.com, or the path of a CAR file'
  throw new UsageError(`${JSON.stringify(text)} names no repositories; write ${forms}.`)
}

/** Accounts of a target, and the cursor to resume from; null after the last page. */
export type TargetPage = Pick<AccountPage, 'dids' | 'cursor'>

export interface ListOptions {
  readonly identity: Identity
  readonly hosts: Hosts
  readonly reader: NetworkReaderOptions
  /** Consecutive failures after which even a temporary failure is thrown. */
  readonly attempts: number
  readonly onFailure: (message: string) => void
  readonly onNotice: (text: string) => void
  readonly signal: AbortSignal
}

/** Throws a `Fault`, an `InputError`, or the signal's reason. */
export async function* listTarget(
  target: ListedTarget,
  from: string | null,
  options: ListOptions,
): AsyncGenerator<TargetPage> {
  const { attempts, onFailure, onNotice, reader, signal } = options
  const inactive = new Map<string, number>()
  let cursor = from
  for (let failures = 0; ; ) {
    const page = await readPage(target, cursor, options).catch((error: unknown) => {
      if (signal.aborted || !(error instanceof Fault) || !error.shouldRetry() || ++failures === attempts)
        throw error
      onFailure(error.message)
      return null
    })
    if (page === null) {
      await sleep(retryDelay(1_000, failures), undefined, { signal })
      continue
    }
    failures = 0
    if (page.notice !== null) onNotice(page.notice)
    for (const status of page.inactive) inactive.set(status, (inactive.get(status) ?? 0) + 1)
    yield { cursor: page.cursor, dids: page.dids.filter((did) => reader.publishers?.has(did) ?? true) }
    if (page.cursor === null) break
    cursor = page.cursor
  }
  const counts = [...inactive].map(([status, count]) => `${count} ${status}`)
  if (target.kind === 'host' && counts.length > 0)
    onNotice(`Accounts of ${target.name} that are not active are left out: ${counts.join(', ')}.`)
}

async function readPage(
  { kind, name }: ListedTarget,
  cursor: string | null,
  { identity, hosts, reader, signal }: ListOptions,
): Promise<AccountPage> {
  if (kind === 'host') {
    const collections = reader.tables.map(({ collection }) => collection.nsid)
    return hosts.listAccounts(name, collections, cursor, signal)
  }
  const did = kind === 'handle' ? await identity.resolveHandle(name) : name
  if (did === null) throw new InputError(`The handle ${name} belongs to no account.`)
  return { dids: [did], inactive: [], notice: null, cursor: null }
}

export type RepoThread = Threads<RepoQuestion, RepoAnswer>

export function openRepoThread(reader: NetworkReaderOptions): RepoThread {
  return openThreads(siblingModule(import.meta.url, 'repo-worker'), 1, reader)
}

export interface ReadOptions extends Pick<ListOptions, 'identity' | 'signal'> {
  /** The expected account; null accepts any account. */
  readonly did: string | null
  /** The source of refused records. */
  readonly source: string
  readonly clock: Clock
}

/** Yields the wanted records lazily, after verifying all. Transfers `car` to the thread. Throws a `Fault`. */
export async function* readRepo(
  thread: RepoThread,
  car: Uint8Array<ArrayBuffer>,
  { did: expected, source, identity, clock, signal }: ReadOptions,
): AsyncGenerator<readonly Change[]> {
  let name = expected ?? source
  const refusal = (why: string, passing = false): RepoError =>
    new RepoError(`The repository of ${name} is refused. ${why}`, { passing })
  const ask = async <Kind extends RepoQuestion['kind']>(
    question: Extract<RepoQuestion, { kind: Kind }>,
    transfer?: readonly ArrayBuffer[],
  ): Promise<Extract<RepoAnswer, { kind: Kind }>> => {
    const answer = await thread.read(question, transfer).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw damaged(`The thread that read the repository of ${name} failed: ${why}.`, { cause })
    })
    if (answer.kind === 'refused') throw refusal(answer.message, answer.passing)
    return answer as Extract<RepoAnswer, { kind: Kind }>
  }
  const isSigned = async (fresh: boolean): Promise<boolean> => {
    const { signingKey } = await identity.account(did, { fresh })
    return signingKey !== null && (await ask({ kind: 'isSigned', signingKey })).signed
  }

  const { did, future } = await ask({ kind: 'open', car, source }, [car.buffer])
  if (expected !== null && did !== expected) throw refusal(`It is that of ${did}.`)
  name = did
  // A cached key may have been replaced.
  if (!(await isSigned(false)) && !(await isSigned(true)))
    throw refusal("Its commit is not signed with the account's key.")
  const doubt = await clock.doubt(null, signal, future !== null)
  if (doubt !== null) throw refusal(doubt, true)
  if (future !== null) throw refusal(future.message, future.passing)
  for (;;) {
    const { changes } = await ask({ kind: 'next' })
    if (changes === null) return
    yield changes
  }
}

/** Throws an `InputError`. */
export async function loadCar(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const car = await gather(createReadStream(path, { highWaterMark: 1024 * 1024 }), maxCarBytes).catch(
    (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'ENOENT' ? 'there is no such file' : cause.message
      throw new InputError(`${path} cannot be read: ${why}.`, { cause })
    },
  )
  if (car !== null) return car
  throw new InputError(`${path} has more than ${grouped(maxCarBytes)} bytes, which is the limit.`)
}

interface RepoExportOptions extends Pick<ListOptions, 'reader' | 'identity' | 'hosts'> {
  readonly name: string
  readonly target: Target
  readonly clock: Clock
}

/** Delivers the accounts of a target as requests, which then wait in the job queue, or the records in a CAR file. */
export function createRepoExportSource(given: RepoExportOptions): Source {
  const { name, target, reader, identity, clock, hosts } = given
  return {
    name,
    async *deliveries({ cursor, onState, onNotice, signal }) {
      onState('connecting', null)
      try {
        if (target.kind === 'file') {
          const car = await loadCar(target.name)
          await using thread = openRepoThread(reader)
          onState('live', null)
          const options = { did: null, source: target.name, identity, clock, signal }
          for await (const changes of readRepo(thread, car, options)) {
            if (signal.aborted) return
            yield { changes, cursor: null, eventAt: null, events: changes.length }
          }
          return
        }
        const onFailure = (message: string): void => onState('unavailable', message)
        const options = { identity, hosts, reader, attempts: Infinity, onFailure, onNotice, signal }
        const request = { kind: 'repo-request', reason: `${name} has it.` } as const
        for await (const page of listTarget(target, cursor(), options)) {
          onState('live', null)
          const changes = page.dids.map((did) => ({ ...request, did }))
          // The last page has no cursor, so that the next run lists it again with accounts that were added.
          yield { changes, cursor: page.cursor, eventAt: null, events: changes.length }
        }
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof Fault)) throw error
        onState('unavailable', error.message)
      }
    },
  }
}
