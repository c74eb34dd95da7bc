/** Pictures that records name: shown from the hosts that the operator allows, and otherwise linked. */
import type { StringType } from '../../schema/model/model.ts'
import { html, type Html } from '../html.ts'
import { isWebAddress, recordText, shortText, webLink } from './values.ts'

const names = /^(image|img|cover|thumb|thumbnail|avatar|logo|banner|photo|picture|icon|poster)(s|url|uri)?$/i

/** Guessed from the names: `image.url`, `logoUrl`. */
export function isPicture({ use }: StringType, properties: readonly string[]): boolean {
  return use.page === 'address' && properties.slice(-2).some((property) => names.test(property))
}

/** `imageHosts`: `*` for every one, `*.example.org` for all below one. The policy of the page allows no others. */
export function isAllowedPicture(address: string, imageHosts: readonly string[]): boolean {
  // Without slashes, `https:images.example` is a path on a page with that protocol.
  if (!isWebAddress(address)) return false
  const { protocol, host } = new URL(address)
  return (
    protocol === 'https:' &&
    imageHosts.some((allowed) =>
      allowed.startsWith('*') ? host.endsWith(allowed.slice(1)) : allowed === host,
    )
  )
}

/** `object`: what holds the address, and perhaps a text instead of the picture. `caption`: instead of the address. */
export function picture(
  address: string,
  object: Readonly<Record<string, unknown>>,
  { imageHosts }: { readonly imageHosts: readonly string[] },
  caption?: Html,
): Html {
  const link = webLink(address, recordText(shortText(address, 200)))
  if (!isAllowedPicture(address, imageHosts)) return link
  const alt = typeof object['alt'] === 'string' ? shortText(object['alt'], 1_000) : ''
  return html`<figure class="picture">
    ${webLink(address, html`<img src=${address} alt=${alt} loading="lazy" decoding="async" referrerpolicy="no-referrer" />`)}
    <figcaption>${caption === undefined ? link : caption}</figcaption>
  </figure>`
}
