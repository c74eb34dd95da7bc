/** The tools know nothing of news: over every set of lexicons, their queries are valid and affordable. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { createRandom } from '../../demo/random.ts'
import type { Json } from '../reference/shapes.ts'
import { type Agent, createAgent, engineEndpoint, modelOf, readPages } from '../support/service/agents.ts'
import { openTestService } from '../support/service/service.ts'
import { rounds, seed } from '../support/rounds.ts'
import { prepare } from '../../src/query/parse/prepare.ts'
import { buildGraphQLSchema } from '../../src/schema/graphql/graphql.ts'
import { whereOperators } from '../../src/schema/model/where-operators.ts'
import { type Collection, type Field, type FieldType, systemFields } from '../../src/schema/model/model.ts'
import {
  groupFields,
  hasConditions,
  holderOf,
  sortFields,
  targetOf,
} from '../../src/schema/model/operators.ts'
import { budgets } from '../../src/mcp/words/budget.ts'
import { createCatalogue } from '../../src/ask/collections.ts'
import { selectPath } from '../../src/ask/selection.ts'
import { buildWhere, type FilterContext } from '../../src/ask/filters.ts'
import { mergeSelections, nested, printField, printSelection } from '../../src/ask/graphql-text.ts'
import { parseGroup } from '../../src/ask/groups.ts'
import { parsePath, reverseNames } from '../../src/ask/paths.ts'
import { AskError } from '../../src/ask/ask-error.ts'
import { lexiconSets } from '../golden/lexicon-sets.ts'

/** Paths that are selected with one query. */
const atOnce = 60
/** The sets with that many paths. */
const thousands = ['library', 'stress', 'network']

for (const [name, ...lexicons] of lexiconSets) {
  const model = modelOf(...lexicons)
  const schema = buildGraphQLSchema(model)
  const catalogue = createCatalogue(model)
  const context: FilterContext = {
    catalogue,
    schema,
    now: () => new Date('2026-11-18T09:30:00Z'),
    referenceTime: async () => new Date('2026-11-18T09:30:00Z'),
    noteTime: () => undefined,
    names: {
      one: async () => ['at://did:plc:abc/a.b.c/self'],
      all: async () => ['at://did:plc:abc/a.b.c/self', 'at://did:plc:abc/a.b.c/other'],
      account: async () => 'did:plc:abc',
    },
  }

  // There everything may refer to everything.
  const depth = name === 'network' ? 1 : 2
  // References, and then arrays of objects.
  const furthest = name === 'network' || name === 'news' ? depth + 1 : depth
  // There are thousands of them: each time some others are tried, and in five rounds all.
  const share = Math.ceil((thousands.includes(name) ? 5 : 1) / rounds())
  const first = seed % share
  const tried = thousands.includes(name)
    ? createRandom(seed).sample(catalogue.subjects, 2 * rounds())
    : catalogue.subjects
  test(`paths of the ${name} lexicons are valid GraphQL, or are refused in words`, () => {
    let [selected, grouped] = [0, 0]
    for (const { collection } of catalogue.subjects) {
      const paths = pathsOf(collection, context, depth).filter((_, at) => at % share === first)
      for (let at = 0; at < paths.length; at += atOnce) {
        const some = paths.slice(at, at + atOnce)
        const selections = some.map(
          (text) => orRefused(() => selectPath(parsePath(text, collection, context), context)) ?? {},
        )
        const nodes = printSelection(nested(['nodes'], mergeSelections([{ uri: {} }, ...selections])))
        prepare(schema, `{ ${collection.rootField} ${nodes} }`)
        const groups = some.flatMap((text) => orRefused(() => parseGroup(text, collection, context)) ?? [])
        const names = groups.map(({ field }) => field.name).join(' ')
        if (names !== '')
          prepare(schema, `{ ${collection.rootField}Aggregate(groupBy: [${names}]) { groups { ${names} } } }`)
        selected += selections.length
        grouped += groups.length
      }
    }
    assert.ok(selected > 0 && grouped > 0)
  })

  test(`every group of the ${name} lexicons has a path`, () => {
    for (const { collection } of tried) {
      const namesGroup = (text: string) => parseGroup(text, collection, context).field.name === text
      const paths = pathsOf(collection, context, furthest)
      const reached = new Set(
        paths.flatMap((text) => {
          const group = orRefused(() => parseGroup(text, collection, context))
          return group === null ? [] : [group.field.name]
        }),
      )
      // Of a moment, the path alone means the day.
      for (const { name: field, bucket } of groupFields(collection, model))
        if (bucket === 'day' || (bucket === null && field !== 'indexedAt'))
          assert.ok(reached.has(field) && namesGroup(field), `${collection.nsid} ${field}`)
    }
  })

  test(`a name that references of the ${name} lexicons share is refused with a path for each`, () => {
    for (const { collection } of catalogue.subjects) {
      const references = reverseNames(collection, context)
      for (const [name, some] of Map.groupBy(
        references.keys(),
        (one) => one.collection.split('.').at(-1) ?? '',
      ))
        if (some.length > 1 && !collection.type.fields.some(({ property }) => property === name)) {
          const said = refusalOf(() => parsePath(`${name}.count`, collection, context))
          const paths = some.map((one) => `${references.get(one)}.count`)
          assert.ok(said.endsWith(`Write "${paths.join('" or "')}".`), said)
          for (const path of paths) parsePath(path, collection, context)
        }
    }
  })

  test(`random filters of the ${name} lexicons are a valid where, or are refused in words`, async () => {
    const subjects = tried.map((subject) => ({
      subject,
      paths: pathsOf(subject.collection, context, depth),
    }))
    const questions = fc.constantFrom(...subjects).chain(({ subject, paths }) =>
      fc.record({
        subject: fc.constant(subject),
        filters: fc
          .array(
            fc.constantFrom(...paths).chain((text) => fc.tuple(fc.constant(text), anyFilter)),
            { maxLength: 4 },
          )
          .map((entries) => Object.fromEntries(entries)),
        text: fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined }),
        since: fc.option(fc.constantFrom('today', '2026', 'last 7 days'), { nil: undefined }),
      }),
    )
    let valid = 0
    const holds = fc.asyncProperty(questions, async ({ subject, ...narrowing }) => {
      const where = await buildWhere(subject, narrowing, context).catch((error: unknown) => {
        if (error instanceof AskError) return null
        throw error
      })
      if (where === null) return
      prepare(schema, `{ ${printField(subject.collection.rootField, { where })} { totalCount } }`)
      valid += 1
    })
    await fc.assert(holds, { numRuns: rounds(300), seed })
    assert.ok(valid > 5, `${valid}`)
  })

  test(`what a filter of its kind says of the ${name} lexicons is never refused`, async () => {
    for (const subject of catalogue.subjects)
      for (const field of subject.collection.type.fields.filter(({ type }) => hasConditions(type)))
        for (const value of valuesFor(field)) {
          const where = await buildWhere(subject, { filters: { [field.name]: value } }, context)
          assert.ok(where !== null)
          prepare(schema, `{ ${printField(subject.collection.rootField, { where })} { totalCount } }`)
        }
  })

  test(`every tool answers over the ${name} lexicons, at a price that the public tier may pay`, async () => {
    const [documents, references, stories] = lexicons
    await using service = await openTestService({ lexicons: documents, references, stories })
    const agent = createAgent(model, engineEndpoint(service.engine))
    const listed = JSON.stringify({ tools: agent.tools })
    assert.ok(countTokens(listed) <= 2500)
    await countsReferring(agent, context)
    for (const { label, collection } of tried) {
      await answers(agent, 'describe', { collection: label })
      await answers(agent, 'search_records', { collection: collection.typeName, limit: 50 })
      await answers(agent, 'search_records', { collection: label, detail: 'full', since: 'last 7 days' })
      for (const { name: field } of sortFields(collection).slice(0, 8))
        await answers(agent, 'search_records', { collection: label, sort: `-${field}` })
      for (const text of pathsOf(collection, context, 1).slice(0, 12)) {
        if (orRefused(() => parseGroup(text, collection, context)) === null) continue
        await answers(agent, 'aggregate', { collection: label, by: [text], share: { indexedAt: 'today' } })
        await answers(agent, 'describe', { collection: label, field: text })
      }
      if (collection.searchFields.length > 0) {
        const search = 'one two* OR "three four" -five'
        await answers(agent, 'search_records', { collection: label, search, limit: 50 })
        await answers(agent, 'aggregate', { collection: label, search, by: ['did'], unusual: {} })
      }
      const uri = `at://did:plc:abcdefghijklmnopqrstuvwx/${collection.nsid}/self`
      assert.match(await agent.refusal('get_record', { uri }), /is indexed/)
    }
    await answers(agent, 'describe', { name: 'Somebody Somewhere' })
  })
}

/** Within the tool's own tokens, and within few. */
async function answers(agent: Agent, name: keyof typeof budgets, given: Json): Promise<void> {
  for (const args of [given, { ...given, max_tokens: 200 + (seed % 100) }]) {
    const text = await agent.text(name, args).catch((error: unknown) => {
      throw new Error(`${name} ${JSON.stringify(args)}: ${(error as Error).message}`, { cause: error })
    })
    const [tokens, most] = [countTokens(text), args['max_tokens'] ?? budgets[name]]
    assert.ok(tokens <= most, `${name} ${JSON.stringify(args)}: ${tokens} ${text}`)
  }
}

/** The collections, page by page, name the records that refer to each, or count those that have no room. */
async function countsReferring(agent: Agent, context: FilterContext): Promise<void> {
  for (const max_tokens of [200, 600, 1_400, 10_000]) {
    const pages = await readPages(agent.call, 'describe', { max_tokens })
    const all: readonly Json[] = pages.flatMap(({ collections }) => collections)
    assert.equal(all.length, context.catalogue.subjects.length)
    for (const { collection, referredToBy: shown = [] } of all) {
      const names = [...reverseNames(context.catalogue.named(collection).collection, context).values()]
      const more = Number(/^… (\d+) more$/.exec(shown.at(-1) ?? '')?.[1] ?? 0)
      const listed = more === 0 ? shown : shown.slice(0, -1)
      assert.deepEqual(listed, names.slice(0, names.length - more), `${max_tokens} ${collection}`)
    }
    for (const page of pages) assert.ok(countTokens(JSON.stringify(page)) <= max_tokens, JSON.stringify(page))
  }
}

function refusalOf(make: () => unknown): string {
  try {
    make()
  } catch (error) {
    if (error instanceof AskError) return error.message
    throw error
  }
  return ''
}

/** Of thousands of refusals nobody reads the stack, which takes longer than all else. */
function orRefused<Result>(make: () => Result): Result | null {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return make()
  } catch (error) {
    if (error instanceof AskError) return null
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
  // A fault is thrown with its stack.
  return make()
}

/** Paths of at most so many steps, by the names that the tools tell. */
function pathsOf(collection: Collection, context: FilterContext, steps: number): string[] {
  const own = collection.type.fields.flatMap((field) =>
    fieldPaths(field, collection, [field.property], context, steps),
  )
  const back = Array.from(reverseNames(collection, context), ([reference, name]) => {
    const holder = holderOf(reference, context.catalogue.model)
    return [name, ...(steps > 0 ? pathsOf(holder, context, steps - 1).map((text) => `${name}.${text}`) : [])]
  })
  return [...own, ...back.flat(), ...systemFields.filter((name) => !own.includes(name))]
}

function fieldPaths(
  field: Field,
  collection: Collection,
  place: readonly string[],
  context: FilterContext,
  steps: number,
): string[] {
  const { name } = field
  const type = field.type.kind === 'array' ? field.type.of : field.type
  if (steps === 0) return [name]
  if (type.kind === 'object')
    return [
      name,
      ...type.type.fields
        .flatMap((inner) => fieldPaths(inner, collection, [...place, inner.property], context, steps - 1))
        .map((text) => `${name}.${text}`),
    ]
  if (type.kind !== 'strongRef' && type.kind !== 'atUri') return [name]
  const reference = collection.references.find(({ path }) => path.join('.') === place.join('.')) ?? null
  const target = targetOf(reference, context.catalogue.model)
  const aspects = field.type.kind === 'array' && type.kind === 'atUri' ? [] : ['uri', 'isIndexed']
  const beyond = target === null ? [] : pathsOf(target, context, steps - 1)
  return [name, ...[...aspects, ...beyond].map((text) => `${name}.${text}`)]
}

const scalars = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 10 }),
  fc.constantFrom(
    'today',
    'last month',
    '2026-11-16',
    'at://did:plc:abc/a.b.c/d',
    'some',
    'none',
    'Somebody',
  ),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
)
/** Those of the product's own table, with other words for them. */
const operatorNames = fc.constantFrom(
  ...Object.entries(whereOperators).flatMap(([name, { synonyms }]) => [name, ...synonyms]),
)
const anyFilter = fc.oneof(
  scalars,
  fc.array(scalars, { maxLength: 3 }),
  fc.dictionary(operatorNames, fc.oneof(scalars, fc.array(scalars, { maxLength: 3 })), { maxKeys: 3 }),
)

function valuesFor({ type }: Field): unknown[] {
  if (type.kind === 'object' || (type.kind === 'array' && type.of.kind === 'object'))
    return [null, { isNull: true }]
  const one = valueFor(type.kind === 'array' ? type.of : type)
  if (type.kind === 'array') return [null, one, [one], { isNull: false }]
  const more: unknown[] = type.kind === 'boolean' ? [] : [[one], { in: [one], ne: one }]
  if (type.kind === 'datetime') more.push('yesterday', ['last month', '2026-11'], { gt: 'today' })
  return [null, one, { isNull: true }, ...more]
}

function valueFor({ kind }: FieldType): unknown {
  if (kind === 'integer') return 7
  if (kind === 'boolean') return true
  if (kind === 'datetime') return '2026-11-16T09:30:00Z'
  return kind === 'string' ? 'a "quoted" \\ text' : 'at://did:plc:abc/a.b.c/d'
}
