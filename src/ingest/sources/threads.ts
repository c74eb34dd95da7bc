/** A pool of threads for validation, hashing and signatures, so that the writing thread does not do them. */
import { parentPort, Worker } from 'node:worker_threads'

export type Threads<Request, Answer> = ReturnType<typeof openThreads<Request, Answer>>

/** Starts threads on a module such as `block-worker`; `data` is its `workerData`. */
export function openThreads<Request, Answer>(module: URL, count: number, data: unknown) {
  const threads = Array.from({ length: count }, () => openThread<Request, Answer>(module, data))
  let turn = 0
  return {
    /** Asks the thread with the fewest open requests; each thread answers in order. `transfer`: buffers to transfer. */
    read: async (request: Request, transfer: readonly ArrayBuffer[] = []): Promise<Answer> => {
      // Groups differ much in size: plain round robin could give all large groups to one thread.
      turn = (turn + 1) % count
      const inTurn = [...threads.slice(turn), ...threads.slice(0, turn)]
      const thread = inTurn.reduce((least, other) =>
        other.waiting.length < least.waiting.length ? other : least,
      )
      return thread.read(request, transfer)
    },
    /** Asks every thread, after its earlier requests. */
    readInAll: (request: Request): Promise<readonly Answer[]> =>
      Promise.all(threads.map((thread) => thread.read(request, []))),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await Promise.all(threads.map((thread) => thread.worker.terminate()))
    },
  }
}

/** To be called in a thread's module: answers requests one after the other. */
export function answerRequests<Request, Answer>(
  answer: (request: Request) => Answer | Promise<Answer>,
): void {
  let last: Promise<void> = Promise.resolve()
  parentPort?.on('message', (request: Request) => {
    last = last.then(async () => parentPort?.postMessage(await answer(request)))
  })
}

function openThread<Request, Answer>(module: URL, data: unknown) {
  const worker = new Worker(module, { workerData: data })
  /** Open requests, in order. */
  const waiting: PromiseWithResolvers<Answer>[] = []
  let failure: unknown
  const fail = (cause: unknown): void => {
    failure ??= cause
    for (const one of waiting.splice(0)) one.reject(cause)
  }
  worker.on('message', (answer: Answer) => waiting.shift()?.resolve(answer))
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('The thread that reads records has ended.')))
  return {
    worker,
    waiting,
    read: async (request: Request, transfer: readonly ArrayBuffer[]): Promise<Answer> => {
      if (failure !== undefined) throw failure
      const one = Promise.withResolvers<Answer>()
      waiting.push(one)
      worker.postMessage(request, transfer as ArrayBuffer[])
      return one.promise
    },
  }
}
