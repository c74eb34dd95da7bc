/** What a chart of a measure by one or two fields asks. */
import type { ChartKind } from '../charts/chart-spec.ts'
import { leaves, mergeSelections } from '../../ask/graphql-text.ts'
import { areAffordable, type Panel } from '../../ask/operation.ts'
import { whereOf } from '../../ask/where.ts'
import type { Answer, Site } from '../page.ts'
import { recordArguments, type RecordArguments } from '../view/view.ts'
import type { ChartContext, GroupAnswer, GroupsAnswer } from './asked-chart.ts'
import { aggregateOf, atLeast, fewRecords, leastRecords, mostGroups } from './asked-chart.ts'
import { type GroupChoices, measureForms } from './group-choices.ts'
import type { Grouping } from './grouping.ts'
import { groupingSelection, inGroups, inOrder, isNumber, isOrdered, periodOf, withValue } from './grouping.ts'
import { mostPeriods } from './periods.ts'
import { countPanel } from './time-axis.ts'

/** Rows of a chart with an array, each of which is asked for by itself. */
const mostArrayRows = 12
/** The hours of a day, and a group of the records without a time, which is not shown. */
const mostTimeParts = 25

export type GroupPlan = Readonly<ReturnType<typeof planOf>>

/** By the choices of the reader. */
export function planOf(choices: GroupChoices, { view, subject }: ChartContext) {
  const { measure, by } = choices
  const [first, second] = by as [Grouping, Grouping?]
  const isTurned = second !== undefined && !isOrdered(first) && isOrdered(second)
  const [across, other] = isTurned ? [second, first] : [first, second]
  const isOfGroup = measure === 'share' && !choices.base.isWhole
  const isLined = isOrdered(across) && (other !== undefined || measure !== 'count')
  const preset: ChartKind = isLined ? 'lines' : other === undefined ? 'bars' : 'table'
  return {
    subject,
    choices,
    form: measureForms[measure === 'share' && !isOfGroup ? 'shareOfAll' : measure],
    /** The name of the field that is measured; blank without one. */
    of: (measure === 'distinct' ? choices.of?.name : choices.of?.plainName) ?? '',
    /** Times and numbers go from left to right; the other field has colours or rows. */
    across,
    other,
    /** The records of the view. */
    own: recordArguments(view),
    /** What shares are of, where the groups have other records too; null for all other measures. */
    whole: isOfGroup ? choices.base.own : null,
    /** What is drawn without a choice of the reader. */
    preset,
  }
}

/** By one field its groups; by two fields those of each, of which all pairs are asked for then. */
export function panelsOf(plan: GroupPlan): readonly Panel[] {
  const { choices, across, other, own } = plan
  if (other === undefined) return [measurePanel(plan, own)]
  const rows = mostRows(plan, other)
  const columns = Math.min(isOrdered(across) ? mostPeriods : Number(choices.top), mostGroups / rows)
  return [groupsPanel('rows', other, plan, rows), groupsPanel('columns', across, plan, Math.floor(columns))]
}

function mostRows({ choices, across, preset }: GroupPlan, rows: Grouping): number {
  const most = (choices.kind ?? preset) === 'table' ? Number(choices.top) : 6
  if (rows.field.isArray || across.field.isArray) return Math.min(most, mostArrayRows)
  return isOrdered(rows) && periodOf(rows) === null ? Math.max(most, mostTimeParts) : most
}

/** Asks for the groups of one field that have most records, or are the newest. */
function groupsPanel(name: string, key: Grouping, { subject, own }: GroupPlan, most: number): Panel {
  return {
    name,
    field: aggregateOf(subject),
    arguments: {
      ...own,
      groupBy: [key.name],
      interval: key.step ?? undefined,
      orderBy: periodOf(key) === null ? undefined : 'KEY_DESC',
      limit: most,
    },
    selection: { ...leaves('count', 'groupCount'), groups: { ...groupingSelection(key), count: {} } },
  }
}

/** The numbers of records in no group, where the list of groups ends before that of these. */
export function missingPanels(plan: GroupPlan, answer: Answer | null): readonly Panel[] {
  return listsOf(plan).flatMap(([key, name]) => {
    const { groups, groupCount = 0 } = groupsIn(answer, name)
    const isKnown = groupCount <= groups.length || groups.some((group) => group[key.name] === null)
    if (!isOrdered(key) || (answer !== null && isKnown)) return []
    const missing = whereOf([{ field: key.field, operator: 'missing', values: ['1'] }])
    return [countPanel(plan.subject, `${name}Missing`, plan.own, missing)]
  })
}

/** The fields of a chart, and the names of the lists of their groups. */
export function listsOf({ across, other }: GroupPlan): readonly (readonly [Grouping, string])[] {
  if (other === undefined) return [[across, 'groups']]
  return [
    [across, 'columns'],
    [other, 'rows'],
  ]
}

/** How many records have no value of the field. */
export function missingIn(answer: Answer, key: Grouping, name: string): number {
  const own = groupsIn(answer, name).groups.find((group) => group[key.name] === null)
  return own?.count ?? groupsIn(answer, `${name}Missing`).count ?? 0
}

/** All pairs, and what shares divide by. Records may have further elements of an array, so that each row is asked for. */
export function measuresOf(plan: GroupPlan, answer: Answer | null, site: Site): readonly Panel[] {
  const { across, other, own } = plan
  // A group with a total and without a match has the share 0. Where the largest shares are shown, there is none.
  const whole = isRanked(plan) ? null : plan.whole
  if (other === undefined) {
    if (whole !== null) return [totalsPanel('', inColumns(whole))]
    // Groups of fewer records are ranked where none has enough.
    const isNone = plan.whole !== null && answer !== null && groupsIn(answer, 'groups').groups.length === 0
    return isNone ? [measurePanel(plan, own, 1)] : []
  }
  const rows = rowsIn(answer, other)
  const pairPanels = (suffix: string, of: readonly GroupAnswer[]): readonly Panel[] => [
    { ...measurePanel(plan, inGroups(inColumns(own), other, of)), name: `pairs${suffix}` },
    ...(whole === null ? [] : [totalsPanel(suffix, inGroups(inColumns(whole), other, of))]),
  ]
  if (!other.field.isArray && !across.field.isArray) return pairPanels('', rows)
  const each = rows.map((row, at) => pairPanels(`${at}`, [row]))
  // As many rows as can be afforded.
  let most = rows.length
  while (most > 1 && !areAffordable(site, each.slice(0, most).flat())) most = Math.ceil(most / 2)
  return each.slice(0, most).flat()

  function inColumns(records: RecordArguments): RecordArguments {
    const { groups } = groupsIn(answer, other === undefined ? 'groups' : 'columns')
    return inGroups(records, across, groups, other === undefined)
  }

  function totalsPanel(suffix: string, records: RecordArguments): Panel {
    const { field, arguments: given } = measurePanel(plan, records)
    const keys = plan.choices.by.map((each) => each.name)
    return {
      name: `totals${suffix}`,
      field,
      arguments: { ...given, denominator: undefined },
      selection: { groups: leaves(...keys, 'count') },
    }
  }
}

/** The groups of the records, or their pairs, with the measure. */
function measurePanel(plan: GroupPlan, records: RecordArguments, least = fewRecords): Panel {
  const { subject, choices, form, of, across, other, whole } = plan
  const { rank } = form
  const { by } = choices
  const order = { measure: rank, ...(of !== '' && { field: of }), direction: 'DESC' }
  return {
    name: 'groups',
    field: aggregateOf(subject),
    arguments: {
      ...records,
      denominator: whole === null ? undefined : (whole.where ?? {}),
      groupBy: by.map(({ name }) => name),
      interval: by.find(isNumber)?.step ?? undefined,
      limit: isRanked(plan) ? Number(choices.top) : mostGroups,
      orderBy: other === undefined && periodOf(across) !== null ? 'KEY_DESC' : undefined,
      rankBy: isRanked(plan) && rank !== null ? order : undefined,
      having:
        isRanked(plan) && hasLeast(plan)
          ? atLeast(leastRecords, least).slice(0, whole === null ? 1 : 2)
          : undefined,
    },
    selection: {
      ...leaves('count', 'groupCount'),
      groupsPageInfo: { hasNextPage: {} },
      groups: mergeSelections([...by.map(groupingSelection), { count: {} }, form.select(of)]),
    },
  }
}

/** Whether the groups with the largest measures are shown. */
export function isRanked({ across, other }: GroupPlan): boolean {
  return other === undefined && !isOrdered(across)
}

/** Whether the measure is of chance where a group has few records. */
export function hasLeast({ form, choices }: GroupPlan): boolean {
  return form.rank !== null && choices.measure !== 'distinct'
}

export function groupsIn(answer: Answer | null, name: string): GroupsAnswer {
  return (answer?.[name] ?? { groups: [] }) as GroupsAnswer
}

/** In the order of their values where they have one. */
export function rowsIn(answer: Answer | null, key: Grouping): readonly GroupAnswer[] {
  const { groups } = groupsIn(answer, 'rows')
  if (periodOf(key) !== null) return withValue(key, groups)
  return isOrdered(key) ? inOrder(key, groups) : groups
}
