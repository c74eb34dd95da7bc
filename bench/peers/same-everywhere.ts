/** The questions that every system is asked in the same words, whatever its schema. */
import { getIntrospectionQuery } from 'graphql'
import type { Name, Question } from './question.ts'

export const sameEverywhere = {
  /** The document that most clients send. */
  Q13: { query: getIntrospectionQuery(), read: (data) => data.__schema.queryType.name },
  Q14: { query: '{ __typename }', read: (data) => data.__typename },
} as const satisfies Partial<Record<Name, Question>>
