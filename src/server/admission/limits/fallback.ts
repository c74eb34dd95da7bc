/** What is done while something does not work, without trying it for every request. */

/** Milliseconds after a failure until it is tried again, by one request; the others do not wait for that. */
const pause = 5_000

export class Fallback {
  readonly #onChange: (failure: Error | null) => void
  #hasFailed = false
  #triedAgain = 0

  /** `onChange` takes why it does not work when it begins not to, and null when it works again. */
  constructor(onChange: (failure: Error | null) => void = () => undefined) {
    this.#onChange = onChange
  }

  async run<Result>(work: () => Promise<Result>, instead: () => Result | Promise<Result>): Promise<Result> {
    if (this.#hasFailed) {
      if (Date.now() < this.#triedAgain) return instead()
      this.#triedAgain = Date.now() + pause
    }
    try {
      const result = await work()
      this.#tell(null)
      return result
    } catch (error) {
      this.#triedAgain = Date.now() + pause
      this.#tell(error as Error)
      return instead()
    }
  }

  #tell(failure: Error | null): void {
    const hadFailed = this.#hasFailed
    this.#hasFailed = failure !== null
    if (this.#hasFailed !== hadFailed) this.#onChange(failure)
  }
}
