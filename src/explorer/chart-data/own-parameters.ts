/** Parameters of a page besides those of a view: reading and changing them. */
import { type Problem, unknownChoice } from '../view/problem.ts'
import { changed, type View } from '../view/view.ts'

/** The last value of the parameter; blank without one. */
export function readOther({ others }: View, name: string): string {
  return others.findLast(([each]) => each === name)?.[1].trim() ?? ''
}

/** The value, if it is one of the choices; otherwise null, and a problem unless it is absent. */
export function readChoice<T extends string>(
  view: View,
  name: string,
  choices: readonly T[],
  problems: Problem[],
): T | null {
  const value = readOther(view, name)
  const found = choices.find((each) => each === value)
  if (found === undefined && value !== '') problems.push(unknownChoice(name, value, choices))
  return found ?? null
}

/** The choice that the value is the name of, in the same way. */
export function readNamed<T extends { readonly name: string }>(
  view: View,
  name: string,
  choices: readonly T[],
  problems: Problem[],
): T | null {
  const names = choices.map((each) => each.name)
  const found = readChoice(view, name, names, problems)
  return choices.find((each) => each.name === found) ?? null
}

/** The first page of the view with these parameters instead; null removes one. */
export function withOthers(view: View, changes: Readonly<Record<string, string | null>>): View {
  const kept = view.others.filter(([name]) => !Object.hasOwn(changes, name))
  const added = Object.entries(changes).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  )
  return changed(view, { others: [...kept, ...added] })
}
