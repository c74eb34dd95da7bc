/** What shares are of: all records, or those that have the filters of the view without its search. */
import { phrasesOf } from '../browse/sentences.ts'
import { nounOf } from '../fields/labels.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { Language } from '../languages/language.ts'
import type { Names } from '../parts/values.ts'
import type { Problem } from '../view/problem.ts'
import { periodOnly, readChoice, recordArguments, type View } from '../view/view.ts'

const bases = ['filters', 'all'] as const

export type ShareBase = Readonly<ReturnType<typeof shareBase>>

/** Without a search, shares are of all records. The period of the view restricts both. */
export function shareBase(view: View, subject: PageSubject, problems: Problem[]) {
  const chosen = readChoice(view, 'base', bases, problems)
  const period = periodOnly(view, subject)
  const filters = view.conditions.filter((each) => !period.conditions.includes(each))
  const isChoice = view.search !== '' && filters.length > 0
  const name: (typeof bases)[number] = chosen === 'all' || !isChoice ? 'all' : 'filters'
  return {
    name,
    /** Whether both are different records, so that there is a choice. */
    isChoice,
    /** Whether they are the records of the view, so that a share says nothing. */
    isWhole: view.search === '' && filters.length === 0,
    isWithinPeriod: period.conditions.length > 0,
    /** The filters of the records that are counted, but not of those that they are a share of. */
    apart: name === 'all' ? filters : [],
    own: recordArguments(name === 'all' ? period : { ...view, search: '' }),
    /** In words, within a sentence. */
    text(of: typeof name, language: Language, names?: Names): string {
      const { allRecords, recordsWith } = language.text.charts
      const noun = nounOf(subject, language)
      return of === 'all' ? allRecords(noun) : recordsWith(noun, phrasesOf(filters, subject, language, names))
    },
  }
}

export function baseText(base: ShareBase, language: Language, names?: Names): string {
  return base.text(base.name, language, names)
}

/** Of shares of the whole, which has the period of the view; a chart over time shows that by itself. */
export function wholeBaseText(base: ShareBase, language: Language, names?: Names): string {
  const text = baseText(base, language, names)
  return base.isWithinPeriod ? language.text.charts.withinPeriod(text) : text
}
