/** Defines, for every engine, what the stories of a collection are derived from, and where they are stored. */
import type { Collection } from '../../schema/model/model.ts'
import { type Column, findColumn, type ReferenceColumns } from './columns.ts'

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
  const column = (property: string, kind: Column['kind']): Column => {
    const found = findColumn({ columns }, [property], kind)
    if (found === undefined) throw new Error(`No column for ${property}.`)
    return found
  }
  const reference = (property: string): ReferenceColumns => ({
    base: column(property, 'refBase'),
    key: column(property, 'refKey'),
  })
  return {
    marks,
    title: [title],
    summary: summary === null ? null : [summary],
    time: column(time, 'instant'),
    original: original === null ? null : reference(original),
    story: reference(field),
  }
}
