/** A part of `display.json`, and what is wrong in it. */
import { isObject } from '../../util/is-object.ts'
import { nearest } from '../../util/text/nearest.ts'

export interface DisplayProblem {
  /** Where it is, such as `org.example.book.fields.pages`; blank for the whole file. */
  readonly path: string
  readonly problem: string
  readonly remedy: string
}

/** A value of the file, and where it is. */
export class Part {
  readonly value: unknown
  readonly #path: string
  readonly #problems: DisplayProblem[]

  constructor(value: unknown, path: string, problems: DisplayProblem[]) {
    this.value = value
    this.#path = path
    this.#problems = problems
  }

  report(problem: string, remedy: string): void {
    this.#problems.push({ path: this.#path, problem, remedy })
  }

  at(name: string): Part {
    const path = this.#path === '' ? name : `${this.#path}.${name}`
    return new Part((this.value as Readonly<Record<string, unknown>>)[name], path, this.#problems)
  }

  isObject(remedy: string): boolean {
    const is = isObject(this.value)
    if (!is) this.report('This is not a JSON object.', remedy)
    return is
  }

  /** Reports members with other names than `known`. */
  check(known: readonly string[]): void {
    for (const name of Object.keys(this.value as object))
      if (!known.includes(name)) this.at(name).report(`"${name}" has no meaning here.`, suggest(name, known))
  }

  /** The members of an object; none if it is left out. */
  members(remedy: string): readonly (readonly [string, Part])[] {
    if (this.value === undefined || !this.isObject(remedy)) return []
    return Object.keys(this.value as object).map((name) => [name, this.at(name)])
  }
}

export function suggest(word: string, candidates: readonly string[]): string {
  const suggestion = nearest(word, candidates)
  if (suggestion !== null) return `Did you mean "${suggestion}"?`
  const shown = candidates.slice(0, 30)
  const more = candidates.length - shown.length
  return candidates.length === 0
    ? 'Remove it.'
    : `Name one of: ${shown.join(', ')}${more > 0 ? ` and ${more} others` : ''}.`
}
