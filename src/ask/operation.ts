/**
 * Builds GraphQL operations of panels. Panels of one operation show one state of the data; a page with a chart has several
 * operations. Arguments become variables; their types come from the schema.
 */
import type { GraphQLSchema } from 'graphql'
import { EnumValue, indent, printField, printLines, type Selection } from './graphql-text.ts'

/** Points of an operation, below the 250 of the public tier. */
export const affordable = 215
/** Points of an operation of what its reader has chosen, and of counts for agents. */
export const mostAffordable = 245
/** Points of all operations of a chart: a reader may look at several of the dearest in a minute. */
const mostOfChart = 1_200

export interface Panel {
  /** The alias, under which the answer has the panel. */
  readonly name: string
  /** A field of the query, such as `techServiceNewsArticle`. */
  readonly field: string
  /** Values as in variables; enum values are their names. Those that are undefined are left out. */
  readonly arguments: Readonly<Record<string, unknown>>
  /** It may use variables that `variables` defines. */
  readonly selection: Selection
  readonly variables?: Readonly<Record<string, PanelVariable>>
}

export interface PanelVariable {
  readonly type: string
  readonly value: unknown
}

export interface Operation {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** Panels with the same name are the same panel. */
export function buildOperation(schema: GraphQLSchema, name: string, panels: readonly Panel[]): Operation {
  const variables = new Map<string, PanelVariable>()
  const fields = panels.map((panel) => {
    const given = Object.entries(panel.arguments).filter(([, value]) => value !== undefined && value !== null)
    const named = given.map(([argument, value]) => {
      const variable = { type: typeOfArgument(schema, panel.field, argument), value }
      return [argument, new EnumValue(`$${define(variables, `${panel.name}_${argument}`, variable)}`)]
    })
    for (const [inner, variable] of Object.entries(panel.variables ?? {})) variables.set(inner, variable)
    const field = printField(`${panel.name}: ${panel.field}`, Object.fromEntries(named))
    return `  ${field} {\n${indent(printLines(panel.selection), 4)}\n  }`
  })
  const defined = [...variables].map(([each, { type }]) => `$${each}: ${type}`)
  const head = defined.length === 0 ? '' : `(${defined.join(', ')})`
  return {
    query: `query ${name}${head} {\n${fields.join('\n')}\n}`,
    variables: Object.fromEntries([...variables].map(([each, { value }]) => [each, value])),
  }
}

/** What an operation may cost. */
export interface Priced {
  readonly schema: GraphQLSchema
  /** Points; null for an operation that is refused for another reason. */
  readonly price: (operation: Operation) => number | null
}

export interface PricedOperations {
  readonly operations: readonly Operation[]
  /** Of all panels together, or of each where that is too much; infinite for what is refused for another reason. */
  readonly points: readonly number[]
}

/** One operation where it can be afforded; otherwise several that can, and one for each panel that cannot. */
export function priceOperations({ schema, price }: Priced, panels: readonly Panel[]): PricedOperations {
  if (panels.length === 0) return { operations: [], points: [] }
  const build = (some: readonly Panel[]) => buildOperation(schema, 'Chart', some)
  const pointsOf = (operation: Operation) => price(operation) ?? Number.POSITIVE_INFINITY
  const whole = build(panels)
  const points = pointsOf(whole)
  if (points <= mostAffordable) return { operations: [whole], points: [points] }
  const each = panels.map((panel) => ({ panel, points: pointsOf(build([panel])) }))
  // Together panels cost at most what they cost one by one.
  const groups = packOperations(each)
  return {
    operations: groups.map((group) => build(group.map(({ panel }) => panel))),
    points: each.map((one) => one.points),
  }
}

export function affordableOperations(priced: Priced, panels: readonly Panel[]): readonly Operation[] {
  return priceOperations(priced, panels).operations
}

/** The items in as few operations that can be afforded as their order allows. */
export function packOperations<Item extends { readonly points: number }>(
  items: readonly Item[],
): readonly (readonly Item[])[] {
  const operations: Item[][] = []
  let left = 0
  for (const item of items) {
    if (operations.length === 0 || item.points > left) {
      operations.push([])
      left = mostAffordable
    }
    operations.at(-1)?.push(item)
    left -= item.points
  }
  return operations
}

/** Whether a chart may ask for them, in one operation or several. */
export function areAffordable(priced: Priced, panels: readonly Panel[]): boolean {
  const { points } = priceOperations(priced, panels)
  return Math.max(...points) <= mostAffordable && points.reduce((sum, each) => sum + each, 0) <= mostOfChart
}

/** Equal values of one type share a variable, so that a reader sees that panels have the same conditions. */
function define(variables: Map<string, PanelVariable>, name: string, variable: PanelVariable): string {
  const text = JSON.stringify(variable)
  for (const [known, other] of variables) if (JSON.stringify(other) === text) return known
  const short = name.slice(name.indexOf('_') + 1)
  const free = variables.has(short) ? name : short
  variables.set(free, variable)
  return free
}

function typeOfArgument(schema: GraphQLSchema, field: string, argument: string): string {
  const fields = schema.getQueryType()?.getFields() ?? {}
  const found = fields[field]?.args.find(({ name }) => name === argument)
  if (found === undefined) throw new Error(`The field ${field} has no argument ${argument}.`)
  return String(found.type)
}
