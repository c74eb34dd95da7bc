/** Parses `--from` and `--ingest` into kinds of sources and their addresses, before anything is opened. */
import { isIP } from 'node:net'
import { UsageError } from '../../errors.ts'
import type { LineInput } from '../../ingest/sources/files/lines.ts'
import type { Target } from '../../ingest/sources/repos/repo-export.ts'
import { nearest } from '../../util/text/nearest.ts'
import { findInputs } from '../settings/inputs.ts'
import { parseList } from '../../util/text/list.ts'

const examples = {
  firehose: 'wss://bsky.network',
  jetstream: 'wss://jetstream2.us-east.bsky.network',
  tap: 'http://localhost:2480',
  'repo-export': 'did:plc:…',
  import: 'records.jsonl',
} as const
type Kind = keyof typeof examples
const kinds = Object.keys(examples) as readonly Kind[]

/** A source with a checked address; callers are shown its `publicName`. */
export type ParsedSource = { readonly publicName: string } & Address

type Address = { readonly name: string } & (
  | { readonly kind: Exclude<Kind, 'repo-export' | 'import'>; readonly url: string }
  | { readonly kind: 'repo-export'; readonly target: Target }
  | { readonly kind: 'import'; readonly inputs: readonly LineInput[] }
)

/** `kind:address` or `NAME=kind:address`, with commas. Throws a `UsageError` or, for a file, a `CommandError`. */
export function parseSources(text: string): Promise<readonly ParsedSource[]> {
  return Promise.all(parseList(text).map(parseSource))
}

async function parseSource(text: string): Promise<ParsedSource> {
  // A kind contains no "=", and an address follows the colon, so an "=" before the first colon ends a public name.
  const [, publicName, rest = ''] = /^(?:([^:=]*)=)?(.*)$/s.exec(text) ?? []
  const address = await parseAddress(rest)
  if (publicName === undefined)
    return { ...address, publicName: isPublic(address) ? address.name : address.kind }
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u.test(publicName))
    throw new UsageError(
      `Callers cannot be told ${JSON.stringify(publicName)} of a source. Write up to 64 letters, digits, spaces, ".", "-" and "_" before the "=".`,
    )
  return { ...address, publicName }
}

async function parseAddress(text: string): Promise<Address> {
  const [, given = '', address = ''] = /^([^:]*):?(.*)$/s.exec(text) ?? []
  const kind = kinds.find((each) => each === given)
  if (kind === undefined) {
    const guess = nearest(given, kinds)
    const hint =
      guess === null ? `Write one of ${kinds.join(', ')}, a colon and an address.` : `Did you mean ${guess}?`
    throw new UsageError(`There is no source ${JSON.stringify(given)}. ${hint}`)
  }
  if (address === '') throw new UsageError(`The source ${kind} needs an address: ${kind}:${examples[kind]}.`)
  switch (kind) {
    case 'firehose':
    case 'jetstream':
    case 'tap':
      assertUrl(kind, address)
      return { kind, name: `${kind}:${withoutPassword(address)}`, url: address }
    case 'repo-export': {
      // Loaded here, so that other sources do not load the repository reader.
      const { parseTarget } = await import('../../ingest/sources/repos/repo-export.ts')
      const shown = withoutPassword(address)
      return { kind, name: `${kind}:${shown}`, target: parseTarget(shown) }
    }
    case 'import':
      return { kind, name: `${kind}:${address}`, inputs: await findInputs([address]) }
  }
}

/** The public name must not reveal files or private addresses. */
function isPublic(address: Address): boolean {
  if (address.kind === 'import') return false
  if (address.kind !== 'repo-export') return isPublicHost(new URL(address.url).hostname)
  const { kind, name } = address.target
  return (
    kind === 'account' || (kind !== 'file' && isPublicHost(kind === 'host' ? new URL(name).hostname : name))
  )
}

/** Top-level names of private networks: RFC 6761, RFC 6762, RFC 8375, and others in common use. */
const localDomain = /\.(local|localhost|internal|intranet|lan|corp|home|home\.arpa|test)$/

function isPublicHost(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  // Only private networks have names without a dot, and an IP address may be private.
  return name.includes('.') && !localDomain.test(name) && isIP(name) === 0
}

/** The error does not quote an address that is not a URL, because it may contain a password anywhere. */
function assertUrl(kind: Kind, address: string): void {
  const { protocol } = URL.parse(address) ?? {}
  if (protocol === undefined || !['ws:', 'wss:', 'http:', 'https:'].includes(protocol))
    throw new UsageError(
      `The address of ${kind} is no URL of a server; write for example ${kind}:${examples[kind]}.`,
    )
}

/** Everyone who asks for the state of the index sees names; passwords may be written in many ways. */
function withoutPassword(address: string): string {
  const url = URL.parse(address)
  if (url === null) return address.replace(/^([a-z]+:).*@/is, '$1//…@')
  // Cursors are stored by name, so other names must not change.
  if (url.username === '' && url.password === '') return address
  url.username = ''
  url.password = ''
  return address.endsWith('/') ? url.href : url.href.replace(/\/$/, '')
}
