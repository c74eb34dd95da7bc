/** Every command of the program: its operands, and its line of help. */
export const commands = {
  serve: { operands: '', summary: 'Serve the database over HTTP.' },
  import: {
    operands: 'FILE…',
    summary: 'Import records from JSON Lines, plain or gzipped; - is standard input.',
  },
  ingest: {
    operands: '',
    summary: 'Follow sources of records on the AT Protocol network into the database.',
  },
  backfill: {
    operands: 'TARGET…',
    summary: 'Fetch whole repositories: DIDs, handles, URLs of hosts or relays, CAR files.',
  },
  reconcile: {
    operands: '[TARGET…]',
    summary: 'Compare the database with the repositories, repair it, and report what differed.',
  },
  status: { operands: '', summary: 'Show how far the index has come: collections, sources, refusals.' },
  rejections: {
    operands: '[retry]',
    summary: 'List the records that were refused; retry judges them again by the lexicons as they are now.',
  },
  keys: {
    operands: 'create|list|usage [ID]|rotate ID|revoke ID',
    summary:
      'Give callers keys with higher limits, list them, show what they are used for, replace them, end them.',
  },
  hide: {
    operands: '[URI|DID]',
    summary:
      'Take a record or an account out of every answer, even if the network sends it again. Show it again, or list what was hidden.',
  },
  purge: {
    operands: '[URI|DID…]',
    summary:
      'Remove records or accounts for good and keep them from returning, or what --retain says is too old.',
  },
  export: {
    operands: '',
    summary: 'Print all records as JSON Lines that `import` reads.',
  },
  copy: {
    operands: '',
    summary: 'Move everything from one database to another, such as from SQLite to PostgreSQL.',
  },
  backup: {
    operands: 'FILE',
    summary: 'Write a backup of the database as it is at one moment, while the service goes on.',
  },
  restore: {
    operands: 'FILE',
    summary: 'Fill an empty database from a backup, and verify that it holds the same.',
  },
  schema: { operands: '', summary: 'Print the GraphQL schema (SDL) that the lexicons give.' },
  query: {
    operands: 'GRAPHQL',
    summary:
      'Answer one operation without a server: text, @FILE, or - for standard input; with --format, as a file for other programs.',
  },
  explain: {
    operands: 'GRAPHQL',
    summary: 'Show the plan, the cost, the SQL and the indexes of an operation.',
  },
  check: {
    operands: '[FILE…]',
    summary:
      'Report every problem of the lexicons, and of records in files and in the database that --database or LEXIGRAPH_DATABASE names; writes nothing.',
  },
  demo: { operands: '', summary: 'Serve a small fictional corpus from memory and try it.' },
  mcp: {
    operands: '',
    summary: 'Serve agents (Model Context Protocol) over a GraphQL service, on standard input and output.',
  },
} as const satisfies Record<string, { operands: string; summary: string }>

export type CommandName = keyof typeof commands
