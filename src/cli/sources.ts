/** What `--from` and `--ingest` name: kinds of sources and their addresses, parsed before anything is opened. */
import { createFirehoseSource } from '../ingest/sources/firehose.ts'
import type { NetworkReaderOptions } from '../ingest/sources/change-reader.ts'
import type { Hosts } from '../ingest/sources/hosts.ts'
import type { Identity, IdentityOptions } from '../ingest/sources/identity.ts'
import { createImportSource } from '../ingest/sources/import.ts'
import { createJetstreamSource } from '../ingest/sources/jetstream.ts'
import { createRepoExportSource, parseTarget } from '../ingest/sources/repo-export.ts'
import { createTapSource } from '../ingest/sources/tap.ts'
import type { Source } from '../ingest/source.ts'
import { nearest } from '../util/nearest.ts'
import { CommandError } from './command.ts'
import { findInputs } from './inputs.ts'
import { parseList } from './network.ts'

const kinds = ['firehose', 'jetstream', 'tap', 'repo-export', 'import'] as const
type Kind = (typeof kinds)[number]

export interface SourceName {
  readonly kind: Kind
  /** A URL, or for repositories and files what their commands take. */
  readonly address: string
}

/** `kind:address` with commas between several. */
export function parseSources(text: string): readonly SourceName[] {
  return parseList(text).map(parseSource)
}

function parseSource(text: string): SourceName {
  const [, kind = '', address = ''] = /^([^:]*):?(.*)$/s.exec(text) ?? []
  if (!isKind(kind)) {
    const guess = nearest(kind, kinds)
    const hint = guess === null ? `Write one of ${kinds.join(', ')}` : `Did you mean ${guess}?`
    throw new CommandError(
      `There is no source ${JSON.stringify(kind)}. ${hint}${guess === null ? ', a colon and an address.' : ''}`,
    )
  }
  if (address === '')
    throw new CommandError(`The source ${kind} needs an address: ${kind}:${examples[kind]}.`)
  if (kind === 'firehose' || kind === 'jetstream' || kind === 'tap') assertUrl(kind, address)
  return { kind, address }
}

function isKind(text: string): text is Kind {
  return (kinds as readonly string[]).includes(text)
}

const examples: Readonly<Record<Kind, string>> = {
  firehose: 'wss://bsky.network',
  jetstream: 'wss://jetstream2.us-east.bsky.network',
  tap: 'http://localhost:2480',
  'repo-export': 'did:plc:…',
  import: 'records.jsonl',
}

function assertUrl(kind: Kind, address: string): void {
  const { protocol } = URL.parse(address) ?? {}
  if (protocol === undefined || !['ws:', 'wss:', 'http:', 'https:'].includes(protocol))
    throw new CommandError(`${address} is no URL of a server; write for example ${kind}:${examples[kind]}.`)
}

export interface SourceOptions {
  readonly reader: NetworkReaderOptions
  readonly identity: Identity
  /** For threads, which know accounts by themselves. */
  readonly identityOptions: IdentityOptions
  readonly hosts: Hosts
  readonly threads: number
}

export async function createSource(
  { kind, address }: SourceName,
  { reader, identity, identityOptions, hosts, threads }: SourceOptions,
): Promise<Source> {
  const name = `${kind}:${withoutPassword(address)}`
  switch (kind) {
    case 'firehose':
      return createFirehoseSource({ name, url: address, reader, identity: identityOptions, threads })
    case 'jetstream':
      return createJetstreamSource({ name, url: address, reader, threads })
    case 'tap':
      return createTapSource({ name, url: address, reader, threads })
    case 'repo-export':
      return createRepoExportSource({ name, target: parseTarget(address), reader, identity, hosts })
    case 'import':
      return createImportSource(name, await findInputs([address]), { ...reader, workers: threads })
  }
}

/** Names are shown to everybody who asks for the state of the index. */
function withoutPassword(address: string): string {
  return address.replace(/\/\/[^/@]*@/, '//')
}
