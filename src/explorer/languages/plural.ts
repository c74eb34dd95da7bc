/** Texts that depend on a number. */

/** Forms by the categories of `Intl.PluralRules`, with `{n}` for the number. */
export interface Plural {
  readonly zero?: string
  readonly one?: string
  readonly two?: string
  readonly few?: string
  readonly many?: string
  readonly other: string
}
