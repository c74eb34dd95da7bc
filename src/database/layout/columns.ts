/** Columns of the table of a collection, how those at a path are found, and those that stories are derived from. */
import type { Collection } from '../../schema/model/model.ts'

/**
 * `folded`: the folded text; null may stand for the text with its ASCII letters in lower case. `refBase`, `refKey`: the
 * URI of a reference, split after its last slash; the first part is an id in `base`. `urlHash`: see
 * util/text/normalize-url.ts. `names`: a property of all elements of an array of objects, so that groups by it read no
 * elements; the distinct values as JSON, null where an element has none; null without elements.
 */
export interface Column {
  readonly name: string
  readonly path: readonly string[]
  readonly kind:
    | 'text'
    | 'folded'
    | 'integer'
    | 'boolean'
    | 'instant'
    | 'refBase'
    | 'refKey'
    | 'urlHash'
    | 'names'
  /** Extracted from the record on request, so that long text is stored once. */
  readonly virtual: boolean
  /** Only of URLs: the column of their hashes, whose index finds them. */
  readonly urlHash?: Column
}

interface WithColumns {
  readonly columns: readonly Column[]
}

/** The column of that kind at a path outside arrays and unions, if the path has one. */
export function findColumn(
  { columns }: WithColumns,
  path: readonly string[],
  kind: Column['kind'],
): Column | undefined {
  return columns.find((column) => column.kind === kind && samePath(column.path, path))
}

/** The two columns that hold a reference's URI. */
export interface ReferenceColumns {
  readonly base: Column
  readonly key: Column
}

export function findReference(table: WithColumns, path: readonly string[]): ReferenceColumns | undefined {
  const base = findColumn(table, path, 'refBase')
  const key = findColumn(table, path, 'refKey')
  return base === undefined || key === undefined ? undefined : { base, key }
}

/** What the stories of a collection are derived from, and where they are stored. */
export interface StoryColumns {
  /** The table (at, until) of times from which stories must be derived again; see stories/story-marks.ts. */
  readonly marks: string
  readonly title: readonly string[]
  readonly summary: readonly string[] | null
  readonly time: Column
  readonly original: ReferenceColumns | null
  /** Null until it is derived. A change of the title, summary, time or original makes it null. */
  readonly story: ReferenceColumns
}

/** Null for a collection without stories; `columns`: those of its table. */
export function buildStoryColumns(
  { stories }: Collection,
  columns: readonly Column[],
  marks: string,
): StoryColumns | null {
  if (stories === null) return null
  const { title, summary, time, original, field } = stories
  const required = <Found>(property: string, found: Found | undefined): Found => {
    if (found === undefined) throw new Error(`No column for ${property}.`)
    return found
  }
  const reference = (property: string) => required(property, findReference({ columns }, [property]))
  return {
    marks,
    title: [title],
    summary: summary === null ? null : [summary],
    time: required(time, findColumn({ columns }, [time], 'instant')),
    original: original === null ? null : reference(original),
    story: reference(field),
  }
}

export function samePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index])
}
