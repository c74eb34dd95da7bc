/** The arguments by which a view selects records. */
import { type Where, whereOf } from '../../ask/where.ts'
import { parseSearch, type Search, SearchError, wantedTerms } from '../../search/parse-search.ts'
import type { Subject } from '../fields/subject.ts'
import type { View } from './view.ts'

/** The arguments of lists, aggregates and exports that select records; undefined ones are left out. */
export interface RecordArguments {
  readonly where: Where | undefined
  readonly search: string | undefined
}

export function recordArguments({
  conditions,
  search,
}: Pick<View, 'conditions' | 'search'>): RecordArguments {
  return {
    where: conditions.length === 0 ? undefined : whereOf(conditions),
    search: search === '' ? undefined : search,
  }
}

/** Whether the service takes the search. */
export function canSearch(search: string, collection: Subject['collection']): boolean {
  return parse(search, collection) !== 'refused'
}

/** Whether the search is blank or only excludes words, so that no record is more relevant than another. */
export function isUnranked(search: string, collection: Subject['collection']): boolean {
  const parsed = parse(search, collection)
  return parsed === null || (parsed !== 'refused' && wantedTerms(parsed).length === 0)
}

function parse(search: string, { searchFields }: Subject['collection']): Search | null | 'refused' {
  try {
    return parseSearch(
      search,
      searchFields.map(({ name }) => name),
    )
  } catch (error) {
    if (error instanceof SearchError) return 'refused'
    throw error
  }
}
