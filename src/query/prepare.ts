/** Text to a validated document: everything about an operation that does not depend on its variables. */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  Source,
  TokenKind,
  validate,
} from 'graphql'
import { ServiceError } from '../errors.ts'
import { withHint } from './hints.ts'
import { assertWithin } from './limits.ts'
import { RequestErrors } from './request-errors.ts'

export interface Prepared {
  readonly document: DocumentNode
  readonly operations: readonly OperationDefinitionNode[]
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

/** Throws RequestErrors or ServiceError; the same text always gives the same result. */
export function prepare(schema: GraphQLSchema, text: string): Prepared {
  const document = parseWithin(text)
  const fragments = new Map<string, FragmentDefinitionNode>()
  const operations: OperationDefinitionNode[] = []
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition)
  }
  const other = operations.find(({ operation }) => operation !== OperationTypeNode.QUERY)
  if (other !== undefined)
    throw new RequestErrors('GRAPHQL_VALIDATION_FAILED', [
      new GraphQLError(`This service is read-only: write a query instead of a ${other.operation}.`, {
        nodes: other,
      }),
    ])
  const sizes = createSizes(fragments)
  for (const { selectionSet } of operations) {
    const { depth, fields } = sizes(selectionSet)
    assertWithin('depth', depth, 'Selections are nested too deep')
    assertWithin('fields', fields, 'Too many fields are selected, fragments spread')
  }
  const errors = validate(schema, document)
  if (errors.length > 0) throw new RequestErrors('GRAPHQL_VALIDATION_FAILED', errors.map(withHint))
  return { document, operations, fragments }
}

/** The operation of that name, or the only one. */
export function findOperation(prepared: Prepared, name: string | null): OperationDefinitionNode {
  const { operations } = prepared
  const named = operations.map((operation) => operation.name?.value ?? '(unnamed)').join(', ')
  if (name === null) {
    const [only, ...others] = operations
    if (only === undefined)
      throw new ServiceError('BAD_USER_INPUT', 'The document has no operation. Add a query.')
    if (others.length === 0) return only
    throw new ServiceError(
      'BAD_USER_INPUT',
      `The document has several operations: set operationName to one of ${named}.`,
    )
  }
  const found = operations.find((operation) => operation.name?.value === name)
  if (found !== undefined) return found
  throw new ServiceError('BAD_USER_INPUT', `The document has no operation named "${name}"; it has ${named}.`)
}

function parseWithin(text: string): DocumentNode {
  try {
    assertShallow(text)
    // The specification wants a selection in every pair of braces; the library would do without.
    return parse(text, { allowEmptySelectionSets: false })
  } catch (error) {
    if (error instanceof GraphQLError) throw new RequestErrors('GRAPHQL_PARSE_FAILED', [error])
    throw error
  }
}

/** Counts tokens and brackets without recursion, because the parser's own would overflow. */
function assertShallow(text: string): void {
  const lexer = new Lexer(new Source(text))
  let tokens = 0
  let depth = 0
  let deepest = 0
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    tokens += 1
    if (opening.has(token.kind)) depth += 1
    if (closing.has(token.kind)) depth -= 1
    if (depth > deepest) deepest = depth
  }
  assertWithin('tokens', tokens, 'The document has too many tokens')
  assertWithin('nesting', deepest, 'Brackets in the document are nested too deep')
}

const opening: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L])
const closing: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R])

interface Size {
  readonly depth: number
  readonly fields: number
}

/** Size of a selection with its fragments spread, each fragment measured once: spreading could take forever. */
function createSizes(
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): (selections: SelectionSetNode) => Size {
  const known = new Map<string, Size>()
  const measureFragment = (name: string): Size => {
    const done = known.get(name)
    if (done !== undefined) return done
    // While it is being measured it counts as nothing; validation refuses fragments that contain themselves.
    known.set(name, { depth: 0, fields: 0 })
    const fragment = fragments.get(name)
    const size = fragment === undefined ? { depth: 0, fields: 0 } : measure(fragment.selectionSet)
    known.set(name, size)
    return size
  }
  const measure = (selections: SelectionSetNode): Size => {
    let depth = 0
    let fields = 0
    for (const selection of selections.selections) {
      if (selection.kind === Kind.FIELD) {
        const inner =
          selection.selectionSet === undefined ? { depth: 0, fields: 0 } : measure(selection.selectionSet)
        depth = Math.max(depth, inner.depth + 1)
        fields += inner.fields + 1
      } else {
        const inner =
          selection.kind === Kind.INLINE_FRAGMENT
            ? measure(selection.selectionSet)
            : measureFragment(selection.name.value)
        depth = Math.max(depth, inner.depth)
        fields += inner.fields
      }
    }
    return { depth, fields }
  }
  return measure
}
