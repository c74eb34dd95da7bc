/** How many records of a collection there are over time: as counts or shares, and split by a field. */
import { nounTitle } from '../fields/labels.ts'
import { fieldsNamed } from '../lists/list.ts'
import { isFacet, type ShownField } from '../fields/shown-field.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Answer } from '../page.ts'
import type { Problem } from '../view/problem.ts'
import { readChoice, recordArguments, viewOfValue, withCondition } from '../view/view.ts'
import { andWhere, longestValue, whereOf } from '../../ask/where.ts'
import { aggregateOf, type ChartContext, type GroupAnswer, type GroupsAnswer } from './asked-chart.ts'
import { cutNote, groupingBy, groupingSelection, labelsOf } from './grouping.ts'
import type { OverTime, Series } from './over-time.ts'
import { drawOverTime, measures, seriesPanels, tableOverTime } from './over-time.ts'
import { boundsOf, periods } from './periods.ts'
import { shareBase } from './share-base.ts'
import { countIn, rangePanels, type TimeAxis, timeField } from './time-axis.ts'

export type TimeChart = NonNullable<ReturnType<typeof timeChart>>

const mostSplitValues = 8

/** Null if the collection's time cannot be grouped by. */
export function timeChart(context: ChartContext) {
  const { subject, view, language } = context
  const field = timeField(subject)
  if (field === null) return null
  const problems: Problem[] = []
  // Files and embedded charts, whose addresses have no facets, are split by the same fields.
  const choices = [...subject.fields.values()].filter(
    (each) => isFacet(each) && subject.groupable.has(each.name),
  )
  const names = choices.map(({ name }) => name)
  const chosen = readChoice(view, 'split', names, problems)
  const split = choices.find(({ name }) => name === chosen) ?? null
  const offered = [...subject.roles.facets, ...(view.facets ?? []), chosen]
  const splits = fieldsNamed(subject, offered).filter((each) => choices.includes(each))
  const as = readChoice(view, 'as', measures, problems) ?? 'count'
  const per = readChoice(view, 'per', periods, problems)
  const bounds = boundsOf(view, field)
  // A chart of a part has the range of the whole, so that one sees where the part begins.
  const axis: TimeAxis = { ...context, field, bounds, per }
  const own = recordArguments(view)
  const base = shareBase(view, subject, problems)
  const shared = as === 'share' ? base : null
  const partsPanel = (by: ShownField): Panel => ({
    name: 'parts',
    field: aggregateOf(subject),
    arguments: { ...own, groupBy: [by.name], limit: mostSplitValues + 1 },
    selection: { groupCount: {}, groups: { ...groupingSelection(groupingBy(by)), count: {} } },
  })
  const asksParts = split === null ? [] : [partsPanel(split)]
  const whole: Series = { panel: 'part0', name: nounTitle(subject, language), view: null, own, row: {} }
  const chart: OverTime = {
    axis,
    base: shared,
    seriesIn: (answer) => (split === null ? [whole] : partsIn(answer, split, context)),
    apart: [{ at: '', name: null, own }],
    own,
    hasUndated: true,
    view,
    split,
    isStacked: split === null || !split.isArray,
    columns: split === null ? {} : { [split.name]: 'text', [restColumn(split)]: 'boolean' },
  }
  return {
    problems,
    /** `per`: null if it is chosen by the range. */
    choices: { as, base, split, per, splits, field },
    panels: [...rangePanels(axis), ...asksParts],
    more: (answer: Answer | null) => seriesPanels(chart, answer),
    /** How many records have no time. */
    undated: (answer: Answer) => countIn(answer, 'undated'),
    chart(answer: Answer, until: number) {
      const { spec, notes } = drawOverTime(chart, answer, until, language)
      // Of an array there are no others, so that the chart says how many values it leaves out.
      const leftOut =
        split?.isArray === true &&
        cutNote(groupingBy(split), spec.series.length, answer['parts'] as GroupsAnswer, false, language)
      return { spec, notes: [...notes, leftOut].filter((note) => note !== false && note !== null) }
    },
    table: (answer: Answer) => tableOverTime(chart, answer),
  }
}

/**
 * The largest values of the field, and all other records. Without an answer as many parts as there may be. Records may
 * have several elements of an array, so that there are no others. Values that are too long to ask for are among the
 * others.
 */
function partsIn(answer: Answer | null, field: ShownField, context: ChartContext): readonly Series[] {
  const { view, language } = context
  const own = recordArguments(view)
  const found = (answer?.['parts'] ?? null) as GroupsAnswer | null
  const groups = (found?.groups ?? anyGroups(field))
    .filter((group) => String(group[field.name] ?? '').length <= longestValue)
    .slice(0, mostSplitValues)
  const values = groups.map((group) => (group[field.name] == null ? null : String(group[field.name])))
  const labelOf = labelsOf(groupingBy(field), groups, language)
  const parts = groups.map((group, at): Series => {
    const value = values[at] ?? null
    const chosen = { field, operator: value === null ? 'missing' : 'is', values: [value ?? '1'] } as const
    return {
      panel: `part${at}`,
      name: labelOf(group),
      view: value === null ? withCondition(view, chosen) : viewOfValue(view, field, value),
      own: { ...own, where: andWhere(own.where, whereOf([chosen])) },
      row: { [field.name]: value, [restColumn(field)]: false },
    }
  })
  if (field.isArray || (found !== null && (found.groupCount ?? 0) <= parts.length)) return parts
  const present = values.filter((value) => value !== null)
  const excluded = [
    ...(present.length === 0 ? [] : [whereOf([{ field, operator: 'not', values: present }])]),
    ...(values.includes(null) ? [{ NOT: whereOf([{ field, operator: 'missing', values: ['1'] }]) }] : []),
  ]
  const others: Series = {
    panel: `part${parts.length}`,
    name: language.text.charts.others,
    isRest: true,
    view: null,
    own: { ...own, where: andWhere(own.where, ...excluded) },
    row: { [field.name]: null, [restColumn(field)]: true },
  }
  return [...parts, others]
}

/** In files, next to the column of the field. */
function restColumn({ name }: ShownField): string {
  return name === 'others' ? 'others_' : 'others'
}

/** As many groups as there may be, of values that the field may have. */
function anyGroups({ name, type: { kind } }: ShownField): readonly GroupAnswer[] {
  const isReference = kind === 'strongRef' || kind === 'atUri'
  const valueAt = (at: number): string => {
    if (kind === 'boolean') return 'true'
    return isReference ? `at://did:web:example.org/org.example.any/${at}` : String(at)
  }
  return Array.from({ length: mostSplitValues + 1 }, (_, at) => ({ count: 1, [name]: valueAt(at) }))
}
