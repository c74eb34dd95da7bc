/** Names of collections and fields for people: those of `display.json`, or else made from the names in lexicons. */
import type { AskField } from '../../ask/fields.ts'
import { lastPart } from '../../schema/model/naming.ts'
import type { Collection } from '../../schema/model/model.ts'
import type { Language } from '../languages/language.ts'
import type { Plural } from '../languages/en.ts'

/** Texts by the tag of a language of the interface. */
export type Labels = Readonly<Record<string, string>>

/** A number of records, by the tag of a language of the interface. */
export type Counts = Readonly<Record<string, Plural>>

/** Labels of values of a field, by value. */
export type ValueLabels = ReadonlyMap<string, Labels>

export const noValueLabels: ValueLabels = new Map()

/** The range of an integer, with the meaning of its ends. */
export interface Scale {
  readonly min: number
  readonly max: number
  readonly low: Labels
  readonly high: Labels
}

/** A language of the interface. */
export type Tagged = Pick<Language, 'tag'>

/** The text in the language, or else in English. */
export function labelIn(labels: Labels, { tag }: Tagged): string | null {
  return labels[tag] ?? labels['en'] ?? null
}

interface Labelled {
  readonly labels: Labels
  readonly words: readonly string[]
}

export function fieldLabel({ labels, words }: Labelled, language: Tagged): string {
  return labelIn(labels, language) ?? labelOf(words)
}

interface LabelledCollection {
  readonly collection: Collection
  readonly display: Readonly<Record<'label' | 'singular' | 'description', Labels>> & {
    readonly count: Counts
  }
}

export function subjectLabel({ collection, display }: LabelledCollection, language: Tagged): string {
  return labelIn(display.label, language) ?? labelOf([lastPart(collection.nsid)])
}

/** `Article`, of one record. */
export function singularLabel(subject: LabelledCollection, language: Tagged): string {
  return labelIn(subject.display.singular, language) ?? subjectLabel(subject, language)
}

type CountedCollection = Pick<LabelledCollection, 'display'>

/** Whether `display.json` counts them in the language. */
export function hasNoun({ display }: CountedCollection, { tag }: Tagged): boolean {
  return display.count[tag] !== undefined
}

/** Records, where `display.json` does not count them in the language. */
function countForms(subject: CountedCollection | null, { tag, text }: Language): Plural {
  return subject?.display.count[tag] ?? text.records
}

/** `5 articles` */
export function counted(subject: CountedCollection, count: number, language: Language): string {
  return language.plural(countForms(subject, language), count)
}

/** `articles`, in a sentence. */
export function nounOf(subject: CountedCollection | null, language: Language): string {
  const { few, other } = countForms(subject, language)
  return (few ?? other).replace('{n}', '').trim()
}

/** `Articles`, of a column or an axis. */
export function nounTitle(subject: Parameters<typeof nounOf>[0], language: Language): string {
  return capitalized(nounOf(subject, language), language)
}

export function capitalized(text: string, { tag }: Tagged): string {
  return text.charAt(0).toLocaleUpperCase(tag) + text.slice(1)
}

/** Descriptions of lexicons are in English: not shown to readers of a language that the operator has labels in. */
export function isReadIn({ tag }: Tagged, labels: Labels): boolean {
  return tag === 'en' || labels[tag] === undefined
}

/** Undefined for a field without a description, or with one that is not read in the language. */
export function fieldDescription(
  field: Labelled & { readonly description: string },
  language: Tagged,
): string | undefined {
  return field.description !== '' && isReadIn(language, field.labels) ? field.description : undefined
}

export function subjectDescription({ collection, display }: LabelledCollection, language: Tagged): string {
  return labelIn(display.description, language) ?? collection.type.description
}

/** `Published at` of `publishedAt`; `Image alt` of `image` and `alt`. */
export function labelOf(words: readonly string[]): string {
  const text = words
    .map((word) =>
      word
        // Fields whose names GraphQL needs itself.
        .replace(/^record_/, '')
        .replaceAll(/[_-]+/g, ' ')
        .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
        .toLowerCase(),
    )
    .join(' ')
    .trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** That of `display.json`; otherwise the words of a listed value or of a token, and any other value as it is. */
export function valueLabel(
  { valueLabels, values }: { readonly valueLabels: ValueLabels } & Pick<AskField, 'values'>,
  value: string,
  language: Tagged,
): string {
  const given = labelIn(valueLabels.get(value) ?? {}, language)
  return given ?? (values.includes(value) || tokenName(value) !== null ? wordsOfValue(value) : value)
}

/** `reasonSpam` of the token `com.atproto.moderation.defs#reasonSpam`. */
function tokenName(value: string): string | null {
  return /^[a-z][a-z0-9-]*(?:\.[a-zA-Z0-9-]+){2,}#([a-zA-Z]+)$/.exec(value)?.[1] ?? null
}

/** `Digital native` of `digital-native`. Values that are no words, such as `!hide`, stay. */
function wordsOfValue(value: string): string {
  const word = tokenName(value) ?? value
  const isWords = /^[a-z][A-Za-z0-9]*([-_ ][A-Za-z0-9]+)*$/.test(word)
  return isWords ? labelOf([word]) : word
}
