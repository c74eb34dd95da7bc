/** The text form of a CID, `bafyrei…`. By itself, so that a process that only reads starts without the libraries that make CIDs. */
export function formatCid(cid: Uint8Array): string {
  let text = 'b'
  let bits = 0
  let kept = 0
  for (const byte of cid) {
    kept = (kept << 8) | byte
    for (bits += 8; bits >= 5; ) text += alphabet[(kept >> (bits -= 5)) & 31]
    kept &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + alphabet[(kept << (5 - bits)) & 31]
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
