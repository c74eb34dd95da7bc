/** Session settings for each use of a connection. */

/** `lead`: for writing, by the one process that holds the leader lock (`leader-lock.ts`). */
export type Use = 'read' | 'write' | 'lead'

/** The last three let the server notice within a minute that a machine is gone, and release its locks. */
const common = {
  client_encoding: 'UTF8',
  timezone: 'UTC',
  // Overrides settings of roles and databases: backslashes in literals are plain characters, floats are exact.
  standard_conforming_strings: 'on',
  extra_float_digits: '1',
  default_transaction_isolation: 'read committed',
  gin_fuzzy_search_limit: '0',
  jit: 'off',
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
}

export const settings: Readonly<Record<Use, Readonly<Record<string, string>>>> = {
  /** The physical plan already contains the access paths; the server's planner must not choose others. */
  read: {
    ...common,
    default_transaction_read_only: 'on',
    enable_seqscan: 'off',
    join_collapse_limit: '1',
    // 64 MB with the default `work_mem`; a larger list in a condition would be scanned for each row.
    hash_mem_multiplier: '16',
    // One statement uses one core; query-pool.ts decides how many run at once. Two parallel workers took up to twice as
    // much processor time for a group, and other statements had to wait for all of them.
    max_parallel_workers_per_gather: '0',
  },
  /** A load or a rebuild has no time limit, even if the defaults of the role set one. */
  write: { ...common, statement_timeout: '0', idle_in_transaction_session_timeout: '0' },
  /** The server ends the connection when this process is silent, because it hangs or its machine is gone. */
  lead: {
    ...common,
    statement_timeout: '0',
    idle_session_timeout: '6s',
    idle_in_transaction_session_timeout: '6s',
    tcp_keepalives_idle: '2',
    tcp_keepalives_interval: '2',
    tcp_keepalives_count: '2',
    tcp_user_timeout: '6s',
  },
}
