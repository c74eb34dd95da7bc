/**
 * Which fields of a collection represent a record, for pages and for agents: guessed from kinds and names, in the order
 * of the lexicon. docs/running-the-explorer.md describes each guess, and how operators name others.
 */
import { type PropertyLeaf, leafName, propertyLeaves } from './leaves.ts'
import type { Collection, Field } from './model.ts'
import { isUrl } from './where-operators.ts'

/** Names of fields, those inside objects joined by underscores; null where none is suitable. */
export interface Roles {
  /** A name or headline. */
  readonly title: string | null
  readonly summary: string | null
  /** The time by which records are the newest; without any, that of indexing. */
  readonly time: string
  readonly image: string | null
  /** The web address of what the record is about. */
  readonly link: string | null
}

/** Instead of the guesses, by NSID: what `display.json` says. */
export type GivenRoles = ReadonlyMap<string, Partial<Roles>>

const titles = ['displayname', 'title', 'headline', 'name', 'subject']
const summaries = ['description', 'summary', 'subtitle', 'excerpt', 'text', 'content', 'body']
const times = ['publishedat', 'createdat']
const images = ['image', 'cover', 'thumbnail', 'avatar', 'logo', 'banner']
const links = ['url', 'uri', 'link', 'website', 'homepage']

/** `hidden`: names of fields that represent nothing. */
export function guessRoles({ type }: Collection, hidden: ReadonlySet<string> = new Set()): Roles {
  const leaves = propertyLeaves(type).filter(
    (leaf) =>
      !hidden.has(leafName(leaf)) &&
      [...leaf.inside, leaf.field].every((field) => field.type.kind !== 'array'),
  )
  const own = leaves.filter(({ inside }) => inside.length === 0)
  const texts = own.filter(({ field: { type: kind } }) => isText(kind))
  const title =
    named(texts, titles) ??
    texts.find(({ field: { type: kind } }) => kind.kind === 'string' && kind.freeText) ??
    texts[0]
  const others = texts.filter((leaf) => leaf !== title)
  const datetimes = own.filter(({ field }) => field.type.kind === 'datetime')
  const addresses = leaves.filter(({ field: { type: kind } }) => isUrl(kind))
  const ownAddresses = addresses.filter(({ inside }) => inside.length === 0)
  const pictures = addresses.filter((leaf) =>
    images.includes((leaf.inside[0] ?? leaf.field).property.toLowerCase()),
  )
  return {
    title: nameOfLeaf(title),
    summary: nameOfLeaf(named(others, summaries)),
    time: nameOfLeaf(named(datetimes, times) ?? datetimes[0]) ?? 'indexedAt',
    image: nameOfLeaf(named(pictures, images) ?? pictures[0]),
    link: nameOfLeaf(named(ownAddresses, links) ?? ownAddresses[0]),
  }
}

/** The field with the first of these names; without any, the one whose name ends so. */
function named(leaves: readonly PropertyLeaf[], names: readonly string[]): PropertyLeaf | undefined {
  const first = (matches: (name: string, wanted: string) => boolean) =>
    names
      .map((wanted) => leaves.find(({ field }) => matches(field.property.toLowerCase(), wanted)))
      .find((leaf) => leaf !== undefined)
  return first((name, wanted) => name === wanted) ?? first((name, wanted) => name.endsWith(wanted))
}

/** Neither a code nor one of a few values. */
function isText(type: Field['type']): boolean {
  return type.kind === 'string' && type.format === null && !type.categorical
}

function nameOfLeaf(leaf: PropertyLeaf | undefined): string | null {
  return leaf === undefined ? null : leafName(leaf)
}
