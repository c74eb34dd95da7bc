/** Fractions of integers as doubles, found by comparing neighbours: plain, slow, and without shifting bits. */

/** The double nearest to `numerator / denominator`; of two that are as near, the one whose last bit is 0. */
export function nearestDouble(numerator: bigint, denominator: bigint): number {
  const guess = Number(numerator) / Number(denominator)
  const candidates = [-2, -1, 0, 1, 2].map((steps) => neighbour(guess, steps))
  return candidates.reduce((best, one) => {
    const [near, far] = [distance(one), distance(best)]
    const order = near.top * far.bottom - far.top * near.bottom
    if (order !== 0n) return order < 0n ? one : best
    return isEven(one) ? one : best
  })

  function distance(value: number): { top: bigint; bottom: bigint } {
    const { top, bottom } = fractionOf(value)
    const difference = top * denominator - numerator * bottom
    return { top: difference < 0n ? -difference : difference, bottom: bottom * denominator }
  }
}

/** A double as the exact fraction that it is. */
function fractionOf(value: number): { top: bigint; bottom: bigint } {
  let [top, bottom] = [value, 1n]
  while (!Number.isInteger(top)) {
    top *= 2
    bottom *= 2n
  }
  return { top: BigInt(top), bottom }
}

function neighbour(value: number, steps: number): number {
  if (value === 0) return 0
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(steps))
  return view.getFloat64(0)
}

function isEven(value: number): boolean {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  return view.getBigInt64(0) % 2n === 0n
}
