/**
 * Derives the tables of a model: the columns, side tables and indexes of each collection, for every engine. Every table
 * has the primary columns (id, base, rkey, cid, rev, indexed_at, changed_at, record); all else here is derived from the
 * record and can be rebuilt.
 */
import type {
  Collection,
  FieldType,
  Model,
  ObjectType,
  SearchField,
  StringType,
} from '../../schema/model/model.ts'
import { longestName, shortName } from '../../util/text/short-name.ts'
import { buildStoryColumns, type Column, findColumn, samePath, type StoryColumns } from './columns.ts'
import { type CountTable, mostIntegers } from './counts.ts'
import { buildSums, type SumTable } from './sums.ts'

export { type Column, findColumn, findReference, type ReferenceColumns } from './columns.ts'

export interface Table {
  readonly collection: Collection
  readonly name: string
  readonly columns: readonly Column[]
  readonly arrays: readonly ArrayIndex[]
  readonly texts: readonly TextIndex[]
  /** Null if the collection has no free text. */
  readonly words: WordIndex | null
  readonly indexes: readonly TableIndex[]
  readonly counts: readonly CountTable[]
  /** Sums that change with the rows of this table: sums of its own records, or of records that refer to them. */
  readonly sums: readonly SumTable[]
  /** Null if its records are not grouped into stories. */
  readonly stories: StoryColumns | null
  /** Whether its rows are spread over several nodes (shards.ts). */
  readonly isSpread: boolean
}

/** A side table (value, id), or (base, rkey, id) for references, for conditions on elements. */
export interface ArrayIndex {
  readonly name: string
  readonly path: readonly string[]
  readonly kind: 'text' | 'integer' | 'instant' | 'reference'
}

/** A trigram index over one column's folded text. */
export interface TextIndex {
  readonly name: string
  readonly path: readonly string[]
  readonly text: Column
  readonly folded: Column
}

/** An index over the words of all free texts of a record. */
export interface WordIndex {
  readonly name: string
  readonly fields: readonly WordField[]
}

export interface WordField {
  readonly name: string
  readonly text: Column
  /** How much a word in this field counts for relevance. */
  readonly weight: number
}

export interface TableIndex {
  readonly name: string
  /** `pair`: a code, then an instant. `sample`: what decides which records samples have (search/sample.ts). */
  readonly kind: 'value' | 'keyset' | 'reference' | 'pair' | 'sample'
  /** Column names; a final `rkey` makes the index usable for keyset order. */
  readonly columns: readonly string[]
  /** Excludes rows where the first column is null. */
  readonly partial: boolean
  /** Columns that the index has besides, so that aggregates need not read rows; they give no order. */
  readonly included: readonly string[]
}

const plainIndex = { partial: false, included: [] } as const

/** The unique index over the two parts of a record's own URI. */
export function ownKey({ name }: Pick<Table, 'name'>): TableIndex {
  return { ...plainIndex, name: `${name}/key`, kind: 'reference', columns: ['base', 'rkey'] }
}

/** One table per collection, in the order of the model. Names that differ only by case get different tables. */
export function buildTables(model: Model): Table[] {
  const unique = uniqueNames(longestTableName)
  const names = new Map<string, (name: string) => string>()
  const tables = model.collections.map((collection) => {
    const name = unique(collection.nsid)
    const own = uniqueNames(longestName)
    names.set(name, own)
    return buildTable(collection, name, own)
  })
  const sums = buildSums(tables, ({ name }, what) => names.get(name)?.(`${name}/${what}`) ?? name)
  return tables.map((table) => ({
    ...table,
    sums: sums.filter(({ of, between }) => of === table.name || between === table.name),
  }))
}

/** Bytes; short enough to be a prefix of the names of indexes and side tables. */
const longestTableName = 40

/** The columns that are not virtual, in the order of `deriveRow`. */
export function storedColumns(table: Table): readonly Column[] {
  return table.columns.filter(({ virtual }) => !virtual)
}

/** The column of a single value, whatever its type. */
export function findValue(table: Table, path: readonly string[]): Column | undefined {
  const kinds = ['text', 'integer', 'boolean', 'instant'] as const
  return kinds.map((kind) => findColumn(table, path, kind)).find((column) => column !== undefined)
}

/** The side table over the array, or over the references, at that path. */
export function findArray(table: Table, path: readonly string[], reference: boolean): ArrayIndex | undefined {
  return table.arrays.find((it) => (it.kind === 'reference') === reference && samePath(it.path, path))
}

/** Endings of the names of columns that share a path with another. */
const suffixes: Readonly<Partial<Record<Column['kind'], string>>> = {
  folded: ':folded',
  refBase: ':base',
  refKey: ':key',
  urlHash: ':hash',
  names: ':names',
}

function buildTable(
  collection: Collection,
  name: string,
  unique: (name: string) => string,
): Omit<Table, 'sums'> {
  const parts = new TableParts(name, unique)
  for (const leaf of leavesOf(collection.type)) parts.add(leaf)
  const { columns, arrays, texts, indexes, codes } = parts
  // A language or country within a period: one index covers both conditions, without reading rows.
  const moment = columns.find(({ kind, path }) => kind === 'instant' && path.length === 1)
  if (moment !== undefined) for (const code of codes) parts.index([code, moment], 'pair')
  for (const { path, many } of collection.references)
    if (many) arrays.push({ name: unique(`${name}/${path.join('.')}:uri`), path, kind: 'reference' })
  const counts = parts.counted.map((its) => ({
    name: unique(`${name}/${its.columns[0] ?? ''}:count`),
    ...its,
  }))
  const months = counts.flatMap(({ kind, columns: of }): CountTable[] =>
    kind === 'day' ? [{ name: unique(`${name}/${of[0] ?? ''}:month`), kind: 'month', columns: of }] : [],
  )
  const fields = collection.searchFields.map((field) => wordField(field, texts))
  const words = fields.length === 0 ? null : { name: unique(`${name}/:words`), fields }
  if (words !== null)
    indexes.push({ ...plainIndex, name: unique(`${name}/:sample`), kind: 'sample', columns: ['cid'] })
  return {
    collection,
    name,
    columns,
    arrays,
    texts,
    words,
    indexes: indexes.map((one) => ({ ...one, included: includedIn(one, parts, collection, moment) })),
    counts: [...counts, ...months],
    stories: buildStoryColumns(collection, columns, unique(`${name}/:stories`)),
    isSpread: false,
  }
}

interface Leaf {
  readonly path: readonly string[]
  readonly type: Exclude<FieldType, { kind: 'object' }>
}

/** The fields of an object and of the objects inside it, except of one that contains itself. */
function* leavesOf(
  type: ObjectType,
  path: readonly string[] = [],
  inside: readonly ObjectType[] = [],
): Generator<Leaf> {
  if (inside.includes(type)) return
  for (const { property, type: of } of type.fields)
    if (of.kind === 'object') yield* leavesOf(of.type, [...path, property], [...inside, type])
    else yield { path: [...path, property], type: of }
}

/** Collects what each field adds to a table: columns, and what indexes and counts them. */
class TableParts {
  readonly columns: Column[] = []
  readonly arrays: ArrayIndex[] = []
  readonly indexes: TableIndex[] = []
  readonly texts: TextIndex[] = []
  /** Languages and countries of the record itself. */
  readonly codes: Column[] = []
  readonly counted: Omit<CountTable, 'name'>[] = [
    { kind: 'total', columns: [] },
    { kind: 'value', columns: ['base'] },
    { kind: 'day', columns: ['indexed_at'] },
  ]
  readonly #name: string
  readonly #unique: (name: string) => string

  constructor(name: string, unique: (name: string) => string) {
    this.#name = name
    this.#unique = unique
    // Reserved for the indexes that every table has; properties may have these names too.
    for (const own of ['key', 'indexed_at']) unique(`${name}/${own}`)
  }

  add({ path, type }: Leaf): void {
    switch (type.kind) {
      case 'string':
        return this.#addString(path, type)
      case 'datetime': {
        const instant = this.#column(path, 'instant')
        this.index([instant], 'keyset', path.length > 1)
        return this.#count('day', instant)
      }
      case 'integer': {
        const integer = this.#column(path, 'integer')
        this.index([integer], 'keyset', path.length > 1)
        if (type.values !== null && type.values < mostIntegers) this.#count('value', integer)
        return
      }
      case 'boolean': {
        const truth = this.#column(path, 'boolean')
        this.index([truth], 'value')
        return this.#count('value', truth)
      }
      case 'strongRef':
      case 'atUri': {
        const uri = [this.#column(path, 'refBase'), this.#column(path, 'refKey')]
        this.index(uri, 'reference')
        return this.#count('reference', ...uri)
      }
      case 'array': {
        const kind = elementKinds[type.of.kind]
        const { arrays } = this
        if (kind !== undefined)
          arrays.push({ name: this.#unique(`${this.#name}/${path.join('.')}`), path, kind })
        if (type.of.kind === 'object')
          for (const field of type.of.type.fields)
            if (isName(field.type)) this.#column([...path, field.property], 'names')
        return
      }
      case 'bytes':
      case 'cidLink':
      case 'blob':
      case 'unknown':
      case 'union':
        return
    }
  }

  index(of: readonly Column[], kind: TableIndex['kind'], partial = false): void {
    const names = of.map((it) => it.name)
    this.indexes.push({
      name: shortName(`${this.#name}/${names.join('+')}`),
      kind,
      columns: kind === 'keyset' ? [...names, 'rkey'] : names,
      partial,
      included: [],
    })
  }

  #addString(path: readonly string[], type: StringType): void {
    if (type.use.column === 'urlHash' && !type.categorical) {
      const urlHash = this.#column(path, 'urlHash')
      this.#column(path, 'text', { virtual: true, urlHash })
      return this.index([urlHash], 'value', true)
    }
    const text = this.#column(path, 'text', { virtual: !type.categorical })
    if (type.freeText) {
      const folded = this.#column(path, 'folded')
      this.texts.push({ name: shortName(`${this.#name}/${text.name}/trigram`), path, text, folded })
    } else this.index([text], 'value', !type.categorical)
    if (type.code && path.length === 1) this.codes.push(text)
    if (type.categorical && type.use.isCounted) this.#count('value', text)
  }

  #column(
    path: readonly string[],
    kind: Column['kind'],
    more: Partial<Pick<Column, 'virtual' | 'urlHash'>> = {},
  ): Column {
    const name = this.#unique(`.${path.join('.')}${suffixes[kind] ?? ''}`)
    const added = { name, path, kind, virtual: false, ...more }
    this.columns.push(added)
    return added
  }

  #count(kind: CountTable['kind'], ...of: readonly Column[]): void {
    this.counted.push({ kind, columns: of.map((it) => it.name) })
  }
}

/**
 * The first moment and the codes, in the index of a reference that every record has: the records of few outlets by week
 * are then read from one part of the index each, and those of one language by outlet from the index alone. Where
 * references may be missing, most entries may be of records without them.
 */
function includedIn(
  { kind, columns: [first] }: Pick<TableIndex, 'kind' | 'columns'>,
  { columns, codes }: TableParts,
  { type }: Collection,
  moment: Column | undefined,
): readonly string[] {
  const column = columns.find(({ name }) => name === first)
  if (kind !== 'reference' || column?.path.length !== 1 || moment === undefined) return []
  const field = type.fields.find(({ property }) => property === column.path[0])
  return field?.mayMiss === false ? [moment, ...codes].map(({ name }) => name) : []
}

/** Names of properties that name or summarize their record in a few words. */
const titles = new Set(['title', 'headline', 'name', 'displayName', 'subject'])
const titleWeight = 3

function wordField({ name, path }: SearchField, texts: readonly TextIndex[]): WordField {
  const index = texts.find((each) => samePath(each.path, path))
  if (index === undefined) throw new Error(`The searched text ${path.join('.')} has no index.`)
  return { name, text: index.text, weight: titles.has(path.at(-1) ?? '') ? titleWeight : 1 }
}

/** Whether a text may be the name of an element: it has no format or listed values, and is short enough to sort by. */
function isName(type: FieldType): boolean {
  return type.kind === 'string' && type.format === null && type.bounded && !type.categorical
}

/** The types of elements that `has` can search. At-URIs are strings here; as references they have another side table. */
const elementKinds: Readonly<Partial<Record<FieldType['kind'], ArrayIndex['kind']>>> = {
  string: 'text',
  atUri: 'text',
  integer: 'integer',
  datetime: 'instant',
}

/** SQL names are case-insensitive and limited in bytes; lexicon names are neither. */
function uniqueNames(longest: number): (name: string) => string {
  const taken = new Set<string>()
  return (name) => {
    let candidate = shortName(name, longest)
    for (let n = 2; taken.has(candidate.toLowerCase()); n += 1) candidate = shortName(`${name}~${n}`, longest)
    taken.add(candidate.toLowerCase())
    return candidate
  }
}
