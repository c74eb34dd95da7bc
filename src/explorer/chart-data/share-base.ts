/** What shares are of: all records, or those that have the filters of the view without its search. */
import { phrasesOf } from '../browse/sentences.ts'
import { nounOf } from '../fields/labels.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { Language } from '../languages/language.ts'
import type { Names } from '../parts/values.ts'
import type { Problem } from '../view/problem.ts'
import type { Condition } from '../view/conditions.ts'
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
  const { conditions } = name === 'all' ? period : view
  /** Whether all records of a group by the fields are in the view, or none, so that a share of the group says nothing. */
  const isWholeBy = (fields: readonly ShownField[]): boolean =>
    view.search === '' && filters.every((each) => fields.some((field) => isOf(each.field, field)))
  return {
    name,
    isWholeBy,
    /** The conditions of the view besides its period. */
    filters,
    /** Whether both are different records, so that there is a choice. */
    isChoice,
    /** Whether they are the records of the view, so that a share says nothing. */
    isWhole: isWholeBy([]),
    /** The filters of the records that are counted, but not of those that they are a share of. */
    apart: name === 'all' ? filters : [],
    conditions,
    own: recordArguments({ ...view, search: '', conditions }),
    /** In words, within a sentence. */
    text: (of: typeof name, language: Language, names?: Names): string =>
      recordsInWords(of === 'all' ? [] : filters, subject, language, names),
  }
}

/** Whether a condition on the one holds for all records with the same value of the other, such as of the same outlet. */
function isOf({ steps, isArray, many }: ShownField, group: ShownField): boolean {
  const isAlong = group.steps.every(({ name }, at) => steps[at]?.name === name)
  return isAlong && !isArray && !many && !group.isArray && !group.many
}

/** `all articles within this period`, within a sentence. */
export function recordsInWords(
  conditions: readonly Condition[],
  subject: PageSubject,
  language: Language,
  names?: Names,
): string {
  const { allRecords, recordsWith, withinPeriod } = language.text.charts
  const noun = nounOf(subject, language)
  const isPeriod = ({ field, operator }: Condition) =>
    field.name === subject.roles.time && ['from', 'to', 'is'].includes(operator)
  const others = conditions.filter((each) => !isPeriod(each))
  const phrases = phrasesOf(others, subject, language, names)
  const text = others.length === 0 ? allRecords(noun) : recordsWith(noun, phrases)
  return others.length === conditions.length ? text : withinPeriod(text)
}
