/** The state of a collection's pages, and how it selects records. Links are made from views, so that each can be shared. */
import { isDeepStrictEqual } from 'node:util'
import { tryParse } from '../../ask/search.ts'
import { type Where, whereOf } from '../../ask/where.ts'
import { SearchError, wantedTerms } from '../../search/parse-search.ts'
import type { Collection } from '../../schema/model/model.ts'
import { sortFields } from '../../schema/model/operators.ts'
import { isBlank } from '../../util/text/visible.ts'
import { isFacet, type ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import { operatorsOf } from '../../ask/fields.ts'
import { areReadable, type Condition, readConditions, writeConditions } from './conditions.ts'
import { isReserved, viewParameters } from './parameters.ts'
import { type Problem, unknownChoice } from './problem.ts'

export const shows = ['list', 'table', 'cards'] as const
export type Show = (typeof shows)[number]

export interface View {
  /** Words, in the syntax of `search`; blank for none. */
  readonly search: string
  readonly conditions: readonly Condition[]
  /** `null`: those indexed last first, or the most relevant of a search. */
  readonly sort: { readonly field: string; readonly direction: 'asc' | 'desc' } | null
  readonly show: Show
  /** Whether lists have one record per story and leave out records without a story. */
  readonly stories: boolean
  /** Names of fields; null for those of the collection's roles. */
  readonly columns: readonly string[] | null
  /** Empty for none. */
  readonly facets: readonly string[] | null
  /** A cursor, and the side of it that the page is on. */
  readonly page: { readonly side: 'after' | 'before'; readonly cursor: string } | null
  /** Parameters of other pages, such as those of charts, in the order of the address. */
  readonly others: readonly (readonly [string, string])[]
}

/** All records, those indexed last first. */
export const emptyView: View = {
  search: '',
  conditions: [],
  sort: null,
  show: 'list',
  stories: false,
  columns: null,
  facets: null,
  page: null,
  others: [],
}

/** Characters. */
export const longestSearch = 1_000

const sides = ['after', 'before'] as const

/** In `facets`, for none. */
const noFacets = '-'

/** Null for a search that is blank, which selects all records. */
export function searchOf(parameters: readonly (readonly [string, string])[]): string | null {
  const search = parameters.findLast(([name]) => name === 'q')?.[1] ?? ''
  return isBlank(search) ? null : search.trim()
}

/** `others`: parameters that belong to the page and not to the view. */
export function readView(
  parameters: readonly (readonly [string, string])[],
  subject: PageSubject,
  others: readonly string[] = [],
): { readonly view: View; readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const own = parameters.filter(([name]) => isReserved(name) && !others.includes(name))
  for (const [name] of own) {
    if (viewParameters.some((each) => each === name)) continue
    const field = subject.fields.get(name)
    if (field === undefined) problems.push({ kind: 'unknownParameter', name })
    else problems.push({ kind: 'reservedName', name, condition: `${name}.${operatorsOf(field)[0]}` })
  }
  const last = (name: string): string => own.findLast(([each]) => each === name)?.[1].trim() ?? ''
  const listed = (name: string, has: (field: string) => boolean): readonly string[] | null => {
    const values = own
      .filter(([each]) => each === name)
      .flatMap(([, value]) => value.split(',').filter((each) => each !== ''))
    for (const value of values)
      if (!has(value)) problems.push(unknownChoice(name, value, [...subject.fields.keys()].filter(has)))
    return values.length === 0 ? null : [...new Set(values)].filter(has)
  }
  const show = choiceOf('show', last('show'), shows, problems)
  const stories = last('stories')
  if (stories !== '' && subject.collection.stories === null)
    problems.push({ kind: 'unknownParameter', name: 'stories' })
  else choiceOf('stories', stories, ['1'], problems)
  const free = parameters.filter(([name]) => !isReserved(name) && !others.includes(name))
  const read = readConditions(free, subject)
  const search = searchOf(own) ?? ''
  if (search !== '' && subject.collection.searchFields.length === 0)
    problems.push({ kind: 'noSearch', name: 'q' })
  if (search.length > longestSearch) problems.push({ kind: 'longValue', name: 'q', most: longestSearch })
  const view: View = {
    search,
    conditions: read.conditions,
    sort: readSort(last('sort'), subject, problems),
    show: show ?? 'list',
    stories: stories === '1',
    columns: listed('columns', (name) => subject.fields.get(name)?.many === false),
    facets: last('facets') === noFacets ? [] : listed('facets', (name) => isFacet(subject.fields.get(name))),
    page: sides.map((side) => ({ side, cursor: last(side) })).find(({ cursor }) => cursor !== '') ?? null,
    others: parameters.filter(([name]) => others.includes(name)),
  }
  return { view, problems: [...read.problems, ...problems] }
}

/** `publishedAt`, or `-publishedAt` for descending. */
function readSort(text: string, { fields, collection }: PageSubject, problems: Problem[]): View['sort'] {
  if (text === '') return null
  const field = text.replace(/^-/, '')
  const counts = sortFields(collection).filter(({ leaf }) => leaf.kind === 'count')
  const choices = [...[...fields.values()].filter(({ isSort }) => isSort), ...counts].map(({ name }) => name)
  if (choices.includes(field)) return { field, direction: text.startsWith('-') ? 'desc' : 'asc' }
  problems.push(unknownChoice('sort', text, choices))
  return null
}

/** The query of an address, without `?`; blank for the view without any conditions. */
export function writeView(view: View): string {
  return queryText(viewParametersOf(view))
}

/** Whether `readView` takes the search and the conditions from an address. */
export function isReadableView({ search, conditions }: View): boolean {
  return search.length <= longestSearch && areReadable(conditions)
}

export function viewParametersOf(view: View): readonly (readonly [string, string])[] {
  const { search, conditions, sort, show, stories, columns, facets, page, others } = view
  const parameters: (readonly [string, string])[] = []
  if (search !== '') parameters.push(['q', search])
  parameters.push(...writeConditions(conditions, isReserved))
  if (sort !== null) parameters.push(['sort', `${sort.direction === 'desc' ? '-' : ''}${sort.field}`])
  if (show !== 'list') parameters.push(['show', show])
  if (stories) parameters.push(['stories', '1'])
  if (columns !== null) parameters.push(['columns', columns.join(',')])
  if (facets !== null) parameters.push(['facets', facets.length === 0 ? noFacets : facets.join(',')])
  if (page !== null) parameters.push([page.side, page.cursor])
  return [...parameters, ...others]
}

export function queryText(parameters: readonly (readonly [string, string])[]): string {
  return new URLSearchParams(parameters.map(([name, value]) => [name, value]))
    .toString()
    .replaceAll('%2C', ',')
}

/** The same view from its first page. Other conditions or another order have other pages. */
export function changed(view: View, change: Partial<View>): View {
  return { ...view, page: null, ...change }
}

/** Only the conditions of the view on its time: what a part of the records is compared with. */
export function periodOnly(view: View, { roles }: PageSubject): View {
  return { ...view, search: '', conditions: view.conditions.filter(({ field }) => field.name === roles.time) }
}

export function isRestricted({ search, conditions }: View): boolean {
  return search !== '' || conditions.length > 0
}

/** The view with its records, and without the choices of how a list shows them. */
export function recordsOnly(view: View): View {
  return { ...view, sort: null, show: 'list', stories: false, columns: null, facets: null, page: null }
}

/** The view with the condition instead of the one on the same field with the same operator; without values it goes. */
export function withCondition(view: View, condition: Condition): View {
  const same = (each: Condition) =>
    each.field.name === condition.field.name && each.operator === condition.operator
  const at = view.conditions.findIndex(same)
  const others = view.conditions.filter((each) => !same(each))
  const conditions =
    condition.values.length === 0 ? others : others.toSpliced(at < 0 ? others.length : at, 0, condition)
  return changed(view, { conditions })
}

/** The view of those of its records that have the value, of an array next to others; null where no conditions select them. */
export function viewOfValue(view: View, field: ShownField, value: string): View | null {
  const element = elementOf(field)
  const own = valuesOf(view, field.name, 'is')
  if (own.length === 1 && own[0] === value) return view
  // Conditions on one element would select other records.
  const isOfElement = ({ field: of, operator }: Condition) => elementOf(of) === element && operator !== 'not'
  if (element !== '' && view.conditions.some(isOfElement)) return null
  const isNext = field.isArray && own.length > 0
  if (!isNext) return withCondition(view, { field, operator: 'is', values: [value] })
  if (!operatorsOf(field).includes('all')) return null
  const values = [...new Set([...valuesOf(view, field.name, 'all'), value])]
  return withCondition(view, { field, operator: 'all', values })
}

/** The names that lead to the array or the reverse field that it is in; blank where it is in none. */
function elementOf({ steps }: ShownField): string {
  const names = steps.map(({ name }) => name)
  return names.slice(0, steps.findLastIndex(({ some }) => some) + 1).join('.')
}

export function valuesOf(view: View, name: string, operator: Condition['operator']): readonly string[] {
  return view.conditions.find((each) => each.field.name === name && each.operator === operator)?.values ?? []
}

/** The arguments of lists, aggregates and exports that select records; undefined ones are left out. */
export interface RecordArguments {
  readonly where: Where | undefined
  readonly search: string | undefined
}

export function recordArguments({ conditions, search }: View): RecordArguments {
  return {
    where: conditions.length === 0 ? undefined : whereOf(conditions),
    search: search === '' ? undefined : search,
  }
}

/** Whether the service takes the search. */
export function canSearch(search: string, { searchFields }: Collection): boolean {
  return !(tryParse(search, searchFields) instanceof SearchError)
}

/** Finds what any of the searches does; null for fewer than two, and where an open quotation would take in the others. */
export function searchOfAny(searches: readonly string[], { searchFields }: Collection): string | null {
  const any = searches.map((each) => `(${each})`).join(' OR ')
  const of = searches.map((each) => tryParse(each, searchFields))
  return isDeepStrictEqual(tryParse(any, searchFields), { kind: 'any', of }) ? any : null
}

/** Whether the search is blank or only excludes words, so that no record is more relevant than another. */
export function isUnranked(search: string, { searchFields }: Collection): boolean {
  const parsed = tryParse(search, searchFields)
  return parsed === null || (!(parsed instanceof SearchError) && wantedTerms(parsed).length === 0)
}

/** The last value of a parameter of the page besides those of the view; blank without one. */
export function readOther({ others }: View, name: string): string {
  return others.findLast(([each]) => each === name)?.[1].trim() ?? ''
}

/** The value, if it is one of the choices; otherwise null, and a problem unless it is absent. */
export function readChoice<T extends string>(
  view: View,
  name: string,
  choices: readonly T[],
  problems: Problem[],
): T | null {
  return choiceOf(name, readOther(view, name), choices, problems)
}

function choiceOf<T extends string>(
  name: string,
  value: string,
  choices: readonly T[],
  problems: Problem[],
): T | null {
  const found = choices.find((each) => each === value)
  if (found === undefined && value !== '') problems.push(unknownChoice(name, value, choices))
  return found ?? null
}

/** The first page of the view with these other parameters; null removes one. */
export function withOthers(view: View, changes: Readonly<Record<string, string | null>>): View {
  const kept = view.others.filter(([name]) => !Object.hasOwn(changes, name))
  const added = Object.entries(changes).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  )
  return changed(view, { others: [...kept, ...added] })
}
