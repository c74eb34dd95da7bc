/** Explains why a document is not a valid lexicon: the path, the problem and the remedy. */
import { nearest } from '../util/text/nearest.ts'

/** An issue of the library's validator. */
interface Issue {
  readonly code: string
  readonly path: readonly (string | number)[]
  readonly message: string
  /** For an unknown type: the types allowed in its place. */
  readonly options?: unknown
}

/** A fault of a document or of the reference targets. */
export interface Problem {
  /** Path in the document, such as `defs.main.record.properties.title`; empty for the whole file. */
  readonly path: string
  readonly problem: string
  readonly remedy: string
}

export function invalidDocument(document: unknown, issue: Issue): Problem {
  const path = issue.path.join('.')
  if (issue.code === 'invalid_union_discriminator' && Array.isArray(issue.options))
    return { path, ...wrongType(document, issue.path, issue.options.map(String)) }
  return {
    path,
    problem: `This is not a valid lexicon document: ${issue.message.replace(/\.$/, '')}.`,
    remedy:
      'Correct it as the lexicon language says, or move the file out of the directory when it is not a lexicon.',
  }
}

function wrongType(document: unknown, path: readonly (string | number)[], known: readonly string[]) {
  const within = (value: unknown, part: string | number) => (value as Record<string, unknown> | null)?.[part]
  const type = path.reduce<unknown>(within, document)
  if (type === undefined) return { problem: 'A type is missing.', remedy: oneOf(known) }
  if (type === 'object' || type === 'array') {
    const name = path.findLast((part) => part !== 'type' && part !== 'items')
    return {
      problem: `An ${type} cannot be defined inside another definition.`,
      remedy: `Move it to "defs", such as under "${name}", and refer to it: {"type": "ref", "ref": "#${name}"}.`,
    }
  }
  const text = typeof type === 'string' ? type : JSON.stringify(type)
  const similar = nearest(text, known)
  return {
    problem: `${JSON.stringify(type)} is not a type of the lexicon language.`,
    remedy:
      foreignTypes.find(([names]) => names.includes(text.toLowerCase()))?.[1] ??
      (similar === null ? oneOf(known) : `Write {"type": "${similar}"}.`),
  }
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
