/** What the panels of topics ask besides the timeline, and how their answers are read. */
import { leaves, mergeSelections, type Selection } from '../../ask/graphql-text.ts'
import type { Panel } from '../../ask/operation.ts'
import { searchedWords } from '../../ask/search.ts'
import type { ChartContext, GroupsAnswer } from '../chart-data/asked-chart.ts'
import { aggregateOf, atLeast, fewRecords, leastRecords } from '../chart-data/asked-chart.ts'
import { groupingBy, groupingSelection, labelsOf, viewOfGroup } from '../chart-data/grouping.ts'
import { countIn } from '../chart-data/time-axis.ts'
import type { TopicChart } from '../chart-data/topic-chart.ts'
import { languageField, sampleNotes, thingOf, type UnusualAnswer } from '../chart-data/unusual.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import { selectFields } from '../fields/record-selection.ts'
import { fieldsNamed, type ListNode, type MissingWord, newestArguments, resultOfNode } from '../lists/list.ts'
import { largestStories, readStories } from '../lists/stories.ts'
import type { Answer } from '../page.ts'
import { recordArguments, type View, withCondition } from '../view/view.ts'
import { isOfOneLanguage, languageIn, type ThingKind, thingPanels } from './things.ts'

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

export type TopicPanels = Readonly<ReturnType<typeof topicPanels>>

export function topicPanels(chart: TopicChart, context: ChartContext) {
  const { subject } = context
  const { topics, base } = chart
  const denominator = base.own.where ?? {}
  const [outlet, language] = [mainReference(subject), languageField(subject)]
  const each = (make: (view: View, at: number) => readonly Panel[]) => topics.flatMap(make)
  const aggregated = (name: string, given: Panel['arguments'], selection: Selection): Panel => ({
    name,
    field: aggregateOf(subject),
    arguments: given,
    selection,
  })
  const outletPanel = (name: string, view: View, field: ShownField, least: number | null): Panel =>
    aggregated(name, ...rankedBy(field, least, { ...recordArguments(view), denominator }))
  return {
    /** Of the whole of each topic, which the outlets with most records tell too. */
    wholes: each((view, at) => [aggregated(`whole${at}`, { ...recordArguments(view), denominator }, shares)]),
    outlets:
      outlet === null
        ? []
        : each((view, at) => [
            ...(base.isWholeBy([outlet]) ? [] : [outletPanel(`highest${at}`, view, outlet, fewRecords)]),
            outletPanel(`most${at}`, view, outlet, null),
          ]),
    /** Where no outlet is large enough, the ranking of smaller ones; where no time is right, the newest in the index. */
    instead: (answer: Answer) =>
      each((view, at) => {
        const { groups = null } = (answer[`highest${at}`] ?? {}) as Partial<GroupsAnswer>
        const { nodes = null } = (answer[`newest${at}`] ?? {}) as NewestAnswer
        const few = outlet !== null && groups?.length === 0
        return [
          ...(few ? [outletPanel(`highest${at}`, view, outlet, 1)] : []),
          ...(nodes?.length === 0 ? [newestPanel(`indexed${at}`, view, false, context)] : []),
        ]
      }),
    newest: each((view, at) => [newestPanel(`newest${at}`, view, true, context)]),
    stories: each((view, at) => largestStories(`stories${at}`, view, subject)),
    values: thingPanels('values', {}, { ...context, chart }),
    /** Asked before the words: the language of most records of each topic; none where records have no language. */
    languages: each((view, at) => {
      if (language === null || isOfOneLanguage(base, view, subject)) return []
      const given = { ...recordArguments(view), groupBy: [language.name], limit: 1 }
      return [aggregated(`language${at}`, given, { count: {}, groups: leaves(language.name, 'count') })]
    }),
    /** With null instead of that answer: panels that cost at least as much. */
    words: (answer: Answer | null) => thingPanels('words', answer, { ...context, chart }),
  }
}

const shares = leaves('count', 'total', 'share')

/** Groups with the highest share of at least so many records; with null those with most records, and the whole. */
function rankedBy(field: ShownField, least: number | null, of: Panel['arguments']) {
  const ranked = least !== null && {
    rankBy: { measure: 'SHARE', direction: 'DESC' },
    having: atLeast(leastRecords, least),
  }
  const groups = mergeSelections([groupingSelection(groupingBy(field)), shares])
  return [
    { ...of, groupBy: [field.name], limit: mostOutlets, ...ranked },
    { ...(least === null && shares), groups },
  ] as const
}

interface NewestAnswer {
  readonly nodes?: readonly ListNode[]
  readonly didYouMean?: readonly MissingWord[]
}

/** `isTimed`: by the time of the records, otherwise by that of indexing. */
function newestPanel(name: string, view: View, isTimed: boolean, { subject, now }: ChartContext): Panel {
  const { where, search } = recordArguments(view)
  return {
    name,
    field: subject.collection.rootField,
    arguments: { search, first: mostNewest, ...(isTimed ? newestArguments(subject, now, where) : { where }) },
    selection: {
      nodes: { ...selectFields(newestColumns(subject)), indexedAt: {} },
      ...(view.search !== '' && { didYouMean: { word: {}, nearest: { word: {} } } }),
    },
  }
}

function newestColumns(subject: PageSubject): readonly ShownField[] {
  const { title, time, columns } = subject.roles
  return fieldsNamed(subject, [title, time, ...columns, mainReference(subject)?.name ?? null])
}

/** The facet that names records, such as the outlet; otherwise the first one of codes or listed values. */
export function mainReference(subject: PageSubject): ShownField | null {
  const facets = fieldsNamed(subject, subject.roles.facets).filter(
    ({ name, isArray, many }) => subject.groupable.has(name) && !isArray && !many,
  )
  return (
    facets.find(({ target, targetTitle }) => target !== null && targetTitle !== null) ??
    facets.find(({ type }) => type.kind === 'string') ??
    null
  )
}

export type TopicAnswer = ReturnType<typeof readTopics>[number]
export type OutletRow = TopicAnswer['most'][number]

/** Of each topic. A panel that was not asked, or has failed, is empty. */
export function readTopics(chart: TopicChart, answer: Answer, context: ChartContext) {
  const { subject, language } = context
  const outlet = mainReference(subject)
  const key = outlet && groupingBy(outlet)
  const groupsOf = (name: string) => {
    const { groups = [] } = (answer[name] ?? {}) as Partial<GroupsAnswer>
    // Of records without any such value there is nothing to rank.
    return groups.every((group) => group[outlet?.name ?? ''] === null) ? [] : groups
  }
  // Several outlets of all tables may have the same name.
  const all = chart.topics.flatMap((_, at) => [...groupsOf(`highest${at}`), ...groupsOf(`most${at}`)])
  const labelOf = key && labelsOf(key, all, language)
  return chart.topics.map((view, at) => {
    const own = { ...context, view: { ...view, others: [] } }
    const outletRows = (name: string) =>
      groupsOf(`${name}${at}`).map((group) => ({
        ...(group as unknown as ShareAnswer),
        label: labelOf?.(group) ?? '',
        /** The records of the topic there; null where no conditions select them. */
        view: key && viewOfGroup(own.view, key, group),
      }))
    const indexed = answer[`indexed${at}`] as NewestAnswer | undefined
    const found = indexed ?? ((answer[`newest${at}`] ?? {}) as NewestAnswer)
    const unusual = (kind: ThingKind) => (answer[`${kind}${at}`] ?? {}) as UnusualAnswer
    const [here, compared] = ['here', 'compared'].map((name) => countIn(answer, `${name}${at}`))
    const isSearched = searchedWords(view.search, subject.collection.searchFields)
    const spoken = languageIn(answer, at, view, chart, subject)
    const things = (kind: ThingKind, of: View) =>
      (thingOf(kind, { ...own, view: of })?.rows(unusual(kind)) ?? []).filter(
        ({ label }) => !isSearched(label),
      )
    return {
      view: own.view,
      whole: ((answer[`whole${at}`] ?? answer[`most${at}`]) as ShareAnswer | undefined) ?? null,
      /** The outlets with the highest share, and those with most records. */
      highest: outletRows('highest'),
      most: outletRows('most'),
      newest: found.nodes?.map((node) => resultOfNode(node, newestColumns(subject))) ?? [],
      /** Whether none of the records has a right time, so that the newest are those of the index. */
      isTimeless: indexed !== undefined,
      missing: found.didYouMean ?? [],
      stories: readStories(answer, `stories${at}`, subject),
      words: things('words', spoken === null ? own.view : withCondition(own.view, spoken)),
      /** The only records whose words are compared; null for all. */
      spoken,
      values: things('values', own.view),
      samples: sampleNotes(unusual('words'), here ?? 0, compared ?? 0, subject, language),
      /** Whether there are no other records to compare the words or values with. */
      isAlone: here === compared && here !== 0,
    }
  })
}
