/** Translates failures of PostgreSQL and the network for operators, and tells temporary from permanent ones. */

/** A server that cannot be used at the moment, but may become usable without intervention. */
export class DatabaseUnreachableError extends Error {
  override name = 'DatabaseUnreachableError'
}

/** Server and role of an attempt to connect. */
export interface Attempt {
  /** Host and port, or the folder of a socket. */
  readonly server: string
  readonly user: string
  readonly database: string
}

/** Milliseconds for reaching a host, and again for setting the connection up. */
export const connectTimeout = 5000

/** SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html) of temporary failures. */
const passing = new Set([
  '57P01', // shut down by an administrator
  '57P02', // crashed
  '57P03', // starting up
  '57P05', // idle for too long
  '25P03', // idle in a transaction for too long
  '53300', // too many connections
  '40P01', // deadlock
  '40001', // serialization; also a standby whose replay conflicted with a query
  '25006', // a standby takes no writes, until it is promoted
  '55P03', // lock timeout
])

/** Error codes of Node's sockets. A socket file (ENOENT) or a name (ENOTFOUND) can be missing while a server starts. */
const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
])

/** Messages of the driver, which sets no code on these errors. */
const lost =
  /^(Connection terminated|timeout expired|Query read timeout|Client was closed|Client has encountered a connection error)/

/**
 * Whether a repetition may succeed. A statement that the server ended for taking too long does not count as temporary;
 * an answer that never came does, because its cause is unknown.
 */
export function isPassing(error: unknown): boolean {
  if (error instanceof DatabaseUnreachableError) return true
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  return code === undefined
    ? lost.test(error.message)
    : passing.has(code) || unreachable.has(code) || /^08...$/.test(code)
}

/** Whether the driver's timeout for an answer has passed. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/** SQLSTATE or errno. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}

/** Explains why a connection failed; the error of the server or the system becomes the cause. */
export function connectionFailure(cause: unknown, attempt: Attempt): Error {
  const message = sentence(cause as Error, attempt)
  return isPassing(cause) ? new DatabaseUnreachableError(message, { cause }) : new Error(message, { cause })
}

/** Explains what a server refused or broke off; returns any other error unchanged. */
export function refusal(cause: unknown, attempt: Attempt): unknown {
  const { user, database, server } = attempt
  switch (codeOf(cause)) {
    case '42501':
      return new Error(
        `The user "${user}" lacks a right in the database "${database}" (${(cause as Error).message}): connect as the role that owns it, or have an administrator grant the right.`,
        { cause },
      )
    case '53200':
      return new Error(
        `The server at ${server} has no room for the locks of so many tables (${(cause as Error).message}): raise its max_locks_per_transaction and restart it.`,
        { cause },
      )
    default:
      return isPassing(cause) ? connectionFailure(cause, attempt) : cause
  }
}

function sentence(error: Error, { server, user, database }: Attempt): string {
  const code = codeOf(error)
  const words = error.message
  switch (code) {
    case '28P01':
      return `The server at ${server} refuses the password of the user "${user}": write the right one in the URL, postgres://USER:PASSWORD@HOST/DATABASE, with @ : / ? # % as %40 %3A %2F %3F %23 %25.`
    case '28000':
      return (error as { routine?: string }).routine === 'ClientAuthentication'
        ? `The server at ${server} does not let the user "${user}" into the database "${database}" from here (${words}): add a line to its pg_hba.conf, or correct the URL.`
        : `The server at ${server} refuses the user "${user}" (${words}): create it with \`create role "${user}" login\`, or name another in the URL.`
    case '3D000':
      return `The server at ${server} has no database "${database}": create it with \`create database "${database}" encoding 'UTF8' template template0\`, or name another in the URL.`
    case '42501':
      return `The user "${user}" may not connect to the database "${database}": have an administrator run \`grant connect on database "${database}" to "${user}"\`.`
    case '53300':
      return `The server at ${server} has no connection left (${words}): close some, or raise its max_connections.`
    case '57P03':
      return `The server at ${server} takes no connections yet (${words}): try again in a moment.`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host of ${server} is not known (${code}): correct the host in the URL.`
    case 'ENOENT':
      return `There is no PostgreSQL socket in ${server}: start the server, or correct the host in the URL.`
    default:
  }
  if (code !== undefined && unreachable.has(code))
    return `The server at ${server} cannot be reached (${code}): start it, or correct host and port in the URL.`
  if (/^timeout expired|^Query read timeout/.test(words))
    return `The server at ${server} did not answer within ${connectTimeout / 1000} seconds: correct host and port in the URL, or find out what holds it up.`
  if (words.startsWith('Connection terminated'))
    return `The server at ${server} closed the connection: see its log, and whether host and port in the URL are PostgreSQL's.`
  if (/^SASL: .*password must be/.test(words))
    return `The server at ${server} wants a password of the user "${user}": write it in the URL, postgres://USER:PASSWORD@HOST/DATABASE.`
  if (/does not support SSL/.test(words))
    return `The server at ${server} does not speak TLS: write sslmode=disable in the URL, or set up TLS on the server.`
  if (/CERT|SIGNATURE/.test(code ?? ''))
    return `The certificate of the server at ${server} is not trusted (${words.split(';')[0]}): name the file of its authority with sslrootcert=FILE in the URL, or do without with sslmode=no-verify.`
  return `The server at ${server} refuses the connection: ${words}.`
}
