/** How a request wants its answer to be written: as GraphQL says, or as a file. */
import type { IncomingHttpHeaders } from 'node:http'
import { ServiceError } from '../../errors.ts'
import { type FileFormat, fileFormats, type FileForm, mediaTypes } from '../../files/file-spec.ts'
import { parseQualities } from '../../util/text/qualities.ts'
import { acceptsGzip } from '../http/requests.ts'

/** `given`: members of a body, or parameters of a URL. Null for an answer in JSON. */
export function formOf(
  { format: wanted, bom, name }: Readonly<Record<string, unknown>>,
  headers: IncomingHttpHeaders,
): FileForm | null {
  const isNamed = wanted !== undefined && wanted !== null
  const format = isNamed ? fileFormats.find((each) => each === wanted) : acceptedFormat(headers.accept)
  if (format === null) return null
  if (format === undefined)
    throw new ServiceError(
      'BAD_USER_INPUT',
      `\`format\` is ${fileFormats.join(', ')}. Leave it out for an answer in JSON.`,
    )
  const hasMark = isTrue(bom)
  if (hasMark && format !== 'csv')
    throw new ServiceError(
      'BAD_USER_INPUT',
      `Only CSV has a byte order mark. Leave out \`bom\` for ${format}.`,
    )
  if (name !== undefined && name !== null && !(typeof name === 'string' && fileName.test(name)))
    throw new ServiceError(
      'BAD_USER_INPUT',
      '`name` is 1 to 120 letters and digits of any script, `-`, `_` and `.`, and begins with neither of these.',
    )
  return {
    format,
    ...(typeof name === 'string' && { name }),
    bom: hasMark,
    gzip: format !== 'parquet' && acceptsGzip(headers['accept-encoding']),
  }
}

const fileName = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,119}$/u

/** The format that is accepted by name and preferred to JSON. */
function acceptedFormat(accept: string | undefined): FileFormat | null {
  // Nearly all callers accept JSON or anything.
  if (accept === undefined || !/csv|ndjson|parquet/i.test(accept)) return null
  const wanted = parseQualities(accept)
  const qualityOf = (format: FileFormat): number => wanted.get(mediaTypes[format].split(';', 1)[0] ?? '') ?? 0
  const json = ['application/json', 'application/graphql-response+json'].map((type) => wanted.get(type) ?? 0)
  const [best = 'csv'] = fileFormats.toSorted((one, other) => qualityOf(other) - qualityOf(one))
  return qualityOf(best) > Math.max(...json) ? best : null
}

function isTrue(bom: unknown): boolean {
  if (bom === undefined || bom === null || bom === 'false' || bom === false) return false
  if (bom === 'true' || bom === true) return true
  throw new ServiceError('BAD_USER_INPUT', '`bom` is `true` or `false`.')
}
