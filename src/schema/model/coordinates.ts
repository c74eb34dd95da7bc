/** Latitudes and longitudes, which records keep as decimal texts because the data model has no fractions. */
import type { Field } from './model.ts'

export const latitudes = ['latitude', 'lat'] as const
export const longitudes = ['longitude', 'lon', 'lng'] as const

/** Marks the texts of a pair of coordinates among the fields of an object. */
export function withCoordinates(fields: readonly Field[]): Field[] {
  const isIn = (names: readonly string[]) => (field: Field) =>
    names.includes(field.property) && (field.type.kind === 'string' || field.type.kind === 'integer')
  const isPair = fields.some(isIn(latitudes)) && fields.some(isIn(longitudes))
  const isCoordinate = isIn([...latitudes, ...longitudes])
  return fields.map((field) =>
    isPair && isCoordinate(field) && field.type.kind === 'string'
      ? { ...field, type: { ...field.type, isCoordinate: true } }
      : field,
  )
}
