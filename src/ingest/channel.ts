/** A bounded queue: senders wait while it is full. */
export class Channel<Value> {
  readonly #limit: number
  readonly #weigh: (value: Value) => number
  #values: Value[] = []
  #weight = 0
  #ended: { readonly error?: unknown } | null = null
  #changed = Promise.withResolvers<void>()

  /** `weigh`: the share of the limit that a value takes; 1 by default. */
  constructor(limit: number, weigh: (value: Value) => number = () => 1) {
    this.#limit = limit
    this.#weigh = weigh
  }

  /** Resolves when there is room for more. Values sent after the end are dropped. */
  async send(value: Value): Promise<void> {
    if (this.#ended !== null) return
    this.#values.push(value)
    this.#weight += this.#weigh(value)
    this.#wake()
    while (this.#weight >= this.#limit && this.#ended === null) await this.#changed.promise
  }

  /** Values sent before can still be taken; then the error is thrown to the reader. */
  end(error?: unknown): void {
    this.#ended ??= error === undefined ? {} : { error }
    this.#wake()
  }

  /** Takes all queued values; waits for at least one. Null at the end. */
  async take(): Promise<readonly Value[] | null> {
    while (this.#values.length === 0) {
      if (this.#ended !== null) {
        if ('error' in this.#ended) throw this.#ended.error
        return null
      }
      await this.#changed.promise
    }
    const taken = this.#values
    this.#values = []
    this.#weight = 0
    this.#wake()
    return taken
  }

  /** Lets all who wait look again. */
  #wake(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }
}

/** Works on several inputs at once, with results in order; the queue holds at most `limit`, the reader as many. */
export async function* inOrder<Input, Output>(
  inputs: AsyncIterable<Input>,
  work: (input: Input) => Promise<Output>,
  limit: number,
): AsyncGenerator<Output> {
  const begin = (input: Input): Promise<Output> => {
    const outcome = work(input)
    // A failure is thrown when the result is yielded.
    outcome.catch(() => {})
    return outcome
  }
  for await (const some of queued(inputs, begin, new Channel<Promise<Output>>(limit)))
    for (const outcome of some) yield await outcome
}

/** Groups all values that are waiting: one value under low load, up to the limit under high load. */
export function grouped<Value>(
  inputs: AsyncIterable<Value>,
  limit: number,
  weigh?: (value: Value) => number,
): AsyncGenerator<readonly Value[]> {
  return queued(inputs, (value) => value, new Channel(limit, weigh))
}

/** Sends the result of `begin` for each input through the queue, as fast as the queue has room. */
async function* queued<Input, Value>(
  inputs: AsyncIterable<Input>,
  begin: (input: Input) => Value,
  queue: Channel<Value>,
): AsyncGenerator<readonly Value[]> {
  const iterator = inputs[Symbol.asyncIterator]()
  const feed = async (): Promise<void> => {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
      await queue.send(begin(next.value))
  }
  feed().then(
    () => queue.end(),
    (error: unknown) => queue.end(error),
  )
  try {
    for (let some = await queue.take(); some !== null; some = await queue.take()) yield some
  } finally {
    queue.end()
    await iterator.return?.()
  }
}

/** Yields values until `outer` aborts or the reader stops; aborts `open` first, so that closing awaits no message. */
export async function* untilAborted<Value>(
  outer: AbortSignal,
  open: (signal: AbortSignal) => AsyncIterable<Value>,
): AsyncGenerator<Value> {
  const stop = new AbortController()
  const values = open(AbortSignal.any([outer, stop.signal]))[Symbol.asyncIterator]()
  try {
    for (let next = await values.next(); next.done !== true; next = await values.next()) yield next.value
  } finally {
    stop.abort()
    await values.return?.()
  }
}
