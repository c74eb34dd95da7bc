/** For what is mostly at hand and sometimes has to be waited for: waiting costs more than many a request. */

export type MaybePromise<Value> = Value | Promise<Value>

/** Uses the value, at once where it is at hand; what `use` throws then is thrown. */
export function andThen<Value, Result>(
  value: MaybePromise<Value>,
  use: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(use) : use(value)
}
