/** Parts of a page that a second request brings: with script by itself, without by a link. */
import { html, type Html } from '../html.ts'

/** The id of a part, by which other pages lead to it. */
export function lateId(name: string): string {
  return `late-${name}`
}

/**
 * `id`: of the element on both pages. `address`: of the page that has the part; null where no address has it. `room`: a
 * placeholder as high as the part can become, if something is below it.
 */
export function later(id: string, address: string | null, label: string, room: Html = null): Html {
  return (
    address !== null &&
    html`<div id=${id} class="later" data-later=${address}>
      <p><a href=${address} rel="nofollow">${label}</a></p>${room}
    </div>`
  )
}
