/** What the corpus needs to know of a language: names, and sentences with slots for them. */
import type { Section, StoryKind } from '../stories.ts'

export interface Place {
  readonly name: string
  /** The place as the sentences of this language say "in …". */
  readonly within: string
  readonly english: string
  readonly country: string
  /** Latitude and longitude. */
  readonly at: readonly [string, string]
  readonly wikidata?: string
}

export interface Headlines {
  /** Tags the outlets attach. */
  readonly tags: readonly string[]
  /** Slots: {place} {in} {n} {person} {body} {company} {rival} {team} {opponent} {score} {far}. */
  readonly titles: readonly string[]
}

export interface LanguagePack {
  readonly language: string
  readonly places: readonly Place[]
  /** Institutions, in the form that stands before a verb. */
  readonly bodies: readonly string[]
  /** Invented people, all of one grammatical gender, which the sentences rely on. */
  readonly people: readonly string[]
  readonly reporters: readonly string[]
  readonly companies: readonly string[]
  readonly teams: readonly string[]
  /** Countries that exist in no atlas, for wars and treaties. */
  readonly farCountries: readonly string[]
  readonly stories: Readonly<Record<StoryKind, Headlines>>
  /** Headlines that occur once, so that some words are rare. */
  readonly rarities: readonly (readonly [StoryKind, string])[]
  readonly standfirsts: readonly string[]
  /** What outlets that bait put before a headline. */
  readonly teasers: readonly string[]
  readonly sections: Readonly<Record<Section, string>>
}
