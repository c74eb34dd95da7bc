/** What the panels of topics ask besides the timeline, and how their answers are read. */
import { leaves, mergeSelections } from '../../ask/graphql-text.ts'
import type { Panel } from '../../ask/operation.ts'
import { searchedWords } from '../../ask/search.ts'
import type { ChartContext, GroupAnswer, GroupsAnswer } from '../chart-data/asked-chart.ts'
import { aggregateOf, leastRecords } from '../chart-data/asked-chart.ts'
import {
  type Grouping,
  groupingBy,
  groupingSelection,
  groupLabel,
  viewOfGroup,
} from '../chart-data/grouping.ts'
import { countIn } from '../chart-data/time-axis.ts'
import type { TopicChart } from '../chart-data/topic-chart.ts'
import {
  type SampleNotes,
  sampleNotes,
  thingOf,
  type UnusualAnswer,
  type UnusualRow,
} from '../chart-data/unusual.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import { selectFields } from '../fields/record-selection.ts'
import { fieldsNamed, type ListNode, type MissingWord, resultOfNode } from '../lists/list.ts'
import { largestStories, readStories, type StoryRow } from '../lists/stories.ts'
import type { Answer } from '../page.ts'
import type { Result } from '../parts/results.ts'
import { recordArguments, type View } from '../view/view.ts'

/** `outlets`: the largest groups of the main reference. `words`: what goes with the topic. */
export const panelNames = ['outlets', 'newest', 'stories', 'words', 'values'] as const
export type PanelName = (typeof panelNames)[number]

/** Words, and values. */
export const mostThings = 12
const mostOutlets = 8
const mostNewest = 6

/** A part of the records, and which part it is of others. */
export interface ShareAnswer {
  readonly count: number
  readonly total: number
  /** Null where there are none to divide by. */
  readonly share: number | null
}

export interface TopicPanels {
  /** Of the whole of each topic. */
  readonly wholes: readonly Panel[]
  readonly outlets: readonly Panel[]
  /** The same ranking without a least number of matches, for topics in which no outlet has enough. */
  readonly highestOfFew: (answer: Answer) => readonly Panel[]
  readonly newest: readonly Panel[]
  readonly stories: readonly Panel[]
  readonly words: readonly Panel[]
  readonly values: readonly Panel[]
}

export function topicPanels(chart: TopicChart, context: ChartContext): TopicPanels {
  const { subject } = context
  const { topics, base } = chart
  const aggregate = aggregateOf(subject)
  const denominator = base.own.where ?? {}
  const outlet = mainReference(subject)
  const each = (make: (view: View, at: number) => readonly Panel[]) => topics.flatMap(make)
  const outletPanel = (name: string, view: View, field: ShownField, least: number | null): Panel => ({
    name,
    field: aggregate,
    arguments: {
      ...recordArguments(view),
      denominator,
      groupBy: [field.name],
      limit: mostOutlets,
      ...(least !== null && {
        rankBy: { measure: 'SHARE', direction: 'DESC' },
        having: { measure: 'COUNT', operator: 'GTE', value: least },
      }),
    },
    selection: {
      groups: mergeSelections([groupingSelection(groupingBy(field)), leaves('count', 'total', 'share')]),
    },
  })
  const words = thingPanels('words')
  return {
    wholes: each((view, at) => [
      {
        name: `whole${at}`,
        field: aggregate,
        arguments: { ...recordArguments(view), denominator },
        selection: leaves('count', 'total', 'share'),
      },
    ]),
    outlets:
      outlet === null
        ? []
        : each((view, at) => [
            ...(base.isWhole ? [] : [outletPanel(`highest${at}`, view, outlet, leastRecords)]),
            outletPanel(`most${at}`, view, outlet, null),
          ]),
    highestOfFew: (answer) =>
      each((view, at) => {
        const { groups = null } = (answer[`highest${at}`] ?? {}) as Partial<GroupsAnswer>
        return outlet !== null && groups?.length === 0 ? [outletPanel(`highest${at}`, view, outlet, 1)] : []
      }),
    newest: each((view, at) => [newestPanel(`newest${at}`, view, subject)]),
    stories: each((view, at) => largestStories(`stories${at}`, view, subject)),
    words: words.length === 0 ? [] : [...words, comparedPanel()],
    values: thingPanels('values'),
  }

  /** Counts the records with which words are compared. */
  function comparedPanel(): Panel {
    const where = topics.some(({ search }) => search !== '') ? denominator : {}
    return { name: 'compared', field: aggregate, arguments: { where }, selection: { count: {} } }
  }

  function thingPanels(kind: 'words' | 'values'): readonly Panel[] {
    return each((view, at) => {
      // Without a search, the records are compared with all others.
      const against = view.search === '' ? {} : denominator
      const thing = thingOf(kind, { ...context, view })
      if (thing === null) return []
      const counted = {
        name: `here${at}`,
        field: aggregate,
        arguments: { ...recordArguments(view) },
        selection: { count: {} },
      }
      return [thing.panel(`${kind}${at}`, against), ...(kind === 'words' ? [counted] : [])]
    })
  }
}

function newestPanel(name: string, view: View, subject: PageSubject): Panel {
  const { collection, roles, fields } = subject
  return {
    name,
    field: collection.rootField,
    arguments: {
      ...recordArguments(view),
      first: mostNewest,
      sortBy:
        fields.get(roles.time)?.isSort === true ? [{ field: roles.time, direction: 'DESC' }] : undefined,
    },
    selection: {
      nodes: { ...selectFields(newestColumns(subject)), indexedAt: {} },
      ...(view.search !== '' && { didYouMean: { word: {}, nearest: { word: {} } } }),
    },
  }
}

function newestColumns(subject: PageSubject): readonly ShownField[] {
  const { title, time } = subject.roles
  return fieldsNamed(subject, [title, time, mainReference(subject)?.name ?? null])
}

/** The facet that names records, such as the outlet; otherwise the first one of codes or listed values. */
export function mainReference({ fields, roles, groupable }: PageSubject): ShownField | null {
  const facets = roles.facets
    .flatMap((name) => fields.get(name) ?? [])
    .filter(({ name, isArray, many }) => groupable.has(name) && !isArray && !many)
  return (
    facets.find(({ target, targetTitle }) => target !== null && targetTitle !== null) ??
    facets.find(({ type }) => type.kind === 'string') ??
    null
  )
}

export interface OutletRow extends ShareAnswer {
  readonly label: string
  /** The records of the topic there; null where no conditions select them. */
  readonly view: View | null
}

export interface TopicAnswer {
  readonly view: View
  readonly whole: ShareAnswer | null
  /** Those with the highest share, and those with most records. */
  readonly highest: readonly OutletRow[]
  readonly most: readonly OutletRow[]
  readonly newest: readonly Result[]
  readonly missing: readonly MissingWord[]
  readonly stories: readonly StoryRow[]
  readonly words: readonly UnusualRow[]
  readonly values: readonly UnusualRow[]
  /** Of the panel of words. */
  readonly samples: SampleNotes
}

/** Of each topic. A panel that was not asked, or has failed, is empty. */
export function readTopics(chart: TopicChart, answer: Answer, context: ChartContext): readonly TopicAnswer[] {
  const { subject, language } = context
  const outlet = mainReference(subject)
  return chart.topics.map((view, at): TopicAnswer => {
    const own = { ...context, view: { ...view, others: [] } }
    const outletRows = (name: string, key: Grouping): readonly OutletRow[] => {
      const { groups = [] } = (answer[`${name}${at}`] ?? {}) as { groups?: readonly GroupAnswer[] }
      return groups.map((group) => ({
        ...(group as unknown as ShareAnswer),
        label: groupLabel(key, group, language, groups),
        view: viewOfGroup(own.view, key, group),
      }))
    }
    const found = (answer[`newest${at}`] ?? {}) as {
      readonly nodes?: readonly ListNode[]
      readonly didYouMean?: readonly MissingWord[]
    }
    const unusual = (kind: 'words' | 'values') => (answer[`${kind}${at}`] ?? {}) as UnusualAnswer
    const [here, compared] = [`here${at}`, 'compared'].map((name) => countIn(answer, name))
    const isSearched = searchedWords(view.search, subject.collection.searchFields)
    const things = (kind: 'words' | 'values') =>
      (thingOf(kind, own)?.rows(unusual(kind)) ?? []).filter(({ label }) => !isSearched(label))
    return {
      view: own.view,
      whole: (answer[`whole${at}`] as ShareAnswer | undefined) ?? null,
      highest: outlet === null ? [] : outletRows('highest', groupingBy(outlet)),
      most: outlet === null ? [] : outletRows('most', groupingBy(outlet)),
      newest: found.nodes?.map((node) => resultOfNode(node, newestColumns(subject))) ?? [],
      missing: found.didYouMean ?? [],
      stories: readStories(answer, `stories${at}`, subject),
      words: things('words'),
      values: things('values'),
      samples: sampleNotes(unusual('words'), here ?? 0, compared ?? 0, subject, language),
    }
  })
}
