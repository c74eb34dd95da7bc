/** A measure of the records of a view, by one or two fields. */
import { collectionAddress } from '../addresses.ts'
import type { ChartKind, ChartSeries } from '../charts/chart-spec.ts'
import { fieldLabel } from '../fields/labels.ts'
import type { Subject } from '../fields/subject.ts'
import type { Language } from '../languages/language.ts'
import { areAffordable, enumOf, type Panel } from '../../ask/operation.ts'
import type { Answer, Site } from '../page.ts'
import { groupParameters } from '../view/parameters.ts'
import type { Problem } from '../view/problem.ts'
import { isRestricted, periodOnly, type View } from '../view/view.ts'
import { whereOf } from '../../ask/where.ts'
import { type RecordArguments, recordArguments } from '../view/where.ts'
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
import { groupsPanel, idOf, inGroups, inOrder, isNumber, isPeriodic, keysOf } from './group-keys.ts'
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
  const own = recordArguments(view)
  const period = periodOnly(view, subject)
  const denominator = recordArguments(period)
  // A group with a total and without a match has the share 0. Where the largest shares are shown, there is none.
  const asksTotals = isPartOfGroup && across !== undefined && (other !== undefined || isOrdered(across))
  const exported = across === undefined ? {} : { exported: panel(across, own) }
  return { problems, panels: panels(), more, choices, chart, ...exported }

  /** By one field its groups; by two fields those of each, of which all pairs are asked for then. */
  function panels(): readonly Panel[] {
    if (across === undefined) return []
    if (other === undefined) return [panel(across, own)]
    const rows = mostRows(other)
    const columns = Math.min(isOrdered(across) ? mostPeriods : Number(choices.top), mostGroups / rows)
    return [
      groupsPanel('rows', other, aggregate, own, rows, step),
      groupsPanel('columns', across, aggregate, own, Math.floor(columns), step),
    ]
  }

  /**
   * All pairs of the rows and the columns, and what their shares divide by. Records may have further elements of an array,
   * so that each row is asked for.
   */
  function more(answer: Answer | null): readonly Panel[] {
    if (across === undefined || (other === undefined && !asksTotals)) return []
    const { groups: columns } = groupsIn(answer, other === undefined ? 'groups' : 'columns')
    const within = (restriction: RecordArguments) =>
      inGroups(restriction, across, columns, step, other === undefined)
    const pairPanels = (name: string, of: Grouping | undefined, rows: readonly Group[]): readonly Panel[] => {
      const restricted = (restriction: RecordArguments) =>
        of === undefined ? within(restriction) : inGroups(within(restriction), of, rows, step)
      const keys = by.map((each) => each.name).join(' ')
      const totals = {
        ...panel(across, restricted(denominator)),
        name: `totals${name}`,
        selection: `groups { ${keys} count }`,
      }
      return [
        ...(of === undefined ? [] : [{ ...panel(across, restricted(own)), name: `pairs${name}` }]),
        ...(asksTotals ? [{ ...totals, arguments: { ...totals.arguments, denominator: undefined } }] : []),
      ]
    }
    if (other === undefined) return pairPanels('', undefined, [])
    const rows = answer === null ? [] : rowsOf(other, answer)
    if (!other.field.isArray && !across.field.isArray) return pairPanels('', other, rows)
    const each = rows.map((row, at) => pairPanels(`${at}`, other, [row]))
    // As many rows as can be afforded.
    let most = rows.length
    while (most > 1 && !areAffordable(site, each.slice(0, most).flat())) most = Math.ceil(most / 2)
    return each.slice(0, most).flat()
  }

  function groupsIn(answer: Answer | null, name: string): Groups {
    return (answer?.[name] ?? { groups: [] }) as Groups
  }

  /** In the order of their values where they have one. */
  function rowsOf(key: Grouping, answer: Answer): readonly Group[] {
    const { groups } = groupsIn(answer, 'rows')
    if (isPeriodic(key)) return groups.filter((group) => group[key.name] !== null)
    return isOrdered(key) ? inOrder(key, groups) : groups
  }

  function panel(key: Grouping, restricted: RecordArguments): Panel {
    const isRanked = measure !== 'count' && !(measure === 'share' && !isPartOfGroup)
    const byMeasure = other === undefined && !isOrdered(key)
    return {
      name: 'groups',
      field: aggregate,
      arguments: {
        ...restricted,
        denominator: isPartOfGroup ? whereOf(period.conditions) : undefined,
        groupBy: by.map(({ name }) => name),
        interval: by.some(isNumber) ? (step ?? undefined) : undefined,
        limit: other === undefined && !isOrdered(key) ? Number(choices.top) : mostGroups,
        orderBy: other === undefined && isPeriodic(key) ? 'KEY_DESC' : undefined,
        rankBy: byMeasure && isRanked ? rank() : undefined,
        minCount: byMeasure && isRanked && measure !== 'distinct' ? leastRecords : undefined,
      },
      selection: [
        'count groupCount',
        'groupsPageInfo { hasNextPage }',
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
    const along = groupsIn(answer, other === undefined ? 'groups' : 'columns')
    const { groups, count = 0, groupCount = 0 } = along
    const keys =
      across === undefined
        ? []
        : keysOf(across, { groups, step, isCut: groupCount > groups.length, view: plain, language })
    const rows =
      other === undefined
        ? [null]
        : rowsOf(other, answer).filter(
            (_, at) => Object.hasOwn(answer, 'pairs') || Object.hasOwn(answer, `pairs${at}`),
          )
    const lists = other === undefined ? [along] : listsIn(answer, 'pairs', other, rows)
    const totals = new Set(listsIn(answer, 'totals', other, rows).flatMap((list) => list.groups.map(placeOf)))
    const places = new Map(lists.flatMap((list) => list.groups.map((group) => [placeOf(group), group])))
    const isCut = other !== undefined && lists.some((list) => list.groupsPageInfo?.hasNextPage === true)
    // Of a list that is cut nobody knows which pairs have no records.
    const isCounted = measure === 'count' || (measure === 'share' && !isPartOfGroup)
    const gapAt = (place: string) => (!isCut && (isCounted || totals.has(place)) ? 0 : null)
    const series = rows.map(
      (row): ChartSeries => ({
        name: row === null || other === undefined ? measureLabel() : groupLabel(other, row, step, language),
        values: keys.map(({ id }) => {
          const place = row === null || other === undefined ? id : `${id}\n${idOf(other, row)}`
          const group = places.get(place)
          return group === undefined ? gapAt(place) : valueOf(group, count)
        }),
        hrefs: keys.map(({ view: of }) =>
          of === null || row === null || other === undefined
            ? null
            : addressOf(viewOfGroup(of, other, row, step)),
        ),
      }),
    )
    const isAdding = isCounted && other !== undefined && isDisjoint(other)
    const kind = kindOf(series.length, isAdding)
    const label = measureLabel()
    const without =
      across === undefined ? 0 : (groups.find((group) => group[across.name] == null)?.count ?? 0)
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
        ...(across === undefined
          ? []
          : isPeriodic(across)
            ? groupCount > groups.length ||
              keys.length < groups.filter((group) => group[across.name] !== null).length
              ? [text.charts.newestOnly]
              : []
            : other !== undefined
              ? cutNote(across, keys.length, along)
              : groupCount > groups.length
                ? [text.charts.largest(language.number(groups.length), language.number(groupCount))]
                : []),
        ...(other === undefined ? [] : cutNote(other, rows.length, groupsIn(answer, 'rows'))),
        ...(isCut ? [text.charts.smallLeftOut] : []),
        ...(other === undefined &&
        !isCounted &&
        across !== undefined &&
        !isOrdered(across) &&
        measure !== 'distinct'
          ? [text.charts[isPartOfGroup ? 'matching' : 'atLeast'](language.number(leastRecords))]
          : []),
        ...kindNotes(kind),
        ...(without === 0 || across === undefined || !isOrdered(across)
          ? []
          : [text.charts[isNumber(across) ? 'unmeasured' : 'undated'](language.number(without))]),
      ],
    }
  }

  /** One list of all pairs, or one for each row. The latter have other elements of the same arrays too, which go. */
  function listsIn(
    answer: Answer,
    name: string,
    key: Grouping | undefined,
    rows: readonly (Group | null)[],
  ): readonly Groups[] {
    if (answer[name] !== undefined) return [groupsIn(answer, name)]
    return rows.map((row, at) => {
      const all = groupsIn(answer, `${name}${at}`)
      const isOfRow = (group: Group) =>
        row !== null && key !== undefined && idOf(key, group) === idOf(key, row)
      return { ...all, groups: all.groups.filter(isOfRow) }
    })
  }

  /** How many of a field's groups a chart by two fields shows, if not all. */
  function cutNote(key: Grouping, shown: number, { groups, groupCount = 0 }: Groups): readonly string[] {
    const isLeftOut = isOrdered(key) && groups.some((group) => group[key.name] === null)
    const all = isLeftOut ? groupCount - 1 : groupCount
    if (all <= shown) return []
    const label = groupingLabel(key, language)
    return [text.charts.largestOf(label, language.number(shown), language.number(all))]
  }

  function kindOf(rows: number, isAdding: boolean): ChartKind {
    const ordered = across !== undefined && isOrdered(across)
    const chosen = choices.kind ?? preset()
    if (chosen === 'table' || rows > mostSeries) return 'table'
    if (!ordered) return 'bars'
    return chosen === 'bars' && rows > 1 && !isAdding ? 'lines' : chosen
  }

  function preset(): ChartKind {
    const ordered = across !== undefined && isOrdered(across)
    if (other !== undefined) return ordered ? 'lines' : 'table'
    return measure === 'count' || !ordered ? 'bars' : 'lines'
  }

  /** Why the chart is not drawn as the reader has chosen. */
  function kindNotes(kind: ChartKind): readonly string[] {
    if (choices.kind === null || choices.kind === kind) return []
    const { noBars, noLines, manySeries } = text.charts
    return [{ bars: noLines, lines: noBars, table: manySeries }[kind]]
  }

  function placeOf(group: Group): string {
    const id = across === undefined ? '' : idOf(across, group)
    return other === undefined ? id : `${id}\n${idOf(other, group)}`
  }

  function mostRows(key: Grouping): number {
    const most = (choices.kind ?? preset()) === 'table' ? Number(choices.top) : 6
    if (key.field.isArray || across?.field.isArray === true) return Math.min(most, mostArrayRows)
    return isOrdered(key) && !isPeriodic(key) ? Math.max(most, mostTimeParts) : most
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
