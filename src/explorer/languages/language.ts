/** Languages of the interface: choosing one, and writing numbers and times in it. */
import { isObject } from '../../util/is-object.ts'
import { parseQualities } from '../../util/text/qualities.ts'
import { ar } from './ar.ts'
import { isolated, type Texts } from './catalogue.ts'
import { en, type Plural } from './en.ts'
import { es } from './es.ts'

export type Language = Readonly<ReturnType<typeof create>>

function create(tag: string, name: string, direction: 'ltr' | 'rtl', text: Texts) {
  const numbers = new Intl.NumberFormat(tag)
  const percents = new Intl.NumberFormat(tag, { style: 'percent', maximumSignificantDigits: 2 })
  const choices = new Intl.ListFormat(tag, { type: 'disjunction' })
  const plurals = new Intl.PluralRules(tag)
  const dates = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone: 'UTC' })
  const times = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  const names = {
    language: new Intl.DisplayNames(tag, { type: 'language' }),
    region: new Intl.DisplayNames(tag, { type: 'region' }),
  }
  const formatted = (format: Intl.DateTimeFormat, instant: string): string => {
    const at = Date.parse(instant)
    return Number.isNaN(at) ? instant : format.format(at)
  }
  return {
    /** BCP 47. */
    tag,
    /** Its own name. */
    name,
    direction,
    /** Whether the address names it, so that links have to name it too. */
    isChosen: false as boolean,
    text,
    number: (value: number, options?: Intl.NumberFormatOptions): string =>
      options === undefined ? numbers.format(value) : new Intl.NumberFormat(tag, options).format(value),
    percent: (share: number): string => percents.format(share),
    /** Separated by commas. The mark gives the list its direction: isolated texts have no say in it. */
    list: (texts: readonly string[]): string =>
      direction === 'rtl' ? `\u200F${texts.map(isolated).join(text.comma)}` : texts.join(text.comma),
    /** `English, German, or Arabic` */
    anyOf: (texts: readonly string[]): string =>
      choices.format(direction === 'rtl' ? texts.map(isolated) : texts),
    plural: (forms: Plural, count: number): string =>
      (forms[plurals.select(count)] ?? forms.other).replace('{n}', numbers.format(count)),
    /** In UTC, of an RFC 3339 text; the text itself if it is none. */
    date: (instant: string): string => formatted(dates, instant),
    time: (instant: string): string => formatted(times, instant),
    /** The name of the language with the BCP 47 tag, or of the country with the ISO 3166 code; the code if unknown. */
    nameOf(kind: keyof typeof names, code: string): string {
      try {
        return names[kind].of(code) ?? code
      } catch {
        return code
      }
    },
  }
}

export const languages: readonly Language[] = [
  create('en', 'English', 'ltr', en),
  create('es', 'Español', 'ltr', completed(en, es) as Texts),
  create('ar', 'العربية', 'rtl', completed(en, ar) as Texts),
]

/** A translation, with the English texts that it lacks. */
export function completed(english: unknown, translation: unknown): unknown {
  if (!isObject(english) || 'other' in english) return translation ?? english
  const own = isObject(translation) ? translation : {}
  return Object.fromEntries(Object.entries(english).map(([name, text]) => [name, completed(text, own[name])]))
}

/** The language of a tag, without regard to its case and region: `es` for `es-MX`. */
function languageOf(named: string): Language | undefined {
  const [primary] = named.trim().toLowerCase().split('-')
  return languages.find(({ tag }) => tag === primary)
}

/** The one asked for by tag; otherwise the first of `Accept-Language` that there is; otherwise English. */
export function chooseLanguage(chosen: string | null, accepted: string | undefined): Language {
  const english = languages[0] as Language
  const named = chosen === null ? undefined : languageOf(chosen)
  if (named !== undefined) return { ...named, isChosen: true }
  const wanted = [...parseQualities(accepted ?? '')]
    .filter(([, quality]) => quality > 0)
    .toSorted(([, one], [, other]) => other - one)
  for (const [name] of wanted) {
    const found = languageOf(name)
    if (found !== undefined) return found
  }
  return english
}
