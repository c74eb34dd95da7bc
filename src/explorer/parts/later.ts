/** Parts of a page that a second request brings: with script by itself, without by a link. */
import { html, type Html } from '../html.ts'

export interface LaterPart {
  /** Of the element on both pages. */
  readonly id: string
  /** The page that has the part; null where no address has it. */
  readonly address: string | null
  readonly label: string
  /** A placeholder as high as the part can become; absent where nothing is below it. */
  readonly room?: Html
}

/** The id of a part, by which other pages lead to it. */
export function lateId(name: string): string {
  return `late-${name}`
}

export function later({ id, address, label, room }: LaterPart): Html {
  return (
    address !== null &&
    html`<div id=${id} class="later" data-later=${address}>
      <p><a href=${address} rel="nofollow">${label}</a></p>${room}
    </div>`
  )
}
