/**
 * Maximums of an operation. Beyond a limit: QUERY_TOO_COMPLEX, with the limit and the actual value. A document is checked
 * before it is validated: some rules of the validator take quadratic time, and fragments can expand a short document to
 * millions of fields. The cost of each check is bounded by the checks before it.
 */
import type {
  DirectiveNode,
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  SelectionSetNode,
} from 'graphql'
import { Kind, Lexer, Source, TokenKind, visit } from 'graphql/language'
import { ServiceError } from '../../errors.ts'

export const limits = {
  /** Characters of a document. */
  document: 100_000,
  tokens: 10_000,
  /** Nested brackets in a document or in variables. */
  nesting: 256,
  /** Operations in a document, of which one is executed. */
  operations: 20,
  fragments: 50,
  /** Fragment spreads in a document. */
  spreads: 500,
  /** Variable definitions in a document. */
  variables: 100,
  /** Directives in a document. */
  directives: 500,
  directivesInOnePlace: 5,
  /** Nested selections; introspection needs 14. */
  depth: 32,
  /** Selected references to records within each other; the parser of SQLite has no room for more than 23. */
  references: 20,
  /** Fields with fragments expanded. */
  fields: 5_000,
  /** Fields with an alias, with fragments expanded. */
  aliases: 1_000,
  /** Fields of the query type, with fragments expanded. */
  rootFields: 100,
  /** Selections that merge into one response key in one place. */
  repeats: 50,
  /** `__schema` and `__type` in one operation. */
  introspections: 4,
  /** Values in the answer of one introspection; 1.5 times the whole schema is always allowed. */
  introspectionFields: 20_000,
  whereLevels: 64,
  joins: 32,
  /** Operators in one `where`. */
  conditions: 400,
  /** Operators and objects in all `where` of an operation, each counted as often as it is used. */
  allConditions: 2_000,
  /** Values in one list. */
  listValues: 1_000,
  sortFields: 5,
  distinctFields: 3,
  groupFields: 5,
  groups: 1_000,
  /** Time buckets between the bounds of `fill`. */
  filledGroups: 1_000,
  /** Fields in `facets`, and values of each. */
  facetFields: 10,
  facetValues: 100,
  /** Values of `p` in one `percentile`. */
  percentiles: 10,
  /** Conditions in one `having`. */
  groupConditions: 10,
  /** Words in `unusualWords`. */
  unusualWords: 100,
  pairs: 1_000,
  /** Groups in each `top`, and in all groups together: the product of both limits. */
  topGroups: 20,
  allTopGroups: 10_000,
  /** Sample records of each group. */
  groupNodes: 5,
  /** Values that a statement compares with; a list that is used twice counts twice. */
  parameters: 30_000,
  /** Input objects in a document, and in variables. */
  inputObjects: 2_000,
  /** Names in variables, at any level; at most 2,000 objects and conditions have a use for them. */
  inputNames: 5_000,
  /** Names and values in variables, at any level. */
  inputValues: 60_000,
  /** Characters of one string argument. */
  characters: 20_000,
  /** Characters of the needle of `contains` and `startsWith`. */
  needle: 1_000,
  /** Maximum cost of one operation (cost.ts) for any caller. */
  points: 1_000,
} as const

type Limit = keyof typeof limits

/** Throws if `actual` exceeds the limit; `what` begins the message, such as `The selection is nested`. */
export function assertWithin(limit: Limit, actual: number, what: string, most: number = limits[limit]): void {
  if (actual <= most) return
  throw new ServiceError('QUERY_TOO_COMPLEX', `${what}: ${actual}, and the limit is ${most}.`, {
    limit: most,
    actual,
  })
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/** Counts without recursion, because the parser's recursion would overflow, and stops at the first limit exceeded. */
export function assertTextWithin(text: string): void {
  assertWithin('document', text.length, 'The document has too many characters')
  const lexer = new Lexer(new Source(text))
  let tokens = 0
  let depth = 0
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    tokens += 1
    assertWithin('tokens', tokens, 'The document has too many tokens')
    if (opening.has(token.kind)) depth += 1
    if (closing.has(token.kind)) depth -= 1
    assertWithin('nesting', depth, 'Brackets in the document are nested too deep')
  }
}

const opening: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L])
const closing: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R])

/** False if a fragment contains itself; the validator must then report it, and nothing else may be done. */
export function assertDocumentWithin(document: DocumentNode, fragments: Fragments): boolean {
  assertDefinitionsWithin(document)
  const measure = createMeasure(fragments)
  let isFinite = true
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION)
      continue
    const { depth, fields, aliases, width, circular } = measure(definition.selectionSet)
    if (circular) isFinite = false
    assertWithin('depth', depth, 'Selections are nested too deep')
    assertWithin('fields', fields, 'Too many fields are selected, fragments spread')
    assertWithin('aliases', aliases, 'Too many fields have an alias, fragments spread')
    if (definition.kind === Kind.OPERATION_DEFINITION)
      assertWithin('rootFields', width, 'Too many fields are selected of the query itself')
  }
  if (!isFinite) return false
  for (const definition of document.definitions)
    if (definition.kind === Kind.OPERATION_DEFINITION) assertFewRepeats(fragments, [definition.selectionSet])
  return true
}

/** Counts fields with fragments expanded; the document must have passed the checks. */
export function countFields(selections: SelectionSetNode, fragments: Fragments): number {
  return createMeasure(fragments)(selections).fields
}

function assertDefinitionsWithin(document: DocumentNode): void {
  const counts = { directives: 0, spreads: 0, objects: 0 }
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION)
  const fragments = document.definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION)
  const variables = operations.flatMap(({ variableDefinitions }) => variableDefinitions ?? [])
  assertWithin('operations', operations.length, 'The document has too many operations')
  assertWithin('fragments', fragments.length, 'The document has too many fragments')
  assertWithin('variables', variables.length, 'The document defines too many variables')
  visit(document, {
    enter(node) {
      if (node.kind === Kind.STRING)
        assertWithin('characters', node.value.length, 'A string in the document is too long')
      if (node.kind === Kind.OBJECT) counts.objects += 1
      if (node.kind === Kind.FRAGMENT_SPREAD) counts.spreads += 1
      assertWithin('inputObjects', counts.objects, 'The document has too many input objects')
      assertWithin('spreads', counts.spreads, 'Fragments are spread in too many places')
      if (!('directives' in node) || node.directives === undefined) return
      const { length } = node.directives as readonly DirectiveNode[]
      counts.directives += length
      assertWithin('directivesInOnePlace', length, 'Too many directives are in one place')
      assertWithin('directives', counts.directives, 'The document has too many directives')
    },
  })
}

interface Measured {
  readonly depth: number
  readonly fields: number
  readonly aliases: number
  /** Fields at the top level, each occurrence counted. */
  readonly width: number
  readonly circular: boolean
}

const nothing: Measured = { depth: 0, fields: 0, aliases: 0, width: 0, circular: false }

/** Measures a selection with its fragments expanded, each fragment once: expanding could take exponential time. */
function createMeasure(fragments: Fragments): (selections: SelectionSetNode) => Measured {
  const known = new Map<string, Measured>()
  const measureFragment = (name: string): Measured => {
    const done = known.get(name)
    if (done !== undefined) return done
    // A lookup of the fragment before it is measured comes from inside the fragment.
    known.set(name, { ...nothing, circular: true })
    const fragment = fragments.get(name)
    const measured = fragment === undefined ? nothing : measure(fragment.selectionSet)
    known.set(name, measured)
    return measured
  }
  const measure = ({ selections }: SelectionSetNode): Measured => {
    let { depth, fields, aliases, width, circular } = nothing
    for (const selection of selections) {
      const isField = selection.kind === Kind.FIELD
      const inner =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? measureFragment(selection.name.value)
          : selection.selectionSet === undefined
            ? nothing
            : measure(selection.selectionSet)
      const own = isField ? 1 : 0
      depth = Math.max(depth, inner.depth + own)
      fields += inner.fields + own
      aliases += inner.aliases + (isField && selection.alias !== undefined ? 1 : 0)
      width += isField ? 1 : inner.width
      circular ||= inner.circular
    }
    return { depth, fields, aliases, width, circular }
  }
  return measure
}

/** The validator compares all fields of one response key in one place with each other, and everything below them. */
function assertFewRepeats(fragments: Fragments, sets: readonly SelectionSetNode[]): void {
  const spread = new Set<string>()
  const fieldsOf = ({ selections }: SelectionSetNode): readonly FieldNode[] =>
    selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection]
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet)
      const fragment = fragments.get(selection.name.value)
      if (fragment === undefined || spread.has(selection.name.value)) return []
      spread.add(selection.name.value)
      return fieldsOf(fragment.selectionSet)
    })
  const places = Map.groupBy(sets.flatMap(fieldsOf), ({ alias, name }) => (alias ?? name).value).values()
  for (const nodes of places) {
    const times = Math.min(nodes.length, limits.repeats + 1)
    assertWithin('repeats', times, 'One field is selected too often in one place')
    const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
    assertFewRepeats(fragments, below)
  }
}

/** Returns about how many characters a message about them may repeat. Level by level, because values nest to any depth. */
export function measureVariables(raw: Readonly<Record<string, unknown>>): number {
  let level: object[] = [raw]
  let [names, values, objects, size] = [0, 0, -1, 0]
  const countText = (text: string): void => {
    assertWithin('characters', text.length, 'A string in the variables is too long')
    size += text.length
  }
  for (let depth = 0; level.length > 0; depth += 1) {
    const below: object[] = []
    for (const value of level) {
      if (Array.isArray(value))
        assertWithin('listValues', value.length, 'A list in the variables has too many values')
      else objects += 1
      // Names count too, because the message about an unknown name repeats it.
      const own = Array.isArray(value) ? [] : Object.keys(value)
      const inside: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
      names += own.length
      values += own.length + inside.length
      assertWithin('inputNames', names, 'The variables have too many names')
      assertWithin('inputValues', values, 'The variables have too many names and values')
      assertWithin('inputObjects', objects, 'The variables have too many objects')
      for (const name of own) countText(name)
      for (const each of inside)
        if (typeof each === 'string') countText(each)
        else if (typeof each === 'object' && each !== null) below.push(each)
    }
    assertWithin('nesting', depth, 'Brackets in the variables are nested too deep')
    level = below
  }
  return size + values
}

/**
 * Counts what an operation has while it is built: references within each other, and conditions and values of all `where`,
 * because a hundred of them may use one variable.
 */
export class OperationCounts {
  conditions = 0
  #values = 0
  #references = 0

  /** Builds what is selected of a record that a reference leads to. */
  withinReference<Result>(build: () => Result): Result {
    this.#references += 1
    assertWithin('references', this.#references, 'Selections follow too many references within each other')
    const built = build()
    this.#references -= 1
    return built
  }

  /** Counts an operator, or an object of operators. */
  countCondition(): void {
    this.conditions += 1
    assertWithin('allConditions', this.conditions, 'All `where` of the operation have too many conditions')
  }

  countValues(number: number): void {
    this.#values += number
    assertWithin('parameters', this.#values, 'The operation compares with too many values')
  }
}
