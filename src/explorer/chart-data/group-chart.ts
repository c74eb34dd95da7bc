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
import { idOf, inOrder, isPeriodic, keysOf, largest } from './group-keys.ts'
import { withOthers } from './own-parameters.ts'

export interface GroupChart extends AskedChart {
  readonly choices: GroupChoices
}

/** Averages and shares of fewer records are mostly chance. */
const leastRecords = 5
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
    const most = other === undefined ? null : Number(choices.top)
    const keys = across === undefined ? [] : keysOf(across, { groups, step, most, view: plain, language })
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
    const isNumber = across !== undefined && across.unit === null && isOrdered(across)
    const without = isNumber ? groups.filter((group) => group[across.name] === null) : []
    const unmeasured = without.reduce((sum, group) => sum + group.count, 0)
    return {
      spec: describe(
        {
          kind,
          title: text.charts.by(label, language.list(by.map((each) => groupingLabel(each, language)))),
          locale: language.tag,
          unit: measure === 'share' ? 'share' : 'number',
          keyLabel: across === undefined ? '' : groupingLabel(across, language),
          valueLabel: label,
          isOrdered: across !== undefined && isOrdered(across),
          isStacked: isAdding || series.length === 1,
          keys: keys.map(({ label: each, view: of }) => ({ label: each, href: addressOf(of) })),
          series,
          counts:
            of === null || other !== undefined ? null : keys.map(({ id }) => places.get(id)?.count ?? 0),
        },
        language,
      ),
      notes: [
        ...(groupCount > groups.length && other === undefined
          ? [text.charts.largest(language.number(groups.length), language.number(groupCount))]
          : []),
        ...(other === undefined || across === undefined
          ? []
          : [
              ...(isOrdered(across) ? [] : cutNote(across, keys.length, groups)),
              ...cutNote(other, rows.length, groups),
            ]),
        ...(other !== undefined && groupCount > mostGroups ? [text.charts.smallLeftOut] : []),
        ...(other === undefined &&
        gap === null &&
        across !== undefined &&
        !isOrdered(across) &&
        measure !== 'distinct'
          ? [text.charts[isPartOfGroup ? 'matching' : 'atLeast'](language.number(leastRecords))]
          : []),
        ...(choices.kind === 'lines' && kind !== 'lines' ? [text.charts.noLines] : []),
        ...(unmeasured > 0 ? [text.charts.unmeasured(language.number(unmeasured))] : []),
      ],
    }
  }

  /** How many of a field's groups a chart by two fields shows, if not all. */
  function cutNote(key: Grouping, shown: number, groups: readonly Group[]): readonly string[] {
    const known = isOrdered(key) ? inOrder(key, groups) : groups
    const all = new Set(known.map((group) => idOf(key, group))).size
    if (all <= shown) return []
    const label = groupingLabel(key, language)
    return [text.charts.largestOf(label, language.number(shown), language.number(all))]
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
