/** What `--from` and `--ingest` name: kinds of sources and their addresses, parsed before anything is opened. */
import { createFirehoseSource } from '../ingest/sources/firehose.ts'
import type { NetworkReaderOptions } from '../ingest/sources/change-reader.ts'
import type { Hosts } from '../ingest/sources/hosts.ts'
import type { Identity, IdentityOptions } from '../ingest/sources/identity.ts'
import { createImportSource } from '../ingest/sources/import.ts'
import { createJetstreamSource } from '../ingest/sources/jetstream.ts'
import type { LineInput } from '../ingest/sources/lines.ts'
import { createRepoExportSource, parseTarget, type Target } from '../ingest/sources/repo-export.ts'
import { createTapSource } from '../ingest/sources/tap.ts'
import type { Source } from '../ingest/source.ts'
import { nearest } from '../util/nearest.ts'
import { CommandError } from './command.ts'
import { findInputs } from './inputs.ts'
import { parseList } from './network.ts'

const kinds = ['firehose', 'jetstream', 'tap', 'repo-export', 'import'] as const
type Kind = (typeof kinds)[number]

/** A source that can be opened, as far as that can be told beforehand. */
type ParsedSource = { readonly name: string } & (
  | { readonly kind: Exclude<Kind, 'repo-export' | 'import'>; readonly url: string }
  | { readonly kind: 'repo-export'; readonly target: Target }
  | { readonly kind: 'import'; readonly inputs: readonly LineInput[] }
)

/** `kind:address` with commas between several. Throws a `CommandError` or an `InputError`. */
export function parseSources(text: string): Promise<readonly ParsedSource[]> {
  return Promise.all(parseList(text).map(parseSource))
}

async function parseSource(text: string): Promise<ParsedSource> {
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
  switch (kind) {
    case 'firehose':
    case 'jetstream':
    case 'tap':
      assertUrl(kind, address)
      return { kind, name: `${kind}:${withoutPassword(address)}`, url: address }
    case 'repo-export': {
      const shown = withoutPassword(address)
      return { kind, name: `${kind}:${shown}`, target: parseTarget(shown) }
    }
    case 'import':
      return { kind, name: `${kind}:${address}`, inputs: await findInputs([address]) }
  }
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

/** What is no URL is not repeated, since nobody can tell where in it a password is. */
function assertUrl(kind: Kind, address: string): void {
  const { protocol } = URL.parse(address) ?? {}
  if (protocol === undefined || !['ws:', 'wss:', 'http:', 'https:'].includes(protocol))
    throw new CommandError(
      `The address of ${kind} is no URL of a server; write for example ${kind}:${examples[kind]}.`,
    )
}

/** Names are shown to everybody who asks for the state of the index; a password may be written in many ways. */
function withoutPassword(address: string): string {
  const url = URL.parse(address)
  if (url === null) return address.replace(/^([a-z]+:).*@/is, '$1//…@')
  // Cursors are kept under names, which therefore stay as they were written.
  if (url.username === '' && url.password === '') return address
  url.username = ''
  url.password = ''
  return address.endsWith('/') ? url.href : url.href.replace(/\/$/, '')
}

interface SourceOptions {
  readonly reader: NetworkReaderOptions
  readonly identity: Identity
  /** For threads, which know accounts by themselves. */
  readonly identityOptions: IdentityOptions
  readonly hosts: Hosts
  readonly threads: number
}

export function createSource(
  source: ParsedSource,
  { reader, identity, identityOptions, hosts, threads }: SourceOptions,
): Source {
  const { name } = source
  switch (source.kind) {
    case 'firehose':
      return createFirehoseSource({ name, url: source.url, reader, identity: identityOptions, threads })
    case 'jetstream':
      return createJetstreamSource({ name, url: source.url, reader, threads })
    case 'tap':
      return createTapSource({ name, url: source.url, reader, threads })
    case 'repo-export':
      return createRepoExportSource({ name, target: source.target, reader, identity, hosts })
    case 'import':
      return createImportSource(name, source.inputs, { ...reader, workers: threads })
  }
}
