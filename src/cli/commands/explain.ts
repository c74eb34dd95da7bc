/** `explain 'GRAPHQL'`: how an operation would be answered. */
export {}
