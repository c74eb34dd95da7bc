/** Counts the records and groups of an answer from its bytes. */

const quote = 0x22
const backslash = 0x5c
const open = { brace: 0x7b, bracket: 0x5b } as const
const close = { brace: 0x7d, bracket: 0x5d } as const
/** Depth below `{"data":{"root":{"edges":[`. */
const elementDepth = 4

/** Objects in the arrays that are members of the root fields: edges, nodes, groups. */
export function countRows(body: Uint8Array): number {
  let depth = 0
  let rows = 0
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at]
    if (byte === quote) at = endOfString(body, at)
    else if (byte === open.brace || byte === open.bracket) {
      if (byte === open.brace && depth === elementDepth) rows += 1
      depth += 1
    } else if (byte === close.brace || byte === close.bracket) depth -= 1
  }
  return rows
}

function endOfString(body: Uint8Array, start: number): number {
  let at = start + 1
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1
  return at
}
