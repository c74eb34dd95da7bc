/** Checks reference targets: the collections that a property of a record refers to, which lexicons do not declare. */
import { isValidNsid } from '@atproto/syntax'
import type { LexiconDoc, LexObject } from '@atproto/lexicon'
import { isObject } from '../util/is-object.ts'
import { type DocumentSet, type LexType, resolveRef, strongRefLexicon } from './document.ts'
import { collectionsOf, findDef, findDocument, isRecordLexicon } from './document.ts'
import { type Problem, suggest } from './invalid-document.ts'

const example = '{"a.b.article#source": ["a.b.source"]}'

/** Maps `nsid#path` to target collections, sorted by key in code point order, and lists every problem. */
export function buildTargets(set: DocumentSet, references: unknown, refused: ReadonlySet<string>) {
  const targets = new Map<string, readonly string[]>()
  if (references === undefined) return { targets, problems: [] }
  if (!isObject(references)) {
    const remedy = `Write an object such as ${example}.`
    return { targets, problems: [{ path: '', problem: 'The reference targets are no JSON object.', remedy }] }
  }
  const problems: Problem[] = []
  for (const [key, value] of Object.entries(references).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const wrong = [...checkSource(set, key, refused), ...checkTargets(set, key, value, refused)]
    if (wrong.length === 0) targets.set(key, [...new Set(value as readonly string[])])
    problems.push(...wrong)
  }
  return { targets, problems }
}

function checkSource(set: DocumentSet, key: string, refused: ReadonlySet<string>): readonly Problem[] {
  const [nsid = '', path = '', ...rest] = key.split('#')
  const fail = (problem: string, remedy: string) => [{ path: key, problem, remedy }]
  if (path === '' || rest.length > 0)
    return fail(
      `"${key}" does not name a property of a collection.`,
      `Write a collection, "#" and a property, such as ${example}.`,
    )
  const found = findDef(set, nsid)
  if (found?.def.type === 'record') return checkPath(set, found.document, found.def.record, key, path)
  if (refused.has(nsid)) return []
  return fail(`"${nsid}" is no record type of these lexicons.`, suggest(nsid, collectionsOf(set)))
}

/** Follows the path `a.b.c` from a record to a strongRef or an at-uri; an array counts as its items. */
function checkPath(
  set: DocumentSet,
  from: LexiconDoc,
  record: LexObject,
  key: string,
  path: string,
): readonly Problem[] {
  const fail = (problem: string, remedy: string) => [{ path: key, problem, remedy }]
  let document = from
  let property: LexType = record
  let reached = from.id
  for (const name of path.split('.')) {
    if (property.type === 'union')
      return fail(`${reached} is a union, and references inside unions have no targets.`, 'Remove the entry.')
    if (property.type !== 'object')
      return fail(
        `${reached} is of type "${property.type}" and has no properties.`,
        `Shorten the path "${path}".`,
      )
    const { properties }: LexObject = property
    if (!Object.hasOwn(properties, name))
      return fail(`${reached} has no property "${name}".`, suggest(name, Object.keys(properties)))
    property = properties[name]!
    reached = reached === from.id ? `${from.id}#${name}` : `${reached}.${name}`
    const seen = new Set<string>()
    while (property.type === 'ref' || property.type === 'array') {
      if (property.type === 'array') {
        property = property.items
        continue
      }
      const found = resolveRef(set, document.id, property.ref)
      // `lexicons.ts` reports unresolved references and endless arrays.
      if (found === null || seen.has(found.origin)) return []
      seen.add(found.origin)
      if (found.origin === strongRefLexicon.id)
        return reached === key ? [] : fail(`${reached} is a strongRef itself.`, `Write "${reached}".`)
      property = found.def
      document = found.document
    }
  }
  if (property.type === 'string' && property.format === 'at-uri') return []
  return fail(
    `${key} is neither a strongRef nor a string of format at-uri.`,
    'Name a property that refers to a record, or remove the entry.',
  )
}

function checkTargets(
  set: DocumentSet,
  key: string,
  value: unknown,
  refused: ReadonlySet<string>,
): readonly Problem[] {
  const fail = (problem: string, remedy: string) => [{ path: key, problem, remedy }]
  if (!Array.isArray(value) || !value.every((target) => typeof target === 'string'))
    return fail(
      `The targets of "${key}" are no list of collections.`,
      `Write a list of collections such as ${example}; an empty list means no collection.`,
    )
  return value.flatMap((target: string) => {
    if (!isValidNsid(target))
      return fail(`The target "${target}" is no NSID.`, suggest(target, collectionsOf(set)))
    const document = findDocument(set, target)
    // A target without a lexicon is allowed: its collection is not served.
    if (document === null || refused.has(target) || isRecordLexicon(document)) return []
    return fail(`The target "${target}" is no record type.`, suggest(target, collectionsOf(set)))
  })
}
