/** A measure of the records of a view, by one or two fields. */
import type { ChartKind } from '../charts/chart-spec.ts'
import { fieldLabel } from '../fields/labels.ts'
import type { Language } from '../languages/language.ts'
import { areAffordable, type Panel } from '../operation.ts'
import type { Answer, Site } from '../page.ts'
import { groupParameters } from '../view/parameters.ts'
import type { Problem } from '../view/problem.ts'
import { isRestricted, periodOnly, type View } from '../view/view.ts'
import { type RecordArguments, recordArguments } from '../view/where.ts'
import {
  aggregateOf,
  type AskedChart,
  type ChartContext,
  describe,
  type DrawnChart,
  type Group,
  groupableIn,
  type Groups,
  mostGroups,
  recordsAddress,
} from './asked-chart.ts'
import { type GroupChoices, type MeasureForm, measureForms, readGroupChoices } from './group-choices.ts'
import {
  cutNote,
  type Grouping,
  groupingLabel,
  groupingSelection,
  groupingsOf,
  groupLabel,
  idOf,
  inGroups,
  inOrder,
  isDisjoint,
  isNumber,
  isOrdered,
  keysOf,
  periodOf,
  viewOfGroup,
  withValue,
} from './grouping.ts'
import { withOthers } from './own-parameters.ts'
import { mostPeriods } from './periods.ts'

export interface GroupChart extends AskedChart {
  readonly choices: GroupChoices
}

/** Averages and shares of fewer records are mostly chance. */
const leastRecords = 5
/** More lines or colours cannot be told apart. */
const mostSeries = 7
/** Rows of a chart with an array, each of which is asked for by itself. */
const mostArrayRows = 12
/** The hours of a day, and a group of the records without a time, which is not shown. */
const mostTimeParts = 25

/** What a chart asks, by the choices of the reader. */
interface Plan {
  readonly aggregate: string
  readonly choices: GroupChoices
  readonly form: MeasureForm
  /** The name of the field that is measured; blank without one. */
  readonly of: string
  /** Times and numbers go from left to right; the other field has colours or rows. */
  readonly across: Grouping
  readonly other: Grouping | undefined
  /** The records of the view. */
  readonly own: RecordArguments
  /** What shares are of, where the groups have other records too; null for all other measures. */
  readonly whole: RecordArguments | null
  /** What is drawn without a choice of the reader. */
  readonly preset: ChartKind
}

export function groupChart(context: ChartContext): GroupChart {
  const { site, subject, view } = context
  const problems: Problem[] = []
  const groupings = groupingsOf(subject, groupableIn(context))
  const choices = readGroupChoices(view, subject, groupings, problems)
  const plan = planOf(choices, context)
  return {
    problems,
    choices,
    panels: panelsOf(plan),
    more: (answer) => furtherPanels(plan, answer, site),
    chart: (answer) => draw(plan, answer, context),
    exported: measurePanel(plan, plan.own),
  }
}

function planOf(choices: GroupChoices, { view, subject }: ChartContext): Plan {
  const { measure, by } = choices
  const [first, second] = by as [Grouping, Grouping?]
  const isTurned = second !== undefined && !isOrdered(first) && isOrdered(second)
  const [across, other] = isTurned ? [second, first] : [first, second]
  const timeless = view.conditions.filter(({ field }) => field.name !== subject.roles.time)
  const isOfGroup = measure === 'share' && isRestricted({ ...view, conditions: timeless })
  const isLined = isOrdered(across) && (other !== undefined || measure !== 'count')
  return {
    aggregate: aggregateOf(subject),
    choices,
    form: measureForms[measure === 'share' && !isOfGroup ? 'shareOfAll' : measure],
    of: choices.of?.name ?? '',
    across,
    other,
    own: recordArguments(view),
    whole: isOfGroup ? recordArguments(periodOnly(view, subject)) : null,
    preset: isLined ? 'lines' : other === undefined ? 'bars' : 'table',
  }
}

/** By one field its groups; by two fields those of each, of which all pairs are asked for then. */
function panelsOf(plan: Plan): readonly Panel[] {
  const { choices, across, other, own } = plan
  if (other === undefined) return [measurePanel(plan, own)]
  const rows = mostRows(plan, other)
  const columns = Math.min(isOrdered(across) ? mostPeriods : Number(choices.top), mostGroups / rows)
  return [groupsPanel('rows', other, plan, rows), groupsPanel('columns', across, plan, Math.floor(columns))]
}

function mostRows({ choices, across, preset }: Plan, rows: Grouping): number {
  const most = (choices.kind ?? preset) === 'table' ? Number(choices.top) : 6
  if (rows.field.isArray || across.field.isArray) return Math.min(most, mostArrayRows)
  return isOrdered(rows) && periodOf(rows) === null ? Math.max(most, mostTimeParts) : most
}

/** Asks for the groups of one field that have most records, or are the newest. */
function groupsPanel(name: string, key: Grouping, { aggregate, own }: Plan, most: number): Panel {
  return {
    name,
    field: aggregate,
    arguments: {
      ...own,
      groupBy: [key.name],
      interval: key.step ?? undefined,
      orderBy: periodOf(key) === null ? undefined : 'KEY_DESC',
      limit: most,
    },
    selection: `count groupCount\ngroups { ${groupingSelection(key)} count }`,
  }
}

/**
 * All pairs of the rows and the columns, and what their shares divide by. Records may have further elements of an array,
 * so that each row is asked for.
 */
function furtherPanels(plan: Plan, answer: Answer | null, site: Site): readonly Panel[] {
  const { across, other, own } = plan
  // A group with a total and without a match has the share 0. Where the largest shares are shown, there is none.
  const whole = isRanked(plan) ? null : plan.whole
  if (other === undefined) return whole === null ? [] : [totalsPanel('', inColumns(whole))]
  const rows = rowsIn(answer, other)
  const pairPanels = (suffix: string, of: readonly Group[]): readonly Panel[] => [
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
    const keys = plan.choices.by.map((each) => each.name).join(' ')
    return {
      name: `totals${suffix}`,
      field,
      arguments: { ...given, denominator: undefined },
      selection: `groups { ${keys} count }`,
    }
  }
}

/** The groups of the records, or their pairs, with the measure. */
function measurePanel(plan: Plan, records: RecordArguments): Panel {
  const { aggregate, choices, form, of, across, other, whole } = plan
  const { rank } = form
  const { by } = choices
  const order = { measure: rank, ...(of !== '' && { field: of }), direction: 'DESC' }
  return {
    name: 'groups',
    field: aggregate,
    arguments: {
      ...records,
      denominator: whole === null ? undefined : (whole.where ?? {}),
      groupBy: by.map(({ name }) => name),
      interval: by.find(isNumber)?.step ?? undefined,
      limit: isRanked(plan) ? Number(choices.top) : mostGroups,
      orderBy: other === undefined && periodOf(across) !== null ? 'KEY_DESC' : undefined,
      rankBy: isRanked(plan) && rank !== null ? order : undefined,
      minCount: isRanked(plan) && hasLeast(plan) ? leastRecords : undefined,
    },
    selection: [
      'count groupCount',
      'groupsPageInfo { hasNextPage }',
      `groups { ${by.map((key) => groupingSelection(key)).join(' ')} count ${form.select(of)} }`,
    ].join('\n'),
  }
}

/** Whether the groups with the largest measures are shown. */
function isRanked({ across, other }: Plan): boolean {
  return other === undefined && !isOrdered(across)
}

/** Whether the measure is of chance where a group has few records. */
function hasLeast({ form, choices }: Plan): boolean {
  return form.rank !== null && choices.measure !== 'distinct'
}

function groupsIn(answer: Answer | null, name: string): Groups {
  return (answer?.[name] ?? { groups: [] }) as Groups
}

/** In the order of their values where they have one. */
function rowsIn(answer: Answer | null, key: Grouping): readonly Group[] {
  const { groups } = groupsIn(answer, 'rows')
  if (periodOf(key) !== null) return withValue(key, groups)
  return isOrdered(key) ? inOrder(key, groups) : groups
}

/** A row of a chart by two fields, or the only one of a chart by one. */
interface GroupRow {
  readonly label: string
  /** Of the records of the row in a view; null where no conditions select them. */
  readonly viewIn: (view: View) => View | null
  /** By the ids of the keys. */
  readonly groups: ReadonlyMap<string, Group>
  readonly totals: ReadonlyMap<string, Group>
  readonly isCut: boolean
}

function readRows(
  { across, other }: Plan,
  answer: Answer,
  label: string,
  language: Language,
): readonly GroupRow[] {
  const byKey = (name: string, isOwn: (group: Group) => boolean = () => true) =>
    new Map(
      groupsIn(answer, name)
        .groups.filter(isOwn)
        .map((group) => [idOf(across, group), group]),
    )
  if (other === undefined)
    return [{ label, viewIn: () => null, groups: byKey('groups'), totals: byKey('totals'), isCut: false }]
  // One list of all pairs, or one for each row, which also has other elements of the same array.
  return rowsIn(answer, other).flatMap((row, at): readonly GroupRow[] => {
    const list = Object.hasOwn(answer, 'pairs') ? '' : String(at)
    if (!Object.hasOwn(answer, `pairs${list}`)) return []
    const isOwn = (group: Group) => idOf(other, group) === idOf(other, row)
    return [
      {
        label: groupLabel(other, row, language),
        viewIn: (view) => viewOfGroup(view, other, row),
        groups: byKey(`pairs${list}`, isOwn),
        totals: byKey(`totals${list}`, isOwn),
        isCut: groupsIn(answer, `pairs${list}`).groupsPageInfo?.hasNextPage === true,
      },
    ]
  })
}

function draw(plan: Plan, answer: Answer, context: ChartContext): DrawnChart {
  const { view, subject, language } = context
  const { choices, form, of, across, other, preset } = plan
  const { charts } = language.text
  const { groups, count = 0, groupCount = 0 } = groupsIn(answer, other === undefined ? 'groups' : 'columns')
  const plain = withOthers(view, Object.fromEntries([...groupParameters, 'part'].map((name) => [name, null])))
  const keys = keysOf(across, groups, groupCount > groups.length, plain, language)
  const named = charts[form.label]
  const label =
    typeof named === 'string' ? named : named(choices.of === null ? '' : fieldLabel(choices.of, language))
  const rows = readRows(plan, answer, label, language)
  const isCut = rows.some((row) => row.isCut)
  const isCounted = form.rank === null
  const valueIn = (row: GroupRow, id: string): number | null => {
    const group = row.groups.get(id)
    if (group !== undefined) return (form.read(group, of, count) ?? null) as number | null
    // Of a list that is cut nobody knows which pairs have no records.
    return !isCut && (isCounted || row.totals.has(id)) ? 0 : null
  }
  const isAdding = isCounted && other !== undefined && isDisjoint(other)
  const kind = kindOf(choices.kind ?? preset, rows.length, isAdding, across)
  const by = language.list(choices.by.map((each) => groupingLabel(each, language)))
  return {
    spec: describe(
      {
        kind,
        title: charts.by(label, by),
        unit: choices.measure === 'share' ? 'share' : 'number',
        keyLabel: groupingLabel(across, language),
        valueLabel: label,
        isOrdered: isOrdered(across),
        isStacked: isAdding || rows.length === 1,
        keys: keys.map((key) => ({ label: key.label, href: recordsAddress(subject, key.view, language) })),
        series: rows.map((row) => ({
          name: row.label,
          values: keys.map(({ id }) => valueIn(row, id)),
          hrefs: keys.map((key) => recordsAddress(subject, key.view && row.viewIn(key.view), language)),
        })),
        counts:
          choices.of === null || other !== undefined
            ? null
            : keys.map(({ id }) => rows[0]?.groups.get(id)?.count ?? 0),
      },
      language,
    ),
    notes: notesOn(plan, answer, keys.length, rows, kind, language),
  }
}

function kindOf(wanted: ChartKind, rows: number, isAdding: boolean, across: Grouping): ChartKind {
  if (wanted === 'table' || rows > mostSeries) return 'table'
  if (!isOrdered(across)) return 'bars'
  return wanted === 'bars' && rows > 1 && !isAdding ? 'lines' : wanted
}

/** What is not shown, and why the chart is not drawn as the reader has chosen. */
function notesOn(
  plan: Plan,
  answer: Answer,
  keys: number,
  rows: readonly GroupRow[],
  kind: ChartKind,
  language: Language,
): readonly string[] {
  const { choices, across, other, whole } = plan
  const { number } = language
  const { charts } = language.text
  const along = groupsIn(answer, other === undefined ? 'groups' : 'columns')
  const { groups, groupCount = 0 } = along
  const isCut = groupCount > groups.length
  const missing = isOrdered(across) ? (groups.find((group) => group[across.name] === null)?.count ?? 0) : 0
  const { noBars: lines, noLines: bars, manySeries: table } = charts
  const notes = [
    periodOf(across) !== null && (isCut || keys < withValue(across, groups).length) && charts.newestOnly,
    periodOf(across) === null &&
      (other === undefined
        ? isCut && charts.largest(number(groups.length), number(groupCount))
        : cutNote(across, keys, along, isOrdered(across), language)),
    other !== undefined && cutNote(other, rows.length, groupsIn(answer, 'rows'), isOrdered(other), language),
    rows.some((row) => row.isCut) && charts.smallLeftOut,
    isRanked(plan) && hasLeast(plan) && charts[whole === null ? 'atLeast' : 'matching'](number(leastRecords)),
    choices.kind !== null && choices.kind !== kind && { lines, bars, table }[kind],
    missing > 0 && charts[isNumber(across) ? 'unmeasured' : 'undated'](number(missing)),
  ]
  return notes.filter((note) => note !== false && note !== null)
}
