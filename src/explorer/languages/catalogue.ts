/** The shape of a language's texts. */
import type { en } from './en.ts'
import type { Plural } from './text-parts.ts'

/** Of a part of the English texts: any texts, with any plural forms. */
export type Widened<Text> = Text extends string
  ? string
  : Text extends (...given: never) => string
    ? Text
    : Text extends { readonly other: string }
      ? Plural
      : { readonly [Key in keyof Text]: Widened<Text[Key]> }

/** Every text of the interface. */
export type Texts = Widened<typeof en>

/** The texts of another language; those that it lacks are shown in English. */
export type Translation<Text = Texts> = Text extends string | Plural | ((...given: never) => string)
  ? Text
  : { readonly [Key in keyof Text]?: Translation<Text[Key]> }
