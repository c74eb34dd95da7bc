/** Validates as the library does, but in steps: in one piece, a document within the limits takes ten milliseconds. */
import type { ASTNode, DocumentNode, GraphQLSchema, ValidationRule } from 'graphql'
import { GraphQLError } from 'graphql/error'
import { type ASTVisitor, getEnterLeaveForKind, visitInParallel } from 'graphql/language'
import { QueryDocumentKeys } from 'graphql/language/ast'
import { TypeInfo, visitWithTypeInfo } from 'graphql/utilities/TypeInfo'
import { ValidationContext } from 'graphql/validation/ValidationContext'

/** Milliseconds after which a step ends. Some rules read all that is below one node, which takes up to four. */
const stepTime = 1

/** One error beyond `maxErrors` says that there are more. */
export function* validateInSteps(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[],
  maxErrors: number,
): Generator<void, readonly GraphQLError[]> {
  const errors: GraphQLError[] = []
  const types = new TypeInfo(schema)
  const context = new ValidationContext(schema, document, types, (error) => {
    errors.push(error)
    if (errors.length > maxErrors) throw error
  })
  const visitor = visitWithTypeInfo(types, visitInParallel(rules.map((rule) => rule(context))))
  try {
    yield* visitInSteps(document, visitor)
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    if (!errors.includes(error)) errors.push(error)
  }
  return errors
}

interface NodeVisit {
  readonly node: ASTNode
  readonly isLeave: boolean
  /** The node or list that has the node. */
  readonly parent: ASTNode | readonly ASTNode[] | undefined
  /** All that have the parent, from the document downwards. */
  readonly ancestors: readonly (ASTNode | readonly ASTNode[])[]
}

function* visitInSteps(root: ASTNode, visitor: ASTVisitor): Generator<void> {
  const next: NodeVisit[] = [{ node: root, isLeave: false, parent: undefined, ancestors: [] }]
  let began = performance.now()
  for (let visit = next.pop(); visit !== undefined; visit = next.pop()) {
    if (performance.now() - began > stepTime) {
      yield
      began = performance.now()
    }
    const { node, isLeave, parent, ancestors } = visit
    const { enter, leave } = getEnterLeaveForKind(visitor, node.kind)
    if (isLeave) leave?.(node, undefined, parent, noPath, ancestors)
    else if (enter?.(node, undefined, parent, noPath, ancestors) !== false) {
      next.push({ ...visit, isLeave: true })
      const above = parent === undefined ? ancestors : [...ancestors, parent]
      for (const field of fieldsOf[node.kind] ?? []) {
        const child = (node as unknown as Readonly<Record<string, ASTNode | readonly ASTNode[] | undefined>>)[
          field
        ]
        if (child === undefined) continue
        if ('kind' in child) next.push({ node: child, isLeave: false, parent: node, ancestors: above })
        else {
          const inner = [...above, node]
          for (const each of child.toReversed())
            next.push({ node: each, isLeave: false, parent: child, ancestors: inner })
        }
      }
    }
  }
}

const noPath: readonly [] = []

/** The fields to visit of a node of each kind, the last first. No rule visits names, which are half of the nodes. */
const fieldsOf = Object.fromEntries(
  Object.entries(QueryDocumentKeys).map(([kind, keys]) => [
    kind,
    keys.filter((key) => key !== 'name' && key !== 'alias' && key !== 'description').toReversed(),
  ]),
)
