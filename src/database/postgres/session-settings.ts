/** Settings of a session, by what its connection is for. */

/** `lead`: for writing, by the one process that follows sources; `leader-lock.ts` says what that takes. */
export type Use = 'read' | 'write' | 'lead'

/** The last three let the server notice within a minute that a machine is gone, and let go of its locks. */
const common = {
  client_encoding: 'UTF8',
  timezone: 'UTC',
  // Roles and databases may have settings of their own: literals mean what they say, and floats are exact.
  standard_conforming_strings: 'on',
  extra_float_digits: '1',
  default_transaction_isolation: 'read committed',
  gin_fuzzy_search_limit: '0',
  jit: 'off',
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
}
/** The roads are chosen before; the server must not choose again. */
const reading = {
  default_transaction_read_only: 'on',
  enable_seqscan: 'off',
  join_collapse_limit: '1',
  // 64 MB by default: a list in a condition that is larger would be looked through for each row.
  hash_mem_multiplier: '16',
  plan_cache_mode: 'force_generic_plan',
  // One statement works on one core: how many run at once is decided before (query-pool.ts). Two processes more took
  // up to twice as much of the processor for a group, and others had to wait for all of them.
  max_parallel_workers_per_gather: '0',
}
/** A load or a rebuild takes as long as it takes, whatever the role is given by default. */
const writing = { statement_timeout: '0', idle_in_transaction_session_timeout: '0' }
/** The server ends it when nothing is heard of this process, whether it hangs or its machine is gone. */
const leading = {
  statement_timeout: '0',
  idle_session_timeout: '6s',
  idle_in_transaction_session_timeout: '6s',
  tcp_keepalives_idle: '2',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '2',
  tcp_user_timeout: '6s',
}

export const settings: Readonly<Record<Use, Readonly<Record<string, string>>>> = {
  read: { ...common, ...reading },
  write: { ...common, ...writing },
  lead: { ...common, ...leading },
}
