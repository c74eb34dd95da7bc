/** What the texts of languages are made with. */

/** Forms by the categories of `Intl.PluralRules`, with `{n}` for the number. */
export interface Plural {
  readonly zero?: string
  readonly one?: string
  readonly two?: string
  readonly few?: string
  readonly many?: string
  readonly other: string
}

/** A name or value in a sentence, whose direction may be another: between a first strong isolate and its end. */
export function isolated(text: string | number): string {
  return `\u2068${text}\u2069`
}
