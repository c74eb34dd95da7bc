/** Replaces the names, record keys and addresses in a filter on a reference by URIs. */
import type { Collection } from '../../schema/model/model.ts'
import { isObject } from '../../util/is-object.ts'
import type { NameResolver } from '../names/resolve-names.ts'
import { ToolError } from '../tools/tool.ts'
import { isOnly, strings } from './conditions.ts'

/** Operators of one value, and the operators of lists that say the same of several. */
const ofSeveral = new Map([
  ['eq', 'in'],
  ['ne', 'notIn'],
  ['has', 'hasAny'],
])

const takingUris = new Set(['eq', 'ne', 'in', 'notIn', 'has', 'hasAny', 'hasAll'])

/** `target` is the only collection that the reference leads to, or null. */
export async function namesToUris(
  text: string,
  value: unknown,
  target: Collection | null,
  names: NameResolver,
): Promise<unknown> {
  const list = async (values: readonly unknown[]) => (await Array.fromAsync(values, read)).flat()
  if (Array.isArray(value)) return list(value)
  if (!isObject(value) || isAll(value)) return read(value)
  const members = await Array.fromAsync(Object.entries(value), async ([written, inner]) => {
    const name = written === 'uri' ? 'eq' : written
    if (!takingUris.has(name)) return [name, inner] as const
    if (Array.isArray(inner)) return [name, await list(inner)] as const
    return [isAll(inner) ? (ofSeveral.get(name) ?? name) : name, await read(inner)] as const
  })
  return Object.fromEntries(members)

  /** The URI of one name, the URIs of `{"all": …}`; any other value itself. */
  async function read(one: unknown): Promise<unknown> {
    if (isAll(one)) {
      const wanted = Array.isArray(one.all) ? strings(text, one.all) : strings(text, [one.all])
      const uris = await Array.fromAsync(wanted, async (name) =>
        name.startsWith('at://') ? [name] : names.all(name, known(target)),
      )
      return [...new Set(uris.flat())]
    }
    if (typeof one !== 'string' || one.startsWith('at://')) return one
    return names.one(one, known(target))
  }

  function known(collection: Collection | null): Collection {
    if (collection !== null) return collection
    throw new ToolError(
      `"${text}" takes a URI that begins with at://, because it may refer to any collection.`,
    )
  }
}

function isAll(value: unknown): value is { readonly all: unknown } {
  return isObject(value) && isOnly(value, 'all')
}
