/** Parses the URL of a database into the path of its file, strictly, because a misspelt one would create a new file. */
import { withoutPassword } from '../postgres/url.ts'

const forms = 'Write sqlite:PATH, a path alone, or postgres://USER:PASSWORD@HOST:PORT/DATABASE.'

/** Accepts `sqlite:PATH`, `sqlite:///PATH` or a bare path; throws, with advice, on anything else. */
export function parseSqlitePath(url: string): string {
  // Environment files keep quotes that a shell would remove.
  if (/^["'].*["']$/s.test(url)) throw new Error(`The quotes are part of its name. Leave them out. ${forms}`)
  if (url !== url.trim() || [...url].some((character) => character < ' '))
    throw new Error(`Its name has white space at an end, or a control character. ${forms}`)
  if (/^(host|hostaddr|port|dbname|user|password|passfile|service|sslmode)\s*=/.test(url))
    throw new Error(`It is not a URL. ${forms}`)
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(url)?.[1]
  if (scheme === undefined) return namedFile(url)
  // The message omits the rest of the URL, which may contain a password.
  if (scheme !== 'sqlite') throw new Error(`"${scheme}:" is not a scheme of a database. ${forms}`)
  const path = url.slice('sqlite:'.length)
  if (/[?#]/.test(path))
    throw new Error(
      'The path after sqlite: has a "?" or "#", and options are not taken there. If they belong to the name of the file, write the path without sqlite:.',
    )
  if (!path.startsWith('//')) return namedFile(path)
  const absolute = /^\/\/+(\/.*)$/.exec(path)?.[1]
  if (absolute !== undefined) return namedFile(absolute)
  const name = withoutPassword(url).replace(/^sqlite:\/\//, '')
  throw new Error(
    `Two slashes are followed by the name of a host, which a file does not have. Write sqlite:${name} for a path from the present folder, or sqlite:///${name} for one from the root.`,
  )
}

function namedFile(path: string): string {
  if (path === ':memory:') return path
  if (path === '') throw new Error(`It names no file. ${forms}`)
  // SQLite interprets such names specially.
  if (path.startsWith(':')) throw new Error(`Did you mean sqlite::memory:? A file of that name is ./${path}.`)
  if (path.startsWith('file:')) throw new Error(`"file:" is not a scheme of a database. ${forms}`)
  return path
}
