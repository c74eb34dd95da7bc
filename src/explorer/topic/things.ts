/** The words and values that go with topics: which records they are compared with, and what is asked. */
import { areAffordable, type Panel } from '../../ask/operation.ts'
import { andWhere, whereOf } from '../../ask/where.ts'
import type { ChartContext, GroupsAnswer } from '../chart-data/asked-chart.ts'
import { recordsInWords, type ShareBase } from '../chart-data/share-base.ts'
import { countPanel } from '../chart-data/time-axis.ts'
import type { TopicChart } from '../chart-data/topic-chart.ts'
import { languageField, thingOf } from '../chart-data/unusual.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { Answer } from '../page.ts'
import type { Names } from '../parts/values.ts'
import type { Condition } from '../view/conditions.ts'
import { periodOnly, recordArguments, type View, withCondition } from '../view/view.ts'

export type ThingKind = 'words' | 'values'

export interface TopicContext extends ChartContext {
  readonly chart: TopicChart
  /** Of records that conditions refer to. */
  readonly names: Names
}

/** With a null answer about languages: panels that cost at least as much. */
export function thingPanels(kind: ThingKind, answer: Answer | null, context: Omit<TopicContext, 'names'>) {
  return panelsAgainst(comparedWith(kind, context), kind, answer, context)
}

/** What the words or values of a topic are compared with, in words. `spoken`: the only language of the words. */
export function comparedText(kind: ThingKind, spoken: Condition | null, context: TopicContext): string {
  const view = { ...context.view, conditions: comparedWith(kind, context) }
  const { conditions } = spoken === null || kind === 'values' ? view : withCondition(view, spoken)
  return recordsInWords(conditions, context.subject, context.language, context.names)
}

/**
 * What shares of the topics are of; without other conditions than a period, and for words on the language, all times.
 * Where that would cost too much, such as the records of one country's outlets, all records of the period and the language.
 */
function comparedWith(kind: ThingKind, context: Omit<TopicContext, 'names'>): readonly Condition[] {
  const { site, subject, view, chart } = context
  const isSpoken = ({ field }: Condition) => field.name === languageField(subject)?.name
  const { isWholeBy, filters, conditions: base } = chart.base
  // Within the period, words of a language would be compared with themselves.
  const language = kind === 'words' ? filters.filter(isSpoken).map(({ field }) => field) : []
  const conditions = isWholeBy(language) ? [] : base
  if (areAffordable(site, panelsAgainst(conditions, kind, null, context))) return conditions
  const spoken = view.conditions.filter(isSpoken)
  return [...periodOnly(view, subject).conditions, ...spoken]
}

function panelsAgainst(
  conditions: readonly Condition[],
  kind: ThingKind,
  answer: Answer | null,
  context: Omit<TopicContext, 'names'>,
): readonly Panel[] {
  const { subject, chart } = context
  return chart.topics.flatMap((topic, at) => {
    const spoken = kind === 'words' ? languageIn(answer, at, topic, chart, subject) : null
    const view = spoken === null ? topic : withCondition(topic, spoken)
    const thing = thingOf(kind, { ...context, view })
    if (thing === null) return []
    const where = andWhere(whereOf(conditions), spoken && whereOf([spoken]))
    return [
      thing.panel(`${kind}${at}`, where),
      countPanel(subject, `here${at}`, recordArguments(view)),
      countPanel(subject, `compared${at}`, { where, search: undefined }),
    ]
  })
}

/** Whether all that the records are compared with has one language too. */
export function isOfOneLanguage(base: ShareBase, { conditions }: View, subject: PageSubject): boolean {
  const name = languageField(subject)?.name
  const isOne = ({ field, operator, values }: Condition) =>
    field.name === name && operator === 'is' && values.length === 1
  return base.name === 'filters' && conditions.some(isOne)
}

/** The language of more than half of the records: next to others its usual words are unusual. Null where all have one; with a null answer, any. */
export function languageIn(
  answer: Answer | null,
  at: number,
  view: View,
  { base }: TopicChart,
  subject: PageSubject,
): Condition | null {
  if (isOfOneLanguage(base, view, subject)) return null
  const field = languageField(subject)
  const { count = 0, groups = [] } = (answer?.[`language${at}`] ?? {}) as Partial<GroupsAnswer>
  const [largest] = groups.filter((group) => 2 * group.count > count)
  const value = answer === null ? 'en' : largest?.[field?.name ?? '']
  return field === null || typeof value !== 'string' ? null : { field, operator: 'is', values: [value] }
}
