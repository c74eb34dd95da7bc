/** A measure of the records of a view, by one or two fields. */
import type { AxisEnd, ChartKind, ChartNumbers, ChartRest } from '../charts/chart-spec.ts'
import { readNames } from '../lists/names.ts'
import type { Names } from '../parts/values.ts'
import { viewAddress } from '../browse/context.ts'
import { fieldLabel, nounOf, nounTitle } from '../fields/labels.ts'
import type { Language } from '../languages/language.ts'
import type { Answer } from '../page.ts'
import { groupParameters } from '../view/parameters.ts'
import type { Problem } from '../view/problem.ts'
import { type View, withOthers } from '../view/view.ts'
import type { ChartContext, ChartTable, DrawnChart, GroupAnswer } from './asked-chart.ts'
import { type Counted, describe, fewRecords, leastRecords, partialNotes } from './asked-chart.ts'
import { readGroupChoices } from './group-choices.ts'
import { type GroupPlan, groupsIn, hasLeast, isRanked, listsOf, measuresOf } from './group-plan.ts'
import { missingIn, missingPanels, panelsOf, planOf, rowsIn } from './group-plan.ts'
import type { Grouping, GroupKey } from './grouping.ts'
import { cutNote, groupCells, groupColumns, groupingLabel, labelsOf, usualGroups } from './grouping.ts'
import { idOf, isDisjoint, isNumber, isOrdered, keysIn, keysOf, periodOf } from './grouping.ts'
import { viewOfGroup, withValue } from './grouping.ts'
import { boundsOf, isPartial } from './periods.ts'
import { recordsInWords } from './share-base.ts'

/** More lines or colours cannot be told apart. */
const mostSeries = 7

export function groupChart(context: ChartContext) {
  const { site, subject, view } = context
  const problems: Problem[] = []
  const choices = readGroupChoices(view, subject, problems)
  const plan = planOf(choices, context)
  return {
    problems,
    choices,
    /** What is measured and by what, with the names that the answer tells. */
    title: (names?: Names) => titleOf(plan, names, context).title,
    panels: panelsOf(plan),
    more: (answer: Answer | null) => [...measuresOf(plan, answer, site), ...missingPanels(plan, answer)],
    chart: (answer: Answer, until: number) => draw(plan, answer, until, context),
    table: (answer: Answer) => groupTable(plan, answer, context),
  }
}

/** A row of a chart by two fields, or the only one of a chart by one. */
interface GroupRow {
  readonly label: string
  /** Null where it is the only row. */
  readonly group: GroupAnswer | null
  /** By the ids of the keys. */
  readonly groups: ReadonlyMap<string, GroupAnswer>
  readonly totals: ReadonlyMap<string, GroupAnswer>
  readonly isCut: boolean
}

function readRows(plan: GroupPlan, answer: Answer, label: string, language: Language): readonly GroupRow[] {
  const { across, other } = plan
  const byKey = (name: string, isOwn: (group: GroupAnswer) => boolean = () => true) => {
    const found = groupsIn(answer, name).groups.filter(isOwn)
    return new Map(found.map((group) => [idOf(across, group), group]))
  }
  if (other === undefined)
    return [{ label, group: null, groups: byKey('groups'), totals: byKey('totals'), isCut: false }]
  // One list of all pairs, or one for each row, which also has other elements of the same array.
  const rows = rowsIn(answer, other)
  const labelOf = labelsOf(other, rows, language)
  return rows.flatMap((row, at): readonly GroupRow[] => {
    const list = Object.hasOwn(answer, 'pairs') ? '' : String(at)
    if (!Object.hasOwn(answer, `pairs${list}`)) return []
    const isOwn = (group: GroupAnswer) => idOf(other, group) === idOf(other, row)
    return [
      {
        label: labelOf(row),
        group: row,
        groups: byKey(`pairs${list}`, isOwn),
        totals: byKey(`totals${list}`, isOwn),
        isCut: groupsIn(answer, `pairs${list}`).groupsPageInfo?.hasNextPage === true,
      },
    ]
  })
}

/** The groups of a chart in the order that it shows. */
function readGroups(plan: GroupPlan, answer: Answer, label: string, { view, language }: ChartContext) {
  const { form, of, across, other } = plan
  const { groups, groupCount = 0 } = groupsIn(answer, other === undefined ? 'groups' : 'columns')
  const plain = withOthers(view, Object.fromEntries([...groupParameters, 'part'].map((name) => [name, null])))
  const usual = usualGroups(across, groups, view)
  const keys = keysOf(across, usual, groupCount > groups.length, plain, language)
  const rows = readRows(plan, answer, label, language)
  const isCut = rows.some((row) => row.isCut)
  // A list that is cut does not tell which pairs have no records.
  const countIn = (row: GroupRow, id: string): number | null =>
    row.groups.get(id)?.count ?? (isCut ? null : 0)
  const valueIn = (row: GroupRow, id: string): number | null => {
    const group = row.groups.get(id)
    if (group !== undefined) return (form.read(group, of) ?? null) as number | null
    return !isCut && (form.rank === null || row.totals.has(id)) ? 0 : null
  }
  const totalIn = (row: GroupRow, id: string): number =>
    (row.groups.get(id)?.['total'] as number | undefined) ?? row.totals.get(id)?.count ?? 0
  const isMissing = (group: GroupAnswer) =>
    other === undefined && isOrdered(across) && group[across.name] === null
  const without = groups.find(isMissing)
  return {
    keys,
    rows,
    without: without && keysIn(across, [without], plain, language)[0],
    countIn,
    valueIn,
    totalIn,
  }
}

/** A row for each group, or for each pair of two; last, one for the records without a number or a time. */
function groupTable(plan: GroupPlan, answer: Answer, context: ChartContext): ChartTable {
  const { choices, form, of, across, other, whole } = plan
  const { keys, rows, without, countIn, valueIn, totalIn } = readGroups(plan, answer, '', context)
  const measure = form.column(of)
  const all = without === undefined ? keys : [...keys, without]
  return {
    columns: {
      ...Object.assign({}, ...choices.by.map(groupColumns)),
      count: 'integer',
      ...(whole !== null && { total: 'integer' }),
      ...(measure !== 'count' && { [measure]: choices.measure === 'distinct' ? 'integer' : 'float' }),
    },
    rows: rows.flatMap((row) =>
      all.map(({ id, group }) => ({
        ...groupCells(across, group),
        ...(other !== undefined && row.group !== null && groupCells(other, row.group)),
        [measure]: valueIn(row, id),
        count: countIn(row, id),
        ...(whole !== null && { total: totalIn(row, id) }),
      })),
    ),
  }
}

function titleOf({ choices, form }: GroupPlan, names: Names | undefined, context: ChartContext) {
  const { subject, language } = context
  const { charts } = language.text
  const named = form.label === 'records' ? nounTitle(subject, language) : charts[form.label]
  const base = recordsInWords(choices.base.conditions, subject, language, names)
  const of = choices.of === null ? '' : fieldLabel(choices.of, language)
  const label = typeof named === 'string' ? named : named(choices.measure === 'share' ? base : of)
  const by = language.list(choices.by.map((each) => groupingLabel(each, language)))
  return { label, title: charts.by(label, by) }
}

function draw(plan: GroupPlan, answer: Answer, until: number, context: ChartContext): DrawnChart {
  const { language } = context
  const { choices, form, across, other, preset } = plan
  const { charts } = language.text
  const { label, title } = titleOf(plan, readNames(answer), context)
  const { keys, rows, without, countIn, valueIn, totalIn } = readGroups(plan, answer, label, context)
  const isAdding = form.rank === null && other !== undefined && isDisjoint(other)
  const kind = kindOf(choices.kind ?? preset, rows.length, isAdding, across)
  const period = periodOf(across)
  const bounds = boundsOf(context.view, across.field)
  const shown = keys.map(({ id, label: name, view }) => ({
    label: name,
    isPartial: period !== null && isPartial(period, Number(id), bounds, until),
    href: viewAddress(context, view),
  }))
  return {
    spec: describe(
      {
        kind,
        title,
        unit: choices.measure === 'share' ? 'share' : 'number',
        keyLabel: groupingLabel(across, language),
        valueLabel: label,
        isOrdered: isOrdered(across),
        noun: nounOf(context.subject, language),
        isStacked: isAdding || rows.length === 1,
        breaks: period === null ? [] : breaksOf(plan, answer, keys),
        keys: shown,
        series: rows.map((row) => ({
          name: row.label,
          values: keys.map(({ id }) => valueIn(row, id)),
          hrefs: other === undefined ? [] : keys.map(({ view }) => viewAddress(context, viewIn(view, row))),
        })),
        numbers: numbersOf(keys),
        rest: without === undefined ? null : restOf(without),
      },
      language,
      plan.whole === null ? null : (at, key) => countedIn(rows[at], keys[key]?.id ?? ''),
    ),
    notes: [...notesOn(plan, answer, keys, rows, kind, context), ...partialNotes(shown, language)],
  }

  /** Null where no conditions select the records of the key and the row. */
  function viewIn(view: View | null, { group }: GroupRow): View | null {
    return view === null || other === undefined || group === null ? null : viewOfGroup(view, other, group)
  }

  function countedIn(row: GroupRow | undefined, id: string): Counted {
    return row === undefined ? { count: null } : { count: countIn(row, id), total: totalIn(row, id) }
  }

  /** The records without a number or a time. */
  function restOf(key: GroupKey): ChartRest {
    const href = viewAddress(context, key.view)
    const numbers = numbersOf([key]).flatMap(({ values }) => values)
    return { label: key.label, href, values: rows.map((row) => valueIn(row, key.id)), numbers, hrefs: [] }
  }

  /** The records of each group, and what its share is of. */
  function numbersOf(keys: readonly GroupKey[]): readonly ChartNumbers[] {
    if (choices.measure === 'count' || other !== undefined) return []
    const { count: all = 0 } = groupsIn(answer, 'groups')
    const valuesOf = (of: typeof countIn) => rows.flatMap((row) => keys.map(({ id }) => of(row, id)))
    const totals = plan.whole === null ? keys.map(() => all) : valuesOf(totalIn)
    const shared = choices.measure === 'share' ? [{ label: charts.base, values: totals }] : []
    return [{ label: nounTitle(context.subject, language), values: valuesOf(countIn) }, ...shared]
  }
}

/** Ends beyond which there are periods that are not shown. */
function breaksOf(plan: GroupPlan, answer: Answer, keys: readonly GroupKey[]): readonly AxisEnd[] {
  const along = groupsIn(answer, plan.other === undefined ? 'groups' : 'columns')
  const moments = withValue(plan.across, along.groups).map((group) => Number(idOf(plan.across, group)))
  const [first, last] = [Number(keys[0]?.id), Number(keys.at(-1)?.id)]
  const isLeft = (end: AxisEnd) => moments.some((at) => (end === 'start' ? at < first : at > last))
  return (['start', 'end'] as const).filter(isLeft)
}

function kindOf(wanted: ChartKind, rows: number, isAdding: boolean, across: Grouping): ChartKind {
  if (wanted === 'table' || rows > mostSeries) return 'table'
  if (!isOrdered(across)) return 'bars'
  return wanted === 'bars' && rows > 1 && !isAdding ? 'lines' : wanted
}

/** What is not shown, and why the chart is not drawn as the reader has chosen. */
function notesOn(
  plan: GroupPlan,
  answer: Answer,
  keys: readonly GroupKey[],
  rows: readonly GroupRow[],
  kind: ChartKind,
  { subject, view, language }: ChartContext,
): readonly string[] {
  const { choices, across, other, whole } = plan
  const { number } = language
  const { charts } = language.text
  const noun = nounTitle(subject, language)
  const along = groupsIn(answer, other === undefined ? 'groups' : 'columns')
  const { groups, groupCount = 0 } = along
  const isCut = groupCount > groups.length
  const [dated, usual] = [withValue(across, groups), usualGroups(across, groups, view)]
  const shown = usual.filter((group) => Number(idOf(across, group)) >= Number(keys[0]?.id)).length
  const lists = listsOf(plan).filter(([key]) => isOrdered(key))
  const missing = lists.flatMap(([key, name]) => {
    const count = missingIn(answer, key, name)
    const said = charts[isNumber(key) ? 'unmeasured' : 'undated'](noun, number(count))
    const isTime = key.field.name === subject.roles.time
    return count === 0 ? [] : [isTime ? said : `${fieldLabel(key.field, language)}: ${said}`]
  })
  const isHidden = (key: Grouping, name: string) => isOrdered(key) && missingIn(answer, key, name) > 0
  const { noBars: lines, noLines: bars, manySeries: table } = charts
  const notes = [
    periodOf(across) !== null && (isCut || shown < usual.length) && charts.newestOnly,
    !isCut &&
      usual.length < dated.length &&
      charts.largestOf(groupingLabel(across, language), number(shown), number(dated.length)),
    periodOf(across) === null &&
      (other === undefined
        ? isCut && charts.largest(number(groups.length), number(groupCount))
        : cutNote(across, keys.length, along, isHidden(across, 'columns'), language)),
    other !== undefined &&
      cutNote(other, rows.length, groupsIn(answer, 'rows'), isHidden(other, 'rows'), language),
    rows.some((row) => row.isCut) && charts.smallLeftOut,
    isRanked(plan) &&
      hasLeast(plan) &&
      charts[whole === null ? 'atLeast' : 'matching'](number(leastRecords), nounOf(subject, language)),
    isRanked(plan) &&
      groups.some(({ total }) => Number(total) >= fewRecords) &&
      charts.atLeast(number(fewRecords), nounOf(subject, language)),
    choices.kind !== null && choices.kind !== kind && { lines, bars, table }[kind],
    ...new Set(missing),
  ]
  return notes.filter((note) => note !== false && note !== null)
}
