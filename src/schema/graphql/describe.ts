/** Writes a field's description: the lexicon's description first, then its constraints, in short sentences. */
import type { Json } from '../../util/is-object.ts'

export function describe(property: Json, required: boolean): string {
  const parts = [String(property.description ?? '').trim()]
  const unit = property.type === 'array' ? ' elements' : ' bytes'
  if (required) parts.push('Required by the lexicon.')
  if (typeof property.format === 'string') parts.push(`Format: ${property.format}.`)
  parts.push(range('From', property.minimum, 'to', property.maximum, ''))
  parts.push(range('At least', property.minLength, 'and at most', property.maxLength, unit))
  parts.push(range('At least', property.minGraphemes, 'and at most', property.maxGraphemes, ' graphemes'))
  if (Array.isArray(property.enum)) parts.push(`One of: ${property.enum.join(', ')}.`)
  if (Array.isArray(property.knownValues)) parts.push(`Known values: ${property.knownValues.join(', ')}.`)
  if (property.const !== undefined) parts.push(`Always ${JSON.stringify(property.const)}.`)
  if (property.default !== undefined) parts.push(`Default: ${JSON.stringify(property.default)}.`)
  if (Array.isArray(property.accept)) parts.push(`Media types: ${property.accept.join(', ')}.`)
  if (typeof property.maxSize === 'number') parts.push(`At most ${property.maxSize} bytes.`)
  return parts.filter((part) => part !== '').join(' ')
}

function range(from: string, low: unknown, to: string, high: unknown, unit: string): string {
  if (typeof low === 'number' && typeof high === 'number')
    return low === high ? `Exactly ${low}${unit}.` : `${from} ${low} ${to} ${high}${unit}.`
  if (typeof low === 'number') return `At least ${low}${unit}.`
  if (typeof high === 'number') return `At most ${high}${unit}.`
  return ''
}
