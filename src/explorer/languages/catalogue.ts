/** The shape of a language's texts. */
import { en } from './en.ts'
import type { Plural } from './plural.ts'

type Widened<Text> = Text extends string
  ? string
  : Text extends (...given: never) => string
    ? Text
    : Text extends { readonly other: string }
      ? Plural
      : { readonly [Key in keyof Text]: Widened<Text[Key]> }

type Incomplete<Text> = Text extends string | Plural | ((...given: never) => string)
  ? Text
  : { readonly [Key in keyof Text]?: Incomplete<Text[Key]> }

/** Every text of the interface. */
export type Catalogue = Widened<typeof en>

/** A catalogue in which some texts may be missing. */
export type Translation = Incomplete<Catalogue>

/** The translation, with English texts where it has none. */
export function completed(translation: Translation): Catalogue {
  return merged(en, translation) as Catalogue
}

function merged(english: unknown, own: unknown): unknown {
  if (own === undefined) return english
  if (typeof own !== 'object' || own === null || 'other' in own) return own
  return Object.fromEntries(
    Object.entries(english as Record<string, unknown>).map(([key, text]) => [
      key,
      merged(text, (own as Record<string, unknown>)[key]),
    ]),
  )
}
