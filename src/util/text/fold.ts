/**
 * The folding that `contains`, `startsWith` and their indexes share. It removes case and accents and preserves the
 * marks of Japanese, Korean, Hindi and other scripts.
 */
export function foldText(text: string): string {
  if (!notAscii.test(text)) return text.toLowerCase()
  return text.normalize('NFKD').replace(accents, '').normalize('NFC').toLowerCase().replaceAll('ς', 'σ')
}

const notAscii = /\P{ASCII}/u
const accents = /[\u0300-\u036f]+/g
