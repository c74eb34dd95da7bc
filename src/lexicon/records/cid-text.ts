/** The text form of a CID, `bafyrei…`. A separate file, so that a reading process does not load the CID libraries. */
export function formatCid(cid: Uint8Array): string {
  const text = Buffer.allocUnsafe(2 + cid.length * 2)
  text[0] = multibase
  let end = 1
  let bits = 0
  let kept = 0
  for (const byte of cid) {
    kept = (kept << 8) | byte
    for (bits += 8; bits >= 5; ) text[end++] = alphabet[(kept >> (bits -= 5)) & 31] as number
    kept &= (1 << bits) - 1
  }
  if (bits > 0) text[end++] = alphabet[(kept << (5 - bits)) & 31] as number
  return text.toString('latin1', 0, end)
}

const alphabet = Buffer.from('abcdefghijklmnopqrstuvwxyz234567')
/** The multibase prefix `b`: base 32 in lower case. */
const multibase = 0x62
