/** A queue between what comes in and what is done with it; whoever fills it waits while it is full. */
export class Channel<Value> {
  readonly #limit: number
  readonly #weigh: (value: Value) => number
  #values: Value[] = []
  #weight = 0
  #ended: { readonly error?: unknown } | null = null
  #wakeReader: (() => void) | null = null
  #wakeWriters: (() => void)[] = []

  /** `weigh`: how much of the limit a value takes; by default 1. */
  constructor(limit: number, weigh: (value: Value) => number = () => 1) {
    this.#limit = limit
    this.#weigh = weigh
  }

  /** Resolves when there is room for more. What is sent after the end is dropped. */
  async send(value: Value): Promise<void> {
    if (this.#ended !== null) return
    this.#values.push(value)
    this.#weight += this.#weigh(value)
    this.#wakeReader?.()
    while (this.#weight >= this.#limit && this.#ended === null)
      await new Promise<void>((resolve) => this.#wakeWriters.push(resolve))
  }

  /** What was sent before can still be taken; an error is thrown to the reader after that. */
  end(error?: unknown): void {
    this.#ended ??= error === undefined ? {} : { error }
    this.#wakeReader?.()
    this.#wake()
  }

  /** All that is there, at least one value: waits for it. Null at the end. */
  async take(): Promise<readonly Value[] | null> {
    while (this.#values.length === 0) {
      if (this.#ended !== null) {
        if ('error' in this.#ended) throw this.#ended.error
        return null
      }
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve
      })
      this.#wakeReader = null
    }
    const taken = this.#values
    this.#values = []
    this.#weight = 0
    this.#wake()
    return taken
  }

  #wake(): void {
    for (const wake of this.#wakeWriters.splice(0)) wake()
  }
}

/**
 * Works on several inputs at once and yields the results in the order of the inputs, each as soon as it and
 * all before it are there. At most `limit` wait for the reader, and as many are with it.
 */
export async function* inOrder<Input, Output>(
  inputs: AsyncIterable<Input>,
  work: (input: Input) => Promise<Output>,
  limit: number,
): AsyncGenerator<Output> {
  const begin = (input: Input): Promise<Output> => {
    const outcome = work(input)
    // A failure is told when its turn comes.
    outcome.catch(() => {})
    return outcome
  }
  for await (const some of queued(inputs, begin, new Channel<Promise<Output>>(limit)))
    for (const outcome of some) yield await outcome
}

/** What comes in, in groups of all that is there: one value when it is quiet, up to the limit when it is not. */
export function grouped<Value>(
  inputs: AsyncIterable<Value>,
  limit: number,
  weigh?: (value: Value) => number,
): AsyncGenerator<readonly Value[]> {
  return queued(inputs, (value) => value, new Channel(limit, weigh))
}

/** What becomes of the inputs, through the queue, as fast as it has room. */
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
