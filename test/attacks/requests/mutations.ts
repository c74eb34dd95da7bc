/** Attacks with some of their bytes left out, doubled or changed, by number: the same number, the same bytes. */
import { drawer } from '../../support/service/requests.ts'
import type { Attack, Given, Sent } from '../attack.ts'

/** What parsers of heads, of JSON and of GraphQL stumble over. */
const stones = [
  '\r\n',
  '\n',
  '\0',
  '"',
  '{',
  ']',
  '\\u0000',
  'transfer-encoding: chunked\r\n',
  'content-length: 5\r\n',
  '...',
  '@',
  '$',
  ':',
  '1e400',
  '\xff',
  '__proto__',
  'null',
  'fragment',
  '%',
  '"""',
  '#',
  '\\ud800',
]
/** Bytes: larger ones would only take longer. */
const largest = 20_000

/** Another one for each number; its outcome is not known. */
export function createMutations(all: readonly Attack[], given: Given): (number: number) => Attack {
  const known = all.map((attack) => ({ attack, bytes: bytesOf(attack.send, given) }))
  const small = known.filter(({ bytes }) => bytes.length <= largest)
  return (number) => {
    const draw = drawer(number)
    const drawn = small[draw(small.length)]
    if (drawn === undefined) throw new Error('There is no small attack.')
    let { bytes } = drawn
    for (let changes = 1 + draw(3); changes > 0; changes -= 1) bytes = changed(bytes, draw)
    return { ...drawn.attack, send: draw(4) === 0 ? bytes : withLength(bytes), ends: true }
  }
}

function changed(bytes: Buffer, draw: (below: number) => number): Buffer {
  const body = Math.max(0, bytes.indexOf('\r\n\r\n'))
  const at = draw(3) === 0 ? draw(bytes.length + 1) : body + draw(bytes.length - body + 1)
  const before = bytes.subarray(0, at)
  switch (draw(4)) {
    case 0:
      return Buffer.concat([
        before,
        Buffer.from(stones[draw(stones.length)] ?? '', 'latin1'),
        bytes.subarray(at),
      ])
    case 1:
      return Buffer.concat([before, bytes.subarray(at + 1 + draw(20))])
    case 2:
      return Buffer.concat([before, Buffer.from([draw(256)]), bytes.subarray(at + 1)])
    default:
      return Buffer.concat([before, bytes.subarray(Math.max(0, at - draw(50)))])
  }
}

/** So that what is changed in a body is looked at, rather than its length. */
function withLength(bytes: Buffer): Buffer {
  const end = bytes.indexOf('\r\n\r\n')
  const length = `content-length: ${bytes.length - end - 4}`
  const head = bytes.toString('latin1', 0, Math.max(0, end)).replace(/content-length: \d+/, length)
  return end === -1 ? bytes : Buffer.concat([Buffer.from(head, 'latin1'), bytes.subarray(end)])
}

export function bytesOf(send: Sent, given: Given): Buffer {
  const sent = typeof send === 'function' ? send(given) : send
  if (typeof sent === 'string') return Buffer.from(sent)
  if (sent instanceof Uint8Array) return Buffer.from(sent)
  return Buffer.concat(sent.map((piece) => Buffer.from(piece as Uint8Array)))
}
