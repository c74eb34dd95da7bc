/** The program over a network of the tests, and what its index holds compared with what repositories hold. */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { fileURLToPath } from 'node:url'
import { parseConfig } from '../../src/cli/settings/config.ts'
import { type ProjectContext, loadProject, openExistingStore } from '../../src/cli/store/project.ts'
import { exportLines } from '../../src/cli/commands/records/export.ts'
import type { Json } from '../reference/shapes.ts'
import { generousTiers } from '../support/server/tiers.ts'
import { until } from '../support/until.ts'
import type { Network } from './network.ts'
import { type Program, startProgram, startService } from './service.ts'

/** Settings of a program that lives in the network: its database, and whom it asks for identities. */
export function settingsIn(
  { plcUrl, pdsUrl }: Pick<Network, 'plcUrl' | 'pdsUrl'>,
  database: string,
  more: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  return {
    LEXIGRAPH_DATABASE: database,
    LEXIGRAPH_PLC: plcUrl,
    LEXIGRAPH_HANDLE_RESOLVER: pdsUrl,
    // A test that waits for an answer to change asks more often than callers may.
    LEXIGRAPH_TIERS: generousTiers,
    ...more,
  }
}

/** Resolves when its sources are live. */
export async function startIngest(from: string, env: Readonly<Record<string, string>>): Promise<Program> {
  const ingest = startProgram(['ingest', '--from', from], { env })
  await ingest.said(/ is live\./)
  return ingest
}

/** A process that follows sources and one that answers, started at once over a new database or an old one; both ready. */
export async function startFollowing(from: string, env: Readonly<Record<string, string>>) {
  await using programs = new AsyncDisposableStack()
  // Settled, so that one that has started is ended when the other fails.
  const [ingest, service] = await Promise.allSettled([
    startIngest(from, env).then((program) => programs.use(program)),
    startService(['serve'], { env }).then((program) => programs.use(program)),
  ])
  if (ingest.status === 'rejected') throw ingest.reason
  if (service.status === 'rejected') throw service.reason
  // For other lexicons the index is rebuilt, of which the service hears later than the one who follows.
  await until(async () => (await fetch(`${service.value.url}/readyz`)).ok)
  const running = programs.move()
  return {
    ingest: ingest.value,
    service: service.value,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Looks until it finds what is expected; when that does not come, shows in what the last look differs. */
export async function eventually<Found>(look: () => Promise<Found>, expected: Found): Promise<void> {
  let last: { readonly found: Found } | null = null
  const lookAgain = async (): Promise<boolean> => {
    last = null
    last = { found: await look() }
    return isDeepStrictEqual(last.found, expected)
  }
  await until(lookAgain).catch((error: unknown) => {
    if (last !== null) assert.deepEqual(last.found, expected)
    throw error
  })
}

/** The same of something that must be as it was until it is as expected, and nothing in between. */
export async function atOnce<Found>(look: () => Promise<Found>, before: Found, after: Found): Promise<void> {
  const lookClosely = async (): Promise<Found> => {
    const found = await look()
    if (!isDeepStrictEqual(found, before)) assert.deepEqual(found, after)
    return found
  }
  await eventually(lookClosely, after)
}

/** By URI. */
export type Records = ReadonlyMap<string, Pick<Stored, 'cid' | 'value'>>

export interface Stored {
  readonly cid: string
  readonly rev: string | undefined
  readonly indexedAt: string
  readonly value: Json
}

/** What is served, as `export` prints it, a line each; of the package's lexicons. */
export async function linesIn(database: string): Promise<readonly string[]> {
  const { config } = parseConfig('export', ['--database', database], {})
  project ??= loadProject(packageLexicons)
  const { tables } = await project
  await using store = await openExistingStore(config, await project)
  return await Array.fromAsync(exportLines(store, tables))
}

/** The same by URI. */
export async function storedIn(database: string): Promise<ReadonlyMap<string, Stored>> {
  const records = new Map<string, Stored>()
  for (const line of await linesIn(database)) {
    const { uri, ...stored } = JSON.parse(line)
    records.set(uri, stored)
  }
  return records
}

export const packageLexicons = fileURLToPath(new URL('../../lexicons', import.meta.url))
let project: Promise<ProjectContext> | null = null

/** Every record that is in one and not in the other, or is another; a line each. */
export function differences(expected: Records, found: Records): readonly string[] {
  const lines: string[] = []
  for (const uri of new Set([...expected.keys(), ...found.keys()])) {
    const [there, here] = [expected.get(uri), found.get(uri)]
    if (there === undefined) lines.push(`${uri} is indexed and not in the repository`)
    else if (here === undefined) lines.push(`${uri} is in the repository and not indexed`)
    else if (there.cid !== here.cid || !isDeepStrictEqual(there.value, here.value))
      lines.push(`${uri} is indexed as ${JSON.stringify(here)} and published as ${JSON.stringify(there)}`)
  }
  return lines
}
