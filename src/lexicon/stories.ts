/** Checks `stories.json`: the collections whose records are grouped into stories, and the properties that decide. */
import type { LexObject } from '@atproto/lexicon'
import { isObject, type Json } from '../util/is-object.ts'
import type { DocumentSet, LexType } from './document.ts'
import { collectionsOf, findDef, resolveRef, strongRefLexicon } from './document.ts'
import { type Problem, suggest } from './invalid-document.ts'

/** Properties of a record. */
export interface StoryFields {
  readonly title: string
  readonly summary: string | null
  readonly time: string
  /** A reference to the record that this one repeats. */
  readonly original: string | null
}

/**
 * Increment when the definition of stories or a weight in `search/stories/` changes: databases of another version derive
 * all stories again.
 */
export const storiesVersion = 2

/** By NSID. */
export type Stories = ReadonlyMap<string, StoryFields>

const example = '{"a.b.article": {"title": "title", "summary": "description", "time": "publishedAt"}}'

/** What each member names, and whether it must be there. */
const members = {
  title: { kind: 'text', required: true },
  summary: { kind: 'text', required: false },
  time: { kind: 'datetime', required: true },
  original: { kind: 'reference', required: false },
} as const

const kinds = {
  text: 'a string without a format',
  datetime: 'a string of format datetime',
  reference: 'a strongRef or a string of format at-uri',
} as const

/** Sorted by NSID in code point order; lists every problem. `refused`: the ids of invalid documents. */
export function buildStories(set: DocumentSet, given: unknown, refused: ReadonlySet<string>) {
  const stories = new Map<string, StoryFields>()
  if (given === undefined) return { stories, problems: [] }
  if (!isObject(given)) {
    const remedy = `Write an object such as ${example}.`
    return { stories, problems: [{ path: '', problem: 'The stories are no JSON object.', remedy }] }
  }
  const problems: Problem[] = []
  for (const [nsid, fields] of Object.entries(given).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const def = findDef(set, nsid)?.def
    if (def?.type !== 'record') {
      const problem = `"${nsid}" is no record type of these lexicons.`
      if (!refused.has(nsid))
        problems.push({ path: nsid, problem, remedy: suggest(nsid, collectionsOf(set)) })
      continue
    }
    const wrong = isObject(fields)
      ? checkFields(set, nsid, def.record, fields)
      : [{ path: nsid, problem: `The fields of "${nsid}" are no object.`, remedy: `Write ${example}.` }]
    problems.push(...wrong)
    if (wrong.length > 0) continue
    const { title, summary = null, time, original = null } = fields as unknown as StoryFields
    stories.set(nsid, { title, summary, time, original })
  }
  return { stories, problems }
}

function checkFields(set: DocumentSet, nsid: string, record: LexObject, fields: Json): readonly Problem[] {
  const fail = (name: string, problem: string, remedy: string): Problem[] => [
    { path: `${nsid}.${name}`, problem, remedy },
  ]
  const names = Object.keys(members)
  const unknown = Object.keys(fields)
    .filter((name) => !names.includes(name))
    .flatMap((name) => fail(name, `Stories have no member "${name}".`, suggest(name, names)))
  const wrong = Object.entries(members).flatMap(([name, { kind, required }]) => {
    const property = fields[name]
    if (property === undefined)
      return required ? fail(name, `"${name}" is missing.`, `Name the property with ${kinds[kind]}.`) : []
    if (typeof property !== 'string' || !Object.hasOwn(record.properties, property))
      return fail(
        name,
        `${nsid} has no property ${JSON.stringify(property)}.`,
        suggest(String(property), Object.keys(record.properties)),
      )
    return isOfKind(set, nsid, record.properties[property]!, kind)
      ? []
      : fail(name, `${nsid}#${property} is not ${kinds[kind]}.`, 'Name another property.')
  })
  return [...unknown, ...wrong]
}

function isOfKind(set: DocumentSet, nsid: string, type: LexType, kind: keyof typeof kinds): boolean {
  if (type.type === 'ref')
    return kind === 'reference' && resolveRef(set, nsid, type.ref)?.origin === strongRefLexicon.id
  if (type.type !== 'string') return false
  const formats = { text: undefined, datetime: 'datetime', reference: 'at-uri' }
  return type.format === formats[kind]
}
