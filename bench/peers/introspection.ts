/** The document with which every system is asked for its schema (Q13): the one that most clients send. */
import { getIntrospectionQuery } from 'graphql'

export const introspection = getIntrospectionQuery()
