/**
 * The formats of strings that are more than texts, one entry each. The model has the entry in the type of a field, where
 * the tables, the filters and the pages read it; a new format needs code only where it is used like no other.
 */

/** How strings of a format are used. In files they are texts. */
export interface StringFormat {
  /** The kind of fields that have the format. */
  readonly field: 'string' | 'datetime' | 'atUri'
  /** Whether few different values are expected even if the lexicon lists none. */
  readonly isCode: boolean
  /** What is indexed of values that are not listed: the text, or a hash that equal web addresses share. */
  readonly column: 'text' | 'urlHash'
  /** Whether records are counted by listed values; of other formats nearly every record may have its own. */
  readonly isCounted: boolean
  /** The target of its operators in where-operators.ts. */
  readonly filter: 'string' | 'url'
  /** What pages show: the text, a link to the address or to the account, or the name of the language. */
  readonly page: 'text' | 'address' | 'account' | 'language'
}

const text = {
  field: 'string',
  isCode: false,
  column: 'text',
  isCounted: false,
  filter: 'string',
  page: 'text',
} as const

/** By their names in lexicons; `none`: strings without a format. */
export const stringFormats = {
  none: { ...text, isCounted: true },
  'at-uri': { ...text, field: 'atUri' },
  datetime: { ...text, field: 'datetime' },
  did: { ...text, page: 'account' },
  language: { ...text, isCode: true, isCounted: true, page: 'language' },
  uri: { ...text, column: 'urlHash', filter: 'url', page: 'address' },
} as const satisfies Readonly<Record<string, StringFormat>>

/** Null: no format. */
export function stringFormat(name: string | null): StringFormat {
  const formats: Readonly<Record<string, StringFormat>> = stringFormats
  return formats[name ?? 'none'] ?? text
}
