/** What is more frequent among the records of a view than among others: words of a text, or values of a field. */
import { EnumValue, leaves, printField } from '../../ask/graphql-text.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Where } from '../../ask/where.ts'
import { counted, fieldLabel } from '../fields/labels.ts'
import { isLanguage, type ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { Language } from '../languages/language.ts'
import { fieldsNamed } from '../lists/list.ts'
import { isReadable } from '../view/conditions.ts'
import { canSearch, changed, recordArguments, valuesOf, type View, withCondition } from '../view/view.ts'
import { aggregateOf, type ChartContext, type GroupAnswer } from './asked-chart.ts'
import { groupingBy, groupingSelection, labelsOf, viewOfGroup } from './grouping.ts'

export interface UnusualThing {
  readonly label: string
  readonly panel: (name: string, background: Where) => Panel
  /** The most unusual first. */
  readonly rows: (answer: UnusualAnswer) => readonly UnusualRow[]
}

export interface UnusualRow {
  readonly label: string
  /** Null where no view has its records. */
  readonly view: View | null
  readonly significance: Significance
}

interface Significance {
  /** In standard deviations. */
  readonly score: number
  readonly share: number
  readonly againstShare: number
}

export interface UnusualAnswer {
  readonly groups?: readonly (GroupAnswer & { readonly significance: Significance })[]
  readonly unusualWords?: {
    readonly recordsRead: number
    readonly againstRecordsRead: number
    readonly words: readonly { readonly word: string; readonly significance: Significance }[]
  }
}

const mostValues = 20
const selected = { significance: leaves('score', 'share', 'againstShare') }
/** Words to ask for. Words that tell nothing are left out afterwards. */
const askedWords = 60
const leastOfWords = 3

/** Words of the title or else the summary; values of an array of texts, entities first. Null without any. */
export function thingOf(kind: 'words' | 'values', context: ChartContext): UnusualThing | null {
  const { collection, fields, roles, groupable } = context.subject
  if (kind === 'words') {
    const texts = [roles.title, roles.summary].filter((name) =>
      collection.searchFields.some((each) => each.name === name),
    )
    const field = fields.get(texts[0] ?? '')
    return field === undefined ? null : unusualWordsOf(field, context)
  }
  const arrays = [...fields.values()].filter(
    ({ name, isOwn, isArray, many, type }) =>
      isOwn && (isArray || many) && type.kind === 'string' && type.format === null && groupable.has(name),
  )
  const field = arrays.find(({ name }) => /entit/i.test(name)) ?? arrays.find(({ isArray }) => isArray)
  return field === undefined ? null : unusualValuesOf(field, context)
}

function unusualWordsOf(field: ShownField, { subject, view, language }: ChartContext): UnusualThing {
  const given = valuesOf(view, field.name, 'matches').map((each) => `(${each}) `)
  const viewOf = (word: string): View | null => {
    const value = given.join('') + word
    if (!isReadable(field, 'matches', value) || !canSearch(value, subject.collection)) return null
    return withCondition({ ...view, others: [] }, { field, operator: 'matches', values: [value] })
  }
  return {
    label: fieldLabel(field, language),
    panel: (name, background) => ({
      name,
      field: aggregateOf(subject),
      arguments: { ...recordArguments(view) },
      variables: {
        [`${name}Others`]: { type: `${subject.collection.typeName}WhereInput!`, value: background },
      },
      selection: {
        [printField('unusualWords', {
          field: new EnumValue(field.name),
          against: new EnumValue(`$${name}Others`),
          minCount: leastOfWords,
          limit: askedWords,
        })]: {
          ...leaves('recordsRead', 'againstRecordsRead'),
          words: { ...leaves('word'), ...selected },
        },
      },
    }),
    rows: ({ unusualWords: { words, recordsRead = 0, againstRecordsRead = 0 } = { words: [] } }) =>
      words
        .filter(({ significance }) => isTelling(significance, recordsRead, againstRecordsRead))
        .map(({ word, significance }) => ({ label: word, view: viewOf(word), significance })),
  }
}

/** Of words and values that are named, and of the shares of values: of many records, small differences are no chance. */
const leastScore = 1.2
const leastRatio = 1.5

/**
 * A word tells something if it has this score, fewer than a tenth of the other records have it, and it is at least six
 * times as frequent here, even if chance, in both samples, made the difference two standard deviations too large. The
 * root of a share of n records has a standard deviation of ½ ÷ √n. The fewer records are read, the rarer a word must be
 * elsewhere; words without content are frequent everywhere.
 */
export function isTelling(
  { score, share, againstShare }: Significance,
  here: number,
  elsewhere: number,
): boolean {
  const difference = Math.sqrt(share) - Math.sqrt(6 * againstShare)
  return score >= leastScore && againstShare < 0.1 && difference >= Math.sqrt(1 / here + 6 / elsewhere)
}

function unusualValuesOf(field: ShownField, { subject, view, language }: ChartContext): UnusualThing {
  const key = groupingBy(field)
  return {
    label: fieldLabel(field, language),
    panel: (name, background) => ({
      name,
      field: aggregateOf(subject),
      arguments: {
        ...recordArguments(view),
        groupBy: [field.name],
        significant: { against: background },
        limit: mostValues,
      },
      selection: { groups: { ...groupingSelection(key), ...selected } },
    }),
    rows: ({ groups = [] }) => {
      const labelOf = labelsOf(key, groups, language)
      return groups
        .filter(({ [field.name]: value, significance: { score, share, againstShare } }) => {
          return value !== null && score >= leastScore && share >= leastRatio * againstShare
        })
        .map((group) => ({
          label: labelOf(group),
          view: viewOfGroup(changed(view, { others: [] }), key, group),
          significance: group.significance,
        }))
    },
  }
}

/** The language of the text of a record; null where records name none. */
export function languageField(subject: PageSubject): ShownField | null {
  const facets = fieldsNamed(subject, subject.roles.facets)
  return facets.find((field) => field.isOwn && !field.isArray && field.isGroup && isLanguage(field)) ?? null
}

/** A note for each side that is a sample, else null. `count`: records of the topic; `compared`: all, those of the topic included. */
export function sampleNotes(
  { unusualWords }: UnusualAnswer,
  count: number,
  compared: number,
  subject: PageSubject,
  language: Language,
) {
  const { sampleHere, sampleElsewhere } = language.text.topic
  const { recordsRead = count, againstRecordsRead = compared } = unusualWords ?? {}
  const note = (text: typeof sampleHere, read: number, all: number) =>
    text(language.number(read), counted(subject, all, language))
  return {
    here: recordsRead < count ? note(sampleHere, recordsRead, count) : null,
    elsewhere:
      againstRecordsRead < compared - count ? note(sampleElsewhere, againstRecordsRead, compared) : null,
  }
}
