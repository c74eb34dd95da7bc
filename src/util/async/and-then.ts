/** For values that are mostly available at once: an `await` costs more than many a request. */

export type MaybePromise<Value> = Value | Promise<Value>

/** Applies `use` to the value, synchronously if it is not a promise; an error of `use` is then thrown synchronously. */
export function andThen<Value, Result>(
  value: MaybePromise<Value>,
  use: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(use) : use(value)
}
