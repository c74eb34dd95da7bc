/**
 * Questions for bench/costs/cost-search.ts, made from the GraphQL schema alone: every single condition, sort, group,
 * measure and facet of every collection, the first record of each value, random trees of conditions, and conditions on
 * other records within each other.
 */
import {
  getNamedType,
  getNullableType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
} from 'graphql'
import { buckets } from '../../src/schema/model/operators.ts'

/** What is asked, by a name that tells its kind. */
export interface Question {
  readonly name: string
  readonly text: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** Values that occur, by the name of the field. */
export type Samples = ReadonlyMap<string, readonly unknown[]>

/** A number from 0 to 1, the next of a series. */
export type Random = () => number

/** A value of an input type, and its GraphQL type's name. */
type Input = Readonly<Record<string, unknown>>

const never = 'qqqzz'

export class QuestionMaker {
  readonly #schema: GraphQLSchema
  readonly #samples: Samples
  readonly #random: Random
  /** Root fields of lists. */
  readonly lists: readonly string[]

  constructor(schema: GraphQLSchema, samples: Samples, random: Random) {
    this.#schema = schema
    this.#samples = samples
    this.#random = random
    const fields = Object.values(schema.getQueryType()?.getFields() ?? {})
    this.lists = fields
      .filter(
        ({ args }) => args.some(({ name }) => name === 'where') && args.some(({ name }) => name === 'sortBy'),
      )
      .map(({ name }) => name)
  }

  *conditions(): Generator<Question> {
    for (const list of this.lists) {
      const where = this.#argument(list, 'where') as GraphQLInputObjectType
      for (const [name, field] of Object.entries(where.getFields())) {
        const type = getNullableType(field.type)
        if (!isInputObjectType(type) || name === 'NOT') continue
        for (const [operator, { type: of }] of Object.entries(type.getFields())) {
          for (const value of this.#valuesOf(name, operator, of)) {
            const condition = { [name]: { [operator]: value } }
            const kind = `condition ${list} ${JSON.stringify(condition).slice(0, 100)}`
            for (const each of [condition, { NOT: condition }])
              for (const fields of ['nodes { uri }', 'totalCount'])
                yield this.#list(`${kind}${each === condition ? '' : ' not'} ${fields}`, list, fields, {
                  where: each,
                })
          }
        }
      }
    }
  }

  *sorts(): Generator<Question> {
    for (const list of this.lists) {
      const fields = this.#enumOf(this.#argument(list, 'sortBy'), 'field')
      const where = this.#argument(list, 'where') as GraphQLInputObjectType
      for (const field of fields) {
        const sortBy = [{ field }]
        yield this.#list(`sort ${list} ${field}`, list, 'nodes { uri }', { sortBy })
        yield this.#list(
          `sort ${list} ${field} 100`,
          list,
          'nodes { uri } pageInfo { hasNextPage endCursor }',
          { sortBy, first: 100 },
        )
        for (let round = 0; round < 3; round += 1) {
          const random = { sortBy: [...sortBy, { field: this.#oneOf(fields) }], where: this.#tree(where, 2) }
          yield this.#list(`sort ${list} ${field} under a condition`, list, 'nodes { uri }', random)
        }
      }
    }
  }

  *distinct(): Generator<Question> {
    for (const list of this.lists) {
      const sortFields = this.#enumOf(this.#argument(list, 'sortBy'), 'field')
      const fields = this.#enumOf(this.#argument(list, 'distinctOn'))
      const where = this.#argument(list, 'where') as GraphQLInputObjectType
      for (const field of fields) {
        const pair = [field, this.#oneOf(fields.filter((each) => each !== field))]
        const given: readonly Input[] = [
          { distinctOn: [field] },
          { distinctOn: [field], last: 20 },
          { distinctOn: pair, last: 20 },
          { distinctOn: [field], last: 20, where: this.#tree(where, 1) },
          { distinctOn: [field], sortBy: [{ field: this.#oneOf(sortFields) }] },
          { distinctOn: pair, last: 20, sortBy: [{ field: this.#oneOf(sortFields) }] },
        ]
        for (const each of given)
          yield this.#list(
            `distinct ${list} ${JSON.stringify(each).slice(0, 200)}`,
            list,
            'nodes { uri }',
            each,
          )
        for (const distinctOn of [[field], pair])
          yield this.#list(`distinct ${list} ${distinctOn.join()} totalCount`, list, 'totalCount', {
            distinctOn,
          })
      }
    }
  }

  *groups(): Generator<Question> {
    for (const list of this.lists) {
      const fields = this.#enumOf(this.#argument(`${list}Aggregate`, 'groupBy'))
      const measures = this.#measures(list)
      for (const measure of measures) yield this.#aggregate(`measure ${list} ${measure}`, list, measure, {})
      for (const field of fields) {
        yield this.#aggregate(`group ${list} ${field}`, list, 'groups { count }', { groupBy: [field] })
        const measure = this.#oneOf(measures)
        const pair = { groupBy: [field, this.#oneOf(fields)] }
        yield this.#aggregate(
          `group ${list} ${pair.groupBy.join()} ${measure}`,
          list,
          `groups { count ${measure} }`,
          pair,
        )
        const distinct = `groups { countDistinct(field: ${this.#oneOf(fields)}) }`
        yield this.#aggregate(`group ${list} ${field} ${distinct}`, list, distinct, { groupBy: [field] })
      }
    }
  }

  *facets(): Generator<Question> {
    for (const list of this.lists)
      for (const field of this.#facetFields(list)) {
        yield this.#list(`facet ${list} ${field}`, list, this.#facets([field]), {})
        const five = this.#fiveFacets(list, field)
        yield this.#list(`facets ${list} ${five.join()}`, list, this.#facets(five), {})
      }
  }

  *trees(count: number): Generator<Question> {
    for (let made = 0; made < count; made += 1) {
      const list = this.#oneOf(this.lists)
      const type = this.#argument(list, 'where') as GraphQLInputObjectType
      yield this.#under('tree', list, this.#tree(type, 1 + Math.floor(this.#random() * 4)))
    }
  }

  /** Conditions on other records, up to so many levels, most of which no record meets. */
  *semiJoins(count: number): Generator<Question> {
    for (let made = 0; made < count; made += 1) {
      const list = this.#oneOf(this.lists)
      const type = this.#argument(list, 'where') as GraphQLInputObjectType
      yield this.#under('semi-join', list, this.#chain(type, 2 + Math.floor(this.#random() * 9)))
    }
  }

  #under(kind: string, list: string, where: Input): Question {
    const name = `${kind} ${list} ${JSON.stringify(where).slice(0, 300)}`
    const way = this.#random()
    if (way < 0.5)
      return this.#list(name, list, 'nodes { uri }', { where, first: 1 + Math.floor(this.#random() * 30) })
    if (way < 0.7) return this.#list(`${name} totalCount`, list, 'totalCount', { where })
    if (way < 0.75) {
      const fields = this.#fiveFacets(list, this.#oneOf(this.#facetFields(list)))
      return this.#list(`${name} facets ${fields.join()}`, list, this.#facets(fields), { where })
    }
    const groupBy = [this.#oneOf(this.#enumOf(this.#argument(`${list}Aggregate`, 'groupBy')))]
    if (way < 0.9)
      return this.#aggregate(`${name} by ${groupBy.join()}`, list, 'groups { count }', { where, groupBy })
    const sortBy = [{ field: this.#oneOf(this.#enumOf(this.#argument(list, 'sortBy'), 'field')) }]
    return this.#list(`${name} sorted by ${sortBy[0]?.field}`, list, 'nodes { uri }', { where, sortBy })
  }

  #facets(fields: readonly string[]): string {
    const ignoreOwn = this.#random() < 0.5
    return `facets(fields: [${fields.join(', ')}], ignoreOwn: ${ignoreOwn}) { field values { value count } missing cut }`
  }

  #fiveFacets(list: string, first: string): readonly string[] {
    const fields = this.#facetFields(list)
    return [...new Set([first, ...Array.from({ length: 4 }, () => this.#oneOf(fields))])]
  }

  #facetFields(list: string): readonly string[] {
    const fields = this.#enumOf(this.#argument(`${list}Aggregate`, 'groupBy'))
    return fields.filter((field) => !buckets.some((bucket) => field.endsWith(`_${bucket}`)))
  }

  #tree(type: GraphQLInputObjectType, depth: number): Input {
    const way = this.#random()
    const several = (): Input[] =>
      Array.from({ length: 2 + Math.floor(this.#random() * 4) }, () => this.#tree(type, depth - 1))
    if (depth > 1 && way < 0.2) return { AND: several() }
    if (depth > 1 && way < 0.35) return { OR: several() }
    if (way >= 0.35 && way < 0.5) return { NOT: this.#tree(type, Math.max(0, depth - 1)) }
    const names = Object.keys(type.getFields()).filter((name) => !isConnective(name))
    const inner = names.filter((name) => depth > 0 || !this.#isDeep(type, name))
    return this.#condition(type, this.#oneOf(inner.length === 0 ? names : inner), depth)
  }

  #condition(type: GraphQLInputObjectType, name: string, depth: number): Input {
    const field = type.getFields()[name]
    const of = getNullableType(field?.type as GraphQLInputType)
    if (isInputObjectType(of)) {
      const names = Object.keys(of.getFields())
      if (names.includes('AND')) return { [name]: this.#tree(of, depth - 1) }
      const operator = this.#oneOf(names)
      const operand = getNullableType(of.getFields()[operator]?.type as GraphQLInputType)
      if (isInputObjectType(operand)) return { [name]: { [operator]: this.#tree(operand, depth - 1) } }
      return { [name]: { [operator]: this.#oneOf(this.#valuesOf(name, operator, operand)) } }
    }
    return { [name]: this.#oneOf(this.#valuesOf(name, name, of)) }
  }

  #chain(type: GraphQLInputObjectType, levels: number): Input {
    const deep = Object.keys(type.getFields()).filter(
      (name) => !isConnective(name) && this.#isDeep(type, name),
    )
    if (levels === 0 || deep.length === 0) return this.#random() < 0.3 ? {} : this.#tree(type, 0)
    const name = this.#oneOf(deep)
    const of = getNullableType(type.getFields()[name]?.type as GraphQLInputType) as GraphQLInputObjectType
    if (Object.hasOwn(of.getFields(), 'AND')) {
      const condition = { [name]: this.#chain(of, levels - 1) }
      return this.#random() < 0.5 ? condition : { NOT: condition }
    }
    const operators = Object.entries(of.getFields()).filter(([, field]) =>
      isInputObjectType(getNullableType(field.type)),
    )
    const [operator, field] = this.#oneOf(operators)
    return {
      [name]: { [operator]: this.#chain(getNullableType(field.type) as GraphQLInputObjectType, levels - 1) },
    }
  }

  /** Whether a field leads to other objects or records. */
  #isDeep(type: GraphQLInputObjectType, name: string): boolean {
    const of = getNullableType(type.getFields()[name]?.type as GraphQLInputType)
    if (!isInputObjectType(of)) return false
    const fields = of.getFields()
    return (
      'AND' in fields || Object.values(fields).some((field) => isInputObjectType(getNullableType(field.type)))
    )
  }

  #valuesOf(field: string, operator: string, given: GraphQLInputType): readonly unknown[] {
    const type = getNullableType(given)
    if (isInputObjectType(type)) return operator === 'some' || operator === 'none' ? [{}] : []
    if (isListType(type)) {
      const many = Array.from({ length: 1_000 }, (_, at) => this.#absent(getNamedType(type).name, at))
      return [
        [],
        many.slice(0, 3),
        many,
        [...(this.#samples.get(field) ?? []).slice(0, 3), ...many.slice(0, 50)],
      ].map((values) => values.filter((value) => typeof value === typeof many[0]))
    }
    const { name } = getNamedType(type)
    if (name === 'Boolean') return [true, false]
    const absent = this.#absent(name, 0)
    const sampled = (this.#samples.get(field) ?? []).filter((value) => typeof value === typeof absent)
    const common = sampled.slice(0, 1)
    if (operator !== 'contains' && operator !== 'startsWith') return [absent, ...common]
    const parts = common.flatMap((text) => [String(text).slice(0, 3), String(text).slice(0, 1)])
    return [absent, 'e', 'the', ...parts]
  }

  #absent(type: string, at: number): unknown {
    if (type === 'Int') return -1 - at
    if (/int|number/i.test(type)) return -1 - at
    if (/date|instant/i.test(type)) return new Date(at).toISOString()
    return `${never}${at}`
  }

  #measures(list: string): readonly string[] {
    const type = getNamedType(this.#root(`${list}Aggregate`).type)
    if (!isObjectType(type)) return []
    return Object.values(type.getFields()).flatMap((field) => {
      const of = getNamedType(field.type)
      if (field.name === 'countDistinct')
        return this.#enumOf(field.args[0]?.type as GraphQLInputType).map(
          (value) => `countDistinct(field: ${value})`,
        )
      if (field.name === 'percentile')
        return this.#enumOf(field.args[0]?.type as GraphQLInputType).map(
          (value) => `percentile(field: ${value}, p: [0.07, 0.5, 0.9])`,
        )
      if (!isObjectType(of) || !measured.includes(field.name)) return []
      return Object.keys(of.getFields()).map((inner) => `${field.name} { ${inner} }`)
    })
  }

  #root(name: string) {
    const field = this.#schema.getQueryType()?.getFields()[name]
    if (field === undefined) throw new Error(`There is no field ${name}.`)
    return field
  }

  #argument(field: string, name: string): GraphQLInputType {
    const found = this.#root(field).args.find((argument) => argument.name === name)
    if (found === undefined) throw new Error(`${field} has no argument ${name}.`)
    return getNullableType(found.type)
  }

  /** Values of an enum, or of one in an input object. */
  #enumOf(type: GraphQLInputType, field?: string): readonly string[] {
    const named = getNamedType(type)
    const of = isInputObjectType(named)
      ? getNamedType(named.getFields()[field ?? '']?.type as GraphQLInputType)
      : named
    return isEnumType(of) ? of.getValues().map(({ name }) => name) : []
  }

  #list(name: string, list: string, fields: string, given: Input): Question {
    return this.#question(name, list, fields, given)
  }

  #aggregate(name: string, list: string, fields: string, given: Input): Question {
    return this.#question(name, `${list}Aggregate`, fields, given)
  }

  #question(name: string, root: string, fields: string, given: Input): Question {
    const types = this.#root(root).args.filter((argument) => Object.hasOwn(given, argument.name))
    const defined = types
      .map((argument) => `$${argument.name}: ${String(getNullableType(argument.type))}`)
      .join(', ')
    const passed = types.map((argument) => `${argument.name}: $${argument.name}`).join(', ')
    const text =
      types.length === 0
        ? `{ ${root} { ${fields} } }`
        : `query (${defined}) { ${root}(${passed}) { ${fields} } }`
    return { name, text, variables: given }
  }

  #oneOf<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item
  }
}

/** Fields of aggregates that have a field for each measured field. */
const measured = ['avg', 'sum', 'median', 'stddev', 'min', 'max']

function isConnective(name: string): boolean {
  return name === 'AND' || name === 'OR' || name === 'NOT'
}
