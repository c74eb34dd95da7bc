/** The executor of introspection: a fifth of graphql-js, in a separate module so that it is loaded on first use. */
export { executeSync } from 'graphql/execution'
