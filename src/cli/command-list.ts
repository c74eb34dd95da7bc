/** Every command of the program: its operands, and its line of help. */
export const commands = {
  serve: ['', 'Serve the database over HTTP.'],
  import: ['FILE…', 'Import records from JSON Lines, plain or gzipped; - is standard input.'],
  ingest: ['', 'Follow sources of records on the AT Protocol network into the database.'],
  backfill: ['TARGET…', 'Fetch whole repositories: DIDs, handles, URLs of hosts or relays, CAR files.'],
  reconcile: [
    '[TARGET…]',
    'Compare the database with the repositories, repair it, and report what differed.',
  ],
  status: ['', 'Show how far the index has come: collections, sources, refusals.'],
  rejections: [
    '[retry]',
    'List the records that were refused; retry judges them again by the lexicons as they are now.',
  ],
  keys: [
    'create|list|usage [ID]|rotate ID|revoke ID',
    'Give callers keys with higher limits, list them, show what they are used for, replace them, end them.',
  ],
  hide: [
    '[URI|DID]',
    'Take a record or an account out of every answer, even if the network sends it again. Show it again, or list what was hidden.',
  ],
  purge: [
    '[URI|DID…]',
    'Remove records or accounts for good and keep them from returning, or what --retain says is too old.',
  ],
  export: ['', 'Print all records as JSON Lines that `import` reads.'],
  copy: ['', 'Move everything from one database to another, such as from SQLite to PostgreSQL.'],
  backup: ['FILE', 'Write a backup of the database as it is at one moment, while the service goes on.'],
  restore: ['FILE', 'Fill an empty database from a backup, and verify that it holds the same.'],
  schema: ['', 'Print the GraphQL schema (SDL) that the lexicons give.'],
  query: [
    'GRAPHQL',
    'Answer one operation without a server: text, @FILE, or - for standard input; with --format, as a file for other programs.',
  ],
  explain: ['GRAPHQL', 'Show the plan, the cost, the SQL and the indexes of an operation.'],
  check: [
    '[FILE…]',
    'Report every problem of the lexicons, and of records in files and in the database that --database or LEXIGRAPH_DATABASE names; writes nothing.',
  ],
  demo: ['', 'Serve a small fictional corpus from memory and try it.'],
  mcp: ['', 'Serve agents (Model Context Protocol) over a GraphQL service, on standard input and output.'],
} as const satisfies Record<string, readonly [operands: string, summary: string]>

export type CommandName = keyof typeof commands
