/** Replaces names of records in a filter by their URIs, and handles of accounts by their DIDs. */
import type { Collection } from '../schema/model/model.ts'
import { isObject } from '../util/is-object.ts'
import { AskError } from './ask-error.ts'
import { isOnly, strings } from './conditions.ts'

/** Finds what names mean. Each throws an AskError if that is not known. */
export interface NameLookup {
  /** The URI of the record with that name, domain, handle, key or address; of all that are called exactly so, if none is meant alone. */
  one(text: string, collection: Collection): Promise<readonly string[]>
  /** The URIs of all records whose name, domain or words match, at least one. */
  all(text: string, collection: Collection): Promise<readonly string[]>
  /** The DID of the account with that handle that has records in the collection. */
  account(handle: string, collection: Collection): Promise<string>
}

/** Operators of one value, and the operators of lists that say the same of several. */
const ofSeveral = new Map(Object.entries({ eq: 'in', ne: 'notIn', has: 'hasAny' }))

const takingNames = new Set(['eq', 'ne', 'in', 'notIn', 'has', 'hasAny', 'hasAll'])

/** As answers show records behind references to several collections. */
const labelWithUri = / \((at:\/\/[^\s()]+)\)$/

type Find = (name: string) => Promise<readonly string[]>

/** Names, record keys and addresses as URIs; `target` is the only collection that the reference leads to, or null. */
export function namesToUris(
  text: string,
  value: unknown,
  target: Collection | null,
  names: NameLookup,
): Promise<unknown> {
  const known = (): Collection => {
    if (target !== null) return target
    throw new AskError(
      `"${text}" takes a URI that begins with at://, because it may refer to any collection.`,
    )
  }
  const inside = isObject(value) ? Object.keys(value) : []
  const field = target?.type.fields.find(({ name }) => inside.includes(name))
  if (field !== undefined && !takingNames.has(field.name))
    throw new AskError(`"${text}" takes the name of a record: for its fields write "${text}.${field.name}".`)
  const unlessLabelled =
    (find: (name: string, target: Collection) => Promise<readonly string[]>): Find =>
    async (name) => {
      const [, uri] = (target === null && labelWithUri.exec(name)) || []
      return uri === undefined ? find(name, known()) : [uri]
    }
  return replaceNames(text, value, 'at://', unlessLabelled(names.one), unlessLabelled(names.all))
}

/** Handles of the accounts that have records in the collection as DIDs. */
export function handlesToDids(
  text: string,
  value: unknown,
  collection: Collection,
  names: NameLookup,
): Promise<unknown> {
  return replaceNames(text, value, 'did:', async (handle) => [await names.account(handle, collection)])
}

/** `scheme`: what identifiers begin with; `one` and `all` give those of a name. */
async function replaceNames(
  text: string,
  value: unknown,
  scheme: string,
  one: Find,
  all = one,
): Promise<unknown> {
  const list = async (values: readonly unknown[]) => (await Array.fromAsync(values, read)).flat()
  if (Array.isArray(value)) return list(value)
  if (!isObject(value) || isAll(value)) return read(value)
  if ('all' in value)
    throw new AskError(
      `"all" of "${text}" stands alone, as {"all": "name"}, or inside an operator, as {"ne": {"all": "name"}}.`,
    )
  const members = await Array.fromAsync(Object.entries(value), async ([written, inner]) => {
    const name = written === 'uri' ? 'eq' : written
    if (!takingNames.has(name)) return [name, inner] as const
    if (Array.isArray(inner)) return [name, await list(inner)] as const
    const found = await read(inner)
    return [Array.isArray(found) ? (ofSeveral.get(name) ?? name) : name, found] as const
  })
  return Object.fromEntries(members)

  /** The identifier of one name, or those of several that it or `{"all": …}` means; any other value itself. */
  async function read(given: unknown): Promise<unknown> {
    if (isAll(given)) {
      const wanted = strings(text, [given.all].flat())
      const found = await Array.fromAsync(wanted, async (name) => (isName(name) ? all(name) : [name]))
      return [...new Set(found.flat())]
    }
    if (!isName(given)) return given
    const found = await one(given)
    return found.length === 1 ? found[0] : found
  }

  function isName(given: unknown): given is string {
    return typeof given === 'string' && !given.startsWith(scheme)
  }
}

function isAll(value: unknown): value is { readonly all: unknown } {
  return isObject(value) && isOnly(value, 'all')
}
