/** The shape of a language's texts, and what they are made with. */
import type { en, Plural } from './en.ts'

/** Every text of the interface. */
export type Texts = typeof en

/** The texts of another language; those that it lacks are shown in English. */
export type Translation<Text = Texts> = Text extends string | Plural | ((...given: never) => string)
  ? Text
  : { readonly [Key in keyof Text]?: Translation<Text[Key]> }

/** A name or value in a sentence, whose direction may be another: between a first strong isolate and its end. */
export function isolated(text: string | number): string {
  return `\u2068${text}\u2069`
}
