/** Conditions and views in words. */
import { counted, fieldLabel, subjectLabel } from '../fields/labels.ts'
import { entityField } from '../fields/named-references.ts'
import type { PageSubject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { isCountry, type Names, plainValue, recordText, shortText } from '../parts/values.ts'
import { isDate } from '../../ask/where.ts'
import type { Condition } from '../view/conditions.ts'
import { changed, type View, withCondition } from '../view/view.ts'
import { type Browse, viewAddress } from './context.ts'
import { parseInstant } from '../../util/instant.ts'
import { isBlank } from '../../util/text/visible.ts'
import { isLanguage, type ShownField } from '../fields/shown-field.ts'

/** `Language: German` of one of the values. */
export function sentenceOf(
  { field, operator }: Condition,
  value: string,
  language: Language,
  names: Names,
): readonly [before: string, value: string | null, after: string] {
  const { sentences } = language.text.filtering
  const sentence =
    operator === 'missing' ? (value === '1' ? sentences.isMissing : sentences.isPresent) : sentences[operator]
  const [before = '', after] = sentence.replace('{field}', fieldLabel(field, language)).split('{value}')
  return after === undefined ? [before, null, ''] : [before, plainValue(field, value, language, names), after]
}

/** Each value of the conditions in words; the two bounds of a range in one sentence. */
export function sentencesOf(
  conditions: readonly Condition[],
  language: Language,
  names: Names = new Map(),
): readonly string[] {
  const boundOf = ({ field }: Condition, operator: 'from' | 'to') =>
    conditions.find((each) => each.field === field && each.operator === operator)?.values[0]
  return conditions.flatMap((condition) => {
    const { field, operator } = condition
    if (operator === 'to' && boundOf(condition, 'from') !== undefined) return []
    const end = operator === 'from' ? boundOf(condition, 'to') : undefined
    return condition.values.map((value) => {
      const said = value === end ? { ...condition, operator: 'is' as const } : condition
      const [before, shown, after] = sentenceOf(said, value, language, names)
      const until =
        end === undefined || value === end ? '' : ` ${language.text.to} ${plainValue(field, end, language)}`
      return `${before}${shown ?? ''}${after}${until}`
    })
  })
}

/** `in English by BBC News or CNN with Category: sport`, of records in a sentence. */
export function phrasesOf(
  conditions: readonly Condition[],
  subject: PageSubject,
  language: Language,
  names?: Names,
): string {
  const { phrases } = language.text.charts
  const entity = entityField(subject)
  const fields = [...subject.fields.values()]
  const isOfEntity = ({ words }: ShownField) => words.length === 2 && words[0] === entity?.words[0]
  // A field for each phrase: of others, as of places that a record is about, the label says what they are.
  const own = {
    in: fields.find((field) => field.isOwn && !field.isArray && isLanguage(field)),
    by: entity ?? undefined,
    from: fields.find((field) => !field.isArray && isOfEntity(field) && isCountry(field)),
  }
  const kinds = ['in', 'by', 'from'] as const
  const kindOf = ({ field, operator }: Condition): keyof typeof phrases =>
    (operator === 'is' && kinds.find((kind) => own[kind] === field)) || 'with'
  const of = (kind: keyof typeof phrases) => conditions.filter((condition) => kindOf(condition) === kind)
  const said = kinds.flatMap((kind) =>
    of(kind).map(({ field, values }) =>
      phrases[kind](language.anyOf(values.map((value) => plainValue(field, value, language, names)))),
    ),
  )
  const rest = sentencesOf(of('with'), language, names).join(language.text.semicolon)
  return [...said, ...(rest === '' ? [] : [phrases.with(rest)])].join(' ')
}

export const longestTitle = 300

/** The searches of a view and of its topics, each once. */
export function searchesOf({ search, others }: View): readonly string[] {
  const topics = others.filter(([name]) => name === 'q').map(([, topic]) => topic.trim())
  return [...new Set([search, ...topics])].filter((each) => !isBlank(each))
}

/** A search as a text between quotes: its phrases have quotes of their own. */
export function withInnerQuotes(search: string): string {
  return search.replaceAll(/["“]([^"“”]+)["”]/g, '‘$1’')
}

/** For feeds, citations and prompts: `Article: “storm”; Language: German` */
export function viewTitle(view: View, subject: PageSubject, language: Language, names?: Names): string {
  const { conditions, stories } = view
  const { text } = language
  const parts = [
    ...searchesOf(view).map((each) => `“${withInnerQuotes(each)}”`),
    ...sentencesOf(conditions, language, names),
    ...(stories ? [text.story.each] : []),
  ]
  const label = subjectLabel(subject, language)
  return shortText(parts.length === 0 ? label : `${label}: ${parts.join(text.semicolon)}`, longestTitle)
}

/** Of the records of a list, or of its stories. */
export function listCount(count: number, view: View, subject: PageSubject, language: Language): string {
  const { text, plural } = language
  return view.stories ? plural(text.story.count, count) : counted(subject, count, language)
}

/** Says which ranges no record can match, with links that swap their bounds. */
export function reversedNotes(
  view: View,
  language: Language,
  addressOf: (view: View) => string | null,
): Html {
  const { filtering } = language.text
  return view.conditions.map((from): Html => {
    const { field } = from
    const to = view.conditions.find((each) => each.field.name === field.name && each.operator === 'to')
    const [low, high] = [from.values[0]?.trim(), to?.values[0]?.trim()]
    if (from.operator !== 'from' || to === undefined || low === undefined || high === undefined) return null
    if (!isAfter(field, low, high)) return null
    const conditions = view.conditions.map((each) => {
      if (each === from) return { ...from, values: to.values }
      return each === to ? { ...to, values: from.values } : each
    })
    return html`<p class="problem">${filtering.reversed(fieldLabel(field, language))} <a href=${addressOf(changed(view, { conditions }))} rel="nofollow">${filtering.swap}</a></p>`
  })
}

/** Each condition with a link that removes it. */
export function conditionList(browse: Browse): Html {
  const { view, language, names } = browse
  const { text } = language
  if (view.conditions.length === 0) return null
  const list = html`<ul class="filters" aria-label=${text.filters}>
    ${view.conditions.flatMap((condition) =>
      condition.values.map((value) => {
        const [before, shown, after] = sentenceOf(condition, value, language, names)
        const rest = condition.values.filter((each) => each !== value)
        const address = viewAddress(browse, withCondition(view, { ...condition, values: rest }))
        return html`<li><a href=${address} rel="nofollow" aria-label=${text.filtering.remove(before + (shown ?? '') + after)}>
          ${before}${shown !== null && html`<b>${recordText(shown)}</b>`}${after} <span aria-hidden="true">×</span>
        </a></li>`
      }),
    )}
    ${
      view.conditions.length > 1 &&
      html`<li><a class="clear" href=${viewAddress(browse, changed(view, { conditions: [] }))} rel="nofollow">${text.clear}</a></li>`
    }
  </ul>`
  return [list, reversedNotes(view, language, (swapped) => viewAddress(browse, swapped))]
}

function isAfter({ type: { kind } }: ShownField, from: string, to: string): boolean {
  if (kind === 'integer') return Number(from) > Number(to)
  const [low, high] = [parseInstant(from), parseInstant(to)]
  if (kind !== 'datetime' || low === null || high === null) return false
  // A date means its whole day.
  return isDate(to) ? low >= high + aDay : low > high
}

/** Microseconds. */
const aDay = 86_400_000_000n
