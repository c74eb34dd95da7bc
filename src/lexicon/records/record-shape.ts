/** Checks what the official validator does not: a `datetime` must be a real instant, and an array is not an object. */
import { isInstantForm, parseRecordInstant } from '../../util/instant.ts'
import { type DocumentSet, findDef, type FoundDef, type LexType, resolveRef } from '../document.ts'

interface ShapeFault {
  readonly reason: 'bad-datetime' | 'invalid-record'
  readonly message: string
  /** A datetime of valid form with numbers out of range. */
  readonly impossible?: boolean
}

/** Finds the first fault of a value that the official validator accepts. */
export function createShapeCheck(lexicons: DocumentSet, nsid: string): (value: unknown) => ShapeFault | null {
  const main = findDef(lexicons, nsid)
  return (value) => checkDef(main, value, 'Record')

  function checkDef(found: FoundDef | null, value: unknown, path: string): ShapeFault | null {
    if (found === null) return null
    const { document, def } = found
    return checkType(document.id, def.type === 'record' ? def.record : def, value, path)
  }

  /** `id`: the document that has the type. */
  function checkType(id: string, type: LexType, value: unknown, path: string): ShapeFault | null {
    switch (type.type) {
      case 'string':
        return type.format === 'datetime' && typeof value === 'string' && parseRecordInstant(value) === null
          ? noInstant(value, path)
          : null
      case 'array':
        if (!Array.isArray(value)) return null
        for (let at = 0; at < value.length; at++) {
          const fault = checkType(id, type.items, value[at], `${path}/${at}`)
          if (fault !== null) return fault
        }
        return null
      case 'object':
        if (typeof value !== 'object' || value === null) return null
        if (Array.isArray(value))
          return { reason: 'invalid-record', message: `${path} must be an object, not an array.` }
        for (const [name, property] of Object.entries(type.properties)) {
          const member = (value as Record<string, unknown>)[name]
          const fault = member === undefined ? null : checkType(id, property, member, `${path}/${name}`)
          if (fault !== null) return fault
        }
        return null
      case 'ref':
        return checkDef(resolveRef(lexicons, id, type.ref), value, path)
      case 'union': {
        const name = typeof value === 'object' && value !== null && '$type' in value ? value.$type : null
        if (typeof name !== 'string') return null
        const origin = originOf(name)
        const isMember = type.refs.some((ref) => originOf(ref.startsWith('#') ? id + ref : ref) === origin)
        return isMember ? checkDef(findDef(lexicons, origin), value, path) : null
      }
      default:
        return null
    }
  }
}

function noInstant(text: string, path: string): ShapeFault {
  const shown = JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text)
  const message = `${path} is ${shown}, which is no instant of the years 0001 to 9999 in the form 2026-11-16T13:00:00Z.`
  return { reason: 'bad-datetime', message, impossible: isInstantForm(text) }
}

/** Types and references may have the implied `lex:` and `#main`. */
function originOf(type: string): string {
  return type.replace(/^lex:/, '').replace(/#main$/, '')
}
