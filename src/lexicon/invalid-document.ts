/** Explains why a document is not a valid lexicon: the path, the problem and the remedy. */
import type { LexiconDoc, lexiconDoc } from '@atproto/lexicon'
import { isObject, valueAt } from '../util/is-object.ts'
import { nearest } from '../util/text/nearest.ts'

/** An issue of the library's validator. Its messages are not shown, because they speak of the library's own terms. */
type Issue = NonNullable<ReturnType<typeof lexiconDoc.safeParse>['error']>['issues'][number]

type Path = readonly (string | number)[]

/** A fault of a document or of the reference targets. */
export interface Problem {
  /** Path in the document, such as `defs.main.record.properties.title`; empty for the whole file. */
  readonly path: string
  readonly problem: string
  readonly remedy: string
}

/** Several problems for a place with alternatives, each of which has its own. */
export function invalidDocument(document: unknown, issue: Issue): readonly Problem[] {
  const { path } = issue
  switch (issue.code) {
    case 'invalid_union_discriminator':
      return wrongType(document, path, issue.options.map(String))
    case 'invalid_enum_value':
      return wrongFormat(document, path, issue.options.map(String))
    case 'invalid_literal':
      return wrongValue(document, path, JSON.stringify(issue.expected))
    case 'invalid_type':
      return wrongValue(document, path, described[issue.expected] ?? 'another value')
    case 'too_small':
      return wrongValue(document, path, 'a string that is not empty')
    case 'invalid_union':
      return noAlternative(document, issue)
    default:
      return brokenRule(document, path, issue.message)
  }
}

/** The alternative whose type the value has says what is wrong in it. */
function noAlternative(
  document: unknown,
  { path, unionErrors }: Extract<Issue, { code: 'invalid_union' }>,
): readonly Problem[] {
  if (path.at(-1) !== 'schema')
    return wrongValue(document, path, 'a string, an integer, true, false or a list of these')
  const typePath = [...path, 'type']
  const value = valueAt(document, path)
  if (!isObject(value)) return wrongValue(document, path, 'an object')
  // The library gives paths of alternatives from the definition on.
  const definition = path.slice(0, 2)
  const chosen = unionErrors
    .map(({ issues }) => issues.map((one) => ({ ...one, path: [...definition, ...one.path] })))
    .find((issues) => issues.every((one) => one.path.join('.') !== typePath.join('.')))
  return (
    chosen?.flatMap((one) => invalidDocument(document, one)) ??
    wrongType(document, typePath, ['ref', 'union', 'object'])
  )
}

/** A rule that the library states in code. */
function brokenRule(document: unknown, path: Path, message: string): readonly Problem[] {
  const value = valueAt(document, path)
  if (path.join('.') === 'id') return wrongValue(document, path, 'an NSID such as "org.example.book"')
  if (path.length === 2 && !isObject(value)) return wrongValue(document, path, 'an object')
  if (path.length === 2 && !definitionTypes.includes(String(valueAt(value, ['type']))))
    return wrongType(document, [...path, 'type'], definitionTypes)
  if (path.length === 0) return outsideMain(document as LexiconDoc)
  if (!isObject(value))
    return problemAt(path, `"${path.at(-1)}" is not a language tag.`, 'Write one such as "en" or "pt-BR".')
  // The name is in the message alone, which comes once for each.
  const name = /"(.*)"/s.exec(message)?.[1] ?? ''
  return problemAt(
    [...path, 'required'],
    `${JSON.stringify(name)} is required, and is not among "properties".`,
    suggest(name, Object.keys(isObject(value['properties']) ? value['properties'] : {})),
  )
}

function problemAt(path: Path, problem: string, remedy: string): readonly Problem[] {
  return [{ path: path.join('.'), problem, remedy }]
}

/** The types of `main` alone come first. */
const definitionTypes =
  'record query procedure subscription permission-set object array token string integer boolean bytes cid-link blob unknown'.split(
    ' ',
  )

function outsideMain({ defs }: LexiconDoc): readonly Problem[] {
  return Object.entries(defs)
    .filter(([name, { type }]) => name !== 'main' && definitionTypes.slice(0, 5).includes(type))
    .map(([name, { type }]) => ({
      path: `defs.${name}`,
      problem: `The definition "${name}" is a ${type}, which only "main" may be.`,
      remedy: 'Name it "main", in a document of its own if this one has another "main".',
    }))
}

const described: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

function wrongValue(document: unknown, path: Path, expected: string): readonly Problem[] {
  const name = path.at(-1)
  const value = valueAt(document, path)
  const isWhole = name === undefined || name === 'lexicon'
  const otherwise = isWhole ? ', or move the file out of the directory when it is not a lexicon' : ''
  if (value !== undefined)
    return problemAt(path, `${shown(value)} is not ${expected}.`, `Write ${expected}${otherwise}.`)
  const others = Object.keys(Object(valueAt(document, path.slice(0, -1))))
  const similar = nearest(String(name), others)
  return problemAt(
    path,
    `"${name}" is missing.`,
    similar === null
      ? `Add "${name}" with ${expected}${otherwise}.`
      : `Did you write "${similar}" instead of "${name}"? It is ${expected}.`,
  )
}

function wrongFormat(document: unknown, path: Path, known: readonly string[]): readonly Problem[] {
  const format = valueAt(document, path)
  const text = typeof format === 'string' ? format : ''
  const similar = foreignFormats[text.toLowerCase()] ?? nearest(text, known)
  return problemAt(
    path,
    `${shown(format)} is not a format of the lexicon language.`,
    `${similar === null ? '' : `Did you mean "${similar}"? `}${oneOf(known)}`,
  )
}

const foreignFormats: Readonly<Record<string, string>> = {
  date: 'datetime',
  time: 'datetime',
  'date-time': 'datetime',
  timestamp: 'datetime',
  url: 'uri',
  lang: 'language',
  rkey: 'record-key',
}

/** Long values are cut, so that a message stays one line. */
function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function wrongType(document: unknown, path: Path, known: readonly string[]): readonly Problem[] {
  const type = valueAt(document, path)
  if (type === undefined) return problemAt(path, 'A type is missing.', oneOf(known))
  if (type === 'object' || type === 'array' || type === 'token') {
    const name = path.findLast((part) => part !== 'type' && part !== 'items')
    return problemAt(
      path,
      `${type === 'token' ? 'A' : 'An'} ${type} cannot be defined inside another definition.`,
      `Move it to "defs", such as under "${name}", and refer to it: {"type": "ref", "ref": "#${name}"}.`,
    )
  }
  const text = typeof type === 'string' ? type : JSON.stringify(type)
  const isElsewhere = [...definitionTypes, 'ref', 'union', 'params', 'permission'].includes(text)
  const similar = isElsewhere ? null : nearest(text, known)
  return problemAt(
    path,
    isElsewhere
      ? `"${text}" is a type that is not allowed here.`
      : `${shown(type)} is not a type of the lexicon language.`,
    foreignTypes.find(([names]) => names.includes(text.toLowerCase()))?.[1] ??
      (similar === null ? oneOf(known) : `Write {"type": "${similar}"}.`),
  )
}

/** Types of other languages with their equivalents in the lexicon language. */
const foreignTypes: readonly (readonly [names: readonly string[], remedy: string])[] = [
  [
    ['float', 'double', 'number', 'decimal'],
    'Write {"type": "integer"}, scaled such as to thousandths, or {"type": "string"}: records have no fractions.',
  ],
  [['datetime', 'date', 'time', 'timestamp'], 'Write {"type": "string", "format": "datetime"}.'],
  [['uri', 'url'], 'Write {"type": "string", "format": "uri"}.'],
  [['did', 'handle', 'nsid', 'cid', 'language', 'tid'], 'Write {"type": "string"} with that format.'],
  [['at-uri', 'aturi'], 'Write {"type": "string", "format": "at-uri"}.'],
  [['text', 'char', 'varchar', 'enum'], 'Write {"type": "string"}, with "enum" where the values are known.'],
  [['int', 'long', 'bigint'], 'Write {"type": "integer"}.'],
  [['list'], 'Write {"type": "array"}.'],
  [['any', 'json', 'map', 'dict'], 'Write {"type": "unknown"}.'],
  [['file', 'image', 'binary'], 'Write {"type": "blob"}, or {"type": "bytes"} for what is short.'],
]

/** A remedy for a name that is none of those known. */
export function suggest(word: string, candidates: readonly string[]): string {
  const suggestion = nearest(word, candidates)
  if (suggestion !== null) return `Did you mean "${suggestion}"?`
  return candidates.length === 0 ? 'Remove the entry.' : `Name one of: ${candidates.join(', ')}.`
}

function oneOf(known: readonly string[]): string {
  return `Write ${known.slice(0, -1).join(', ')} or ${known.at(-1)}.`
}
