/** Texts of whatever code points there are. */
import fc from 'fast-check'

/**
 * Any one but surrogates. With `unit: 'binary'` fast-check does the same, and first makes a table of all of them, which
 * takes a second.
 */
export const anyCodePoint = fc
  .nat(0x10_f7ff)
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800))
