/** Places: objects with `latitude` and `longitude`, as numbers or decimal texts. */
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { latitudes, longitudes } from '../../schema/model/coordinates.ts'
import { webLink } from '../parts/values.ts'

/** A link to a map of the place; null if the object is none. */
export function placeOf(object: Readonly<Record<string, unknown>>, language: Language): Html {
  const one = (names: readonly string[]) => names.map((name) => object[name]).find((value) => value != null)
  const [latitude, longitude] = [degrees(one(latitudes), 90), degrees(one(longitudes), 180)]
  if (latitude === null || longitude === null) return null
  const address = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=9/${latitude}/${longitude}`
  return html`${webLink(address, language.text.record.map)} <span class="none">(OpenStreetMap)</span>`
}

function degrees(value: unknown, most: number): number | null {
  if (typeof value !== 'number' && !(typeof value === 'string' && /^-?\d{1,3}(\.\d{1,12})?$/.test(value)))
    return null
  const number = Number(value)
  return Math.abs(number) <= most ? number : null
}
