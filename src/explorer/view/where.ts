/** The arguments by which a view selects records. */
import { tryParse } from '../../ask/search.ts'
import { type Where, whereOf } from '../../ask/where.ts'
import { SearchError, wantedTerms } from '../../search/parse-search.ts'
import type { Collection } from '../../schema/model/model.ts'
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
export function canSearch(search: string, { searchFields }: Collection): boolean {
  return !(tryParse(search, searchFields) instanceof SearchError)
}

/** Whether the search is blank or only excludes words, so that no record is more relevant than another. */
export function isUnranked(search: string, { searchFields }: Collection): boolean {
  const parsed = tryParse(search, searchFields)
  return parsed === null || (!(parsed instanceof SearchError) && wantedTerms(parsed).length === 0)
}
