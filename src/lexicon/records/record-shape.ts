/**
 * Checks what the official validator does not: a `datetime` must be a real instant, and an array is not an object.
 * Compiled once per collection, because it runs on every record.
 */
import type { LexArray, LexObject, LexUserType } from '@atproto/lexicon'
import { isInstantForm, parseRecordInstant } from '../../util/instant.ts'
import { type DocumentSet, findDef, type FoundDef, resolveRef } from '../document.ts'

export interface ShapeFault {
  readonly reason: 'bad-datetime' | 'invalid-record'
  readonly message: string
  /** A datetime of valid form with numbers out of range. */
  readonly impossible?: boolean
}

/** Finds the first fault of a value that the official validator accepts. */
export type ShapeCheck = (value: unknown) => ShapeFault | null

export function createShapeCheck(lexicons: DocumentSet, nsid: string): ShapeCheck {
  const shape = new ShapeBuilder(lexicons).ofDef(findDef(lexicons, nsid))
  return shape === null ? () => null : (value) => checkShape(shape, value, 'Record')
}

/** The parts of a type that need a check. */
type Shape =
  | { readonly kind: 'datetime' }
  | { readonly kind: 'array'; readonly of: Shape }
  | { readonly kind: 'object'; readonly properties: readonly (readonly [name: string, shape: Shape])[] }
  | { readonly kind: 'union'; readonly members: ReadonlyMap<string, Shape> }

function checkShape(shape: Shape, value: unknown, path: string): ShapeFault | null {
  switch (shape.kind) {
    case 'datetime':
      return typeof value === 'string' && parseRecordInstant(value) === null ? noInstant(value, path) : null
    case 'array':
      if (!Array.isArray(value)) return null
      for (let at = 0; at < value.length; at++) {
        const fault = checkShape(shape.of, value[at], `${path}/${at}`)
        if (fault !== null) return fault
      }
      return null
    case 'object': {
      if (typeof value !== 'object' || value === null) return null
      if (Array.isArray(value))
        return { reason: 'invalid-record', message: `${path} must be an object, not an array.` }
      for (const [name, property] of shape.properties) {
        const member = (value as Record<string, unknown>)[name]
        const fault = member === undefined ? null : checkShape(property, member, `${path}/${name}`)
        if (fault !== null) return fault
      }
      return null
    }
    case 'union': {
      const type = typeof value === 'object' && value !== null && '$type' in value ? value.$type : null
      const member = typeof type === 'string' ? shape.members.get(originOf(type)) : undefined
      return member === undefined ? null : checkShape(member, value, path)
    }
  }
}

function noInstant(text: string, path: string): ShapeFault {
  const shown = JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text)
  const message = `${path} is ${shown}, which is no instant of the years 0001 to 9999 in the form 2026-11-16T13:00:00Z.`
  return { reason: 'bad-datetime', message, impossible: isInstantForm(text) }
}

/** `$type` may have the implied `lex:` and `#main`. */
function originOf(type: string): string {
  return type.replace(/^lex:/, '').replace(/#main$/, '')
}

class ShapeBuilder {
  readonly #lexicons: DocumentSet
  readonly #objects = new Map<string, Shape>()

  constructor(lexicons: DocumentSet) {
    this.#lexicons = lexicons
  }

  ofDef(found: FoundDef | null): Shape | null {
    if (found === null) return null
    const { document, def, origin } = found
    if (def.type === 'record') return this.#ofObject(document.id, def.record, origin)
    if (def.type === 'object') return this.#ofObject(document.id, def, origin)
    return this.#ofType(document.id, def)
  }

  #ofType(id: string, type: LexObject['properties'][string] | LexArray['items'] | LexUserType): Shape | null {
    switch (type.type) {
      case 'string':
        return type.format === 'datetime' ? { kind: 'datetime' } : null
      case 'array': {
        const of = this.#ofType(id, type.items)
        return of === null ? null : { kind: 'array', of }
      }
      case 'ref':
        return this.ofDef(resolveRef(this.#lexicons, id, type.ref))
      case 'union': {
        const members = type.refs.flatMap((ref): [string, Shape][] => {
          const found = resolveRef(this.#lexicons, id, ref)
          const shape = this.ofDef(found)
          return found === null || shape === null ? [] : [[found.origin, shape]]
        })
        return members.length === 0 ? null : { kind: 'union', members: new Map(members) }
      }
      default:
        return null
    }
  }

  /** Registers the shape before its properties are built, so that a type may be recursive. */
  #ofObject(id: string, object: LexObject, origin: string): Shape {
    const known = this.#objects.get(origin)
    if (known !== undefined) return known
    const properties: [string, Shape][] = []
    const shape: Shape = { kind: 'object', properties }
    this.#objects.set(origin, shape)
    for (const [name, type] of Object.entries(object.properties)) {
      const property = this.#ofType(id, type)
      if (property !== null) properties.push([name, property])
    }
    return shape
  }
}
