/** A measure of the records of a view, by one or two fields. */
import { collectionAddress } from '../addresses.ts'
import type { ChartKind, ChartSeries } from '../charts/chart-spec.ts'
import { fieldLabel } from '../fields/labels.ts'
import type { Subject } from '../fields/subject.ts'
import type { Language } from '../languages/language.ts'
import { enumOf, type Panel } from '../operation.ts'
import type { Answer, Site } from '../page.ts'
import { groupParameters } from '../view/parameters.ts'
import type { Problem } from '../view/problem.ts'
import { isRestricted, periodOnly, type View } from '../view/view.ts'
import { recordArguments, whereOf } from '../view/where.ts'
import { type AskedChart, type DrawnChart, type Group, type Groups, mostGroups } from './asked-chart.ts'
import { describe } from './describe.ts'
import { type GroupChoices, readGroupChoices } from './group-choices.ts'
import {
  type Grouping,
  groupingLabel,
  groupingSelection,
  groupingsOf,
  groupLabel,
  isDisjoint,
  isOrdered,
  viewOfGroup,
} from './grouping.ts'
import { withOthers } from './own-parameters.ts'
import { isPeriod, periodLabel, periodsBetween, startOf, viewOfPeriod } from './periods.ts'

export interface GroupChart extends AskedChart {
  readonly choices: GroupChoices
}

/** Averages and shares of fewer records are mostly chance. */
const leastRecords = 5
const mostPeriods = 400
const mostSeries = 12
/** Hours of a day are the most parts that a time has. */
const mostParts = 24

export function groupChart(site: Site, subject: Subject, view: View, language: Language): GroupChart {
  const { collection, roles } = subject
  const { text } = language
  const aggregate = `${collection.rootField}Aggregate`
  const groupings = groupingsOf(subject, enumOf(site.schema, aggregate, 'groupBy'))
  const problems: Problem[] = []
  const choices = readGroupChoices(view, subject, groupings, problems)
  const { measure, of, by, step } = choices
  const [first, second] = by
  // Times and numbers go from left to right; the other field has colours or rows.
  const [across, other] =
    first !== undefined && second !== undefined && !isOrdered(first) && isOrdered(second)
      ? [second, first]
      : [first, second]
  const plain = withOthers(view, Object.fromEntries([...groupParameters, 'part'].map((name) => [name, null])))
  const isPartOfGroup =
    measure === 'share' &&
    isRestricted({ ...view, conditions: view.conditions.filter(({ field }) => field.name !== roles.time) })
  return { problems, panels: across === undefined ? [] : [panel(across)], choices, chart }

  function panel(key: Grouping): Panel {
    const period = periodOnly(view, subject)
    const isRanked = measure !== 'count' && !(measure === 'share' && !isPartOfGroup)
    const byMeasure = other === undefined && !isOrdered(key)
    const hasSteps = by.some(({ field, unit }) => unit === null && field.type.kind === 'integer')
    return {
      name: 'groups',
      field: aggregate,
      arguments: {
        ...recordArguments(view, subject),
        denominator: isPartOfGroup ? whereOf(period.conditions) : undefined,
        groupBy: by.map(({ name }) => name),
        interval: hasSteps ? (step ?? undefined) : undefined,
        limit: other === undefined && !isOrdered(key) ? Number(choices.top) : mostGroups,
        orderBy: other === undefined && isPeriodic(key) ? 'KEY_DESC' : undefined,
        rankBy: byMeasure && isRanked ? rank() : undefined,
        minCount: byMeasure && isRanked && measure !== 'distinct' ? leastRecords : undefined,
      },
      selection: [
        'count groupCount',
        `groups { ${by.map((each) => groupingSelection(each)).join(' ')} count ${measureSelection()} }`,
      ].join('\n'),
    }
  }

  function rank(): Readonly<Record<string, unknown>> {
    const named = {
      count: 'COUNT',
      share: 'SHARE',
      average: 'AVG',
      median: 'MEDIAN',
      distinct: 'COUNT_DISTINCT',
    }[measure]
    return { measure: named, ...(of !== null && { field: of.name }), direction: 'DESC' }
  }

  function measureSelection(): string {
    switch (measure) {
      case 'count':
        return ''
      case 'share':
        return isPartOfGroup ? 'share' : ''
      case 'average':
        return `avg { ${of?.name} }`
      case 'median':
        return `median { ${of?.name} }`
      case 'distinct':
        return `countDistinct(field: ${of?.name})`
    }
  }

  function valueOf(group: Group, count: number): number | null {
    switch (measure) {
      case 'count':
        return group.count
      case 'share':
        return isPartOfGroup ? (group['share'] as number | null) : count === 0 ? null : group.count / count
      case 'average':
      case 'median': {
        const values = group[measure === 'average' ? 'avg' : 'median'] as Readonly<
          Record<string, number | null>
        >
        return values[of?.name ?? ''] ?? null
      }
      case 'distinct':
        return group['countDistinct'] as number
    }
  }

  function chart(answer: Answer): DrawnChart {
    const { groups, count = 0, groupCount = 0 } = (answer['groups'] ?? { groups: [] }) as Groups
    const keys = across === undefined ? [] : keysOf(across, groups)
    const rows = other === undefined ? [null] : seriesOf(other, groups)
    const places = new Map(groups.map((group) => [placeOf(group), group]))
    const gap = measure === 'count' || (measure === 'share' && !isPartOfGroup) ? 0 : null
    const series = rows.map(
      (row): ChartSeries => ({
        name: row === null || other === undefined ? measureLabel() : groupLabel(other, row, step, language),
        values: keys.map(({ id }) => {
          const group = places.get(row === null || other === undefined ? id : `${id}\n${idOf(other, row)}`)
          return group === undefined ? gap : valueOf(group, count)
        }),
        hrefs: keys.map(({ view: of }) =>
          of === null || row === null || other === undefined
            ? null
            : addressOf(viewOfGroup(of, other, row, step)),
        ),
      }),
    )
    const isAdding = gap === 0 && other !== undefined && isDisjoint(other)
    const kind = kindOf(series.length)
    const label = measureLabel()
    return {
      spec: describe(
        {
          kind,
          title: text.charts.by(label, by.map((each) => groupingLabel(each, language)).join(', ')),
          locale: language.tag,
          unit: measure === 'share' ? 'share' : 'number',
          keyLabel: across === undefined ? '' : groupingLabel(across, language),
          valueLabel: label,
          isOrdered: across !== undefined && isOrdered(across),
          isStacked: isAdding || series.length === 1,
          keys: keys.map(({ label: each, view: of }) => ({ label: each, href: addressOf(of) })),
          series,
        },
        language,
      ),
      notes: [
        ...(groupCount > groups.length && other === undefined
          ? [text.charts.largest(language.number(groups.length), language.number(groupCount))]
          : []),
        ...(other !== undefined && groupCount > mostGroups ? [text.charts.smallLeftOut] : []),
        ...(other === undefined &&
        gap === null &&
        across !== undefined &&
        !isOrdered(across) &&
        measure !== 'distinct'
          ? [text.charts.atLeast(language.number(leastRecords))]
          : []),
        ...(choices.kind === 'lines' && kind !== 'lines' ? [text.charts.noLines] : []),
      ],
    }
  }

  function kindOf(rows: number): ChartKind {
    const ordered = across !== undefined && isOrdered(across)
    const chosen =
      choices.kind ??
      (other === undefined
        ? measure === 'count' || !ordered
          ? 'bars'
          : 'lines'
        : ordered
          ? 'lines'
          : 'heat')
    if (chosen === 'lines' && !ordered) return 'bars'
    return chosen === 'lines' && rows > 7 ? 'multiples' : chosen
  }

  function keysOf(key: Grouping, groups: readonly Group[]): readonly Key[] {
    if (isPeriodic(key)) return periodKeys(key, groups)
    const distinct = [...new Map(groups.map((group) => [idOf(key, group), group])).values()]
    const sorted = isOrdered(key)
      ? inOrder(key, distinct)
      : other === undefined
        ? distinct
        : largest(key, groups, Number(choices.top))
    return sorted.map((group) => ({
      id: idOf(key, group),
      label: groupLabel(key, group, step, language),
      view: viewOfGroup(plain, key, group, step),
    }))
  }

  /** Without gaps; records without a time are left out. */
  function periodKeys({ name, field, unit }: Grouping, groups: readonly Group[]): readonly Key[] {
    if (unit === null || !isPeriod(unit)) return []
    const moments = groups.flatMap((group) => (group[name] === null ? [] : [Date.parse(String(group[name]))]))
    if (moments.length === 0) return []
    const [low, high] = [moments.reduce((a, b) => Math.min(a, b)), moments.reduce((a, b) => Math.max(a, b))]
    return periodsBetween(unit, low, high, mostPeriods).map((start) => ({
      id: String(start),
      label: periodLabel(unit, start, language),
      view: viewOfPeriod(plain, field, unit, start),
    }))
  }

  function idOf(key: Grouping, group: Group): string {
    const value = group[key.name] ?? null
    if (value !== null && key.unit !== null && isPeriod(key.unit))
      return String(startOf(key.unit, Date.parse(String(value))))
    return JSON.stringify(value)
  }

  function placeOf(group: Group): string {
    const id = across === undefined ? '' : idOf(across, group)
    return other === undefined ? id : `${id}\n${idOf(other, group)}`
  }

  function seriesOf(key: Grouping, groups: readonly Group[]): readonly Group[] {
    const most =
      choices.kind === 'heat' || (choices.kind === null && across !== undefined && !isOrdered(across))
        ? Number(choices.top)
        : choices.kind === 'multiples'
          ? mostSeries
          : 6
    if (!isOrdered(key) || isPeriodic(key)) return largest(key, groups, most)
    return inOrder(key, largest(key, groups, Math.max(most, mostParts)))
  }

  function inOrder(key: Grouping, groups: readonly Group[]): readonly Group[] {
    const number = (group: Group) => Number(group[key.name] ?? Number.NEGATIVE_INFINITY)
    return groups
      .filter((group) => key.unit === null || group[key.name] !== null)
      .toSorted((one, two) => number(one) - number(two))
  }

  /** One group for each of the keys that most records have. */
  function largest(key: Grouping, groups: readonly Group[], most: number): readonly Group[] {
    return [...Map.groupBy(groups, (group) => idOf(key, group)).values()]
      .map((members) => ({
        member: members[0] as Group,
        sum: members.reduce((sum, group) => sum + group.count, 0),
      }))
      .toSorted((one, two) => two.sum - one.sum)
      .slice(0, most)
      .map(({ member }) => member)
  }

  function measureLabel(): string {
    const field = of === null ? '' : fieldLabel(of, language)
    switch (measure) {
      case 'count':
        return text.charts.records
      case 'share':
        return isPartOfGroup ? text.charts.shareOfGroup : text.charts.shareOfShown
      case 'average':
        return text.charts.averageOf(field)
      case 'median':
        return text.charts.medianOf(field)
      case 'distinct':
        return text.charts.distinctOf(field)
    }
  }

  function addressOf(to: View | null): string | null {
    return to === null ? null : collectionAddress(collection.nsid, to)
  }
}

interface Key {
  readonly id: string
  readonly label: string
  readonly view: View | null
}

function isPeriodic({ unit }: Grouping): boolean {
  return unit !== null && isPeriod(unit)
}
