/** Threads that read what sources deliver: validation, hashing and signatures beside the writing. */
import { parentPort, Worker } from 'node:worker_threads'

export interface Threads<Request, Answer> extends AsyncDisposable {
  /** `transfer` is taken away from the caller. The one with the least to do gets it; each answers in order. */
  readonly read: (request: Request, transfer?: readonly ArrayBuffer[]) => Promise<Answer>
  /** The same to each thread, after what it was given before. */
  readonly readInAll: (request: Request) => Promise<readonly Answer[]>
}

/** Starts threads on a module beside this one, such as `block-worker`; `data` is its `workerData`. */
export function openThreads<Request, Answer>(
  module: URL,
  count: number,
  data: unknown,
): Threads<Request, Answer> {
  const threads = Array.from({ length: count }, () => openThread<Request, Answer>(module, data))
  let turn = 0
  return {
    read: async (request, transfer = []) => {
      // Groups are of very different sizes: taking turns alone can leave all the large ones to one thread.
      turn = (turn + 1) % count
      const inTurn = [...threads.slice(turn), ...threads.slice(0, turn)]
      const thread = inTurn.reduce((least, other) => (other.waiting() < least.waiting() ? other : least))
      return thread.read(request, transfer)
    },
    readInAll: (request) => Promise.all(threads.map((thread) => thread.read(request, []))),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(threads.map((thread) => thread.worker.terminate()))
    },
  }
}

/** For the module of a thread: answers every request, one after the other. */
export function answerRequests<Request, Answer>(
  answer: (request: Request) => Answer | Promise<Answer>,
): void {
  let last: Promise<void> = Promise.resolve()
  parentPort?.on('message', (request: Request) => {
    last = last.then(async () => parentPort?.postMessage(await answer(request)))
  })
}

interface Waiting<Answer> {
  readonly resolve: (answer: Answer) => void
  readonly reject: (cause: unknown) => void
}

interface Thread<Request, Answer> {
  readonly worker: Worker
  /** How many requests it has not answered yet. */
  readonly waiting: () => number
  readonly read: (request: Request, transfer: readonly ArrayBuffer[]) => Promise<Answer>
}

function openThread<Request, Answer>(module: URL, data: unknown): Thread<Request, Answer> {
  const worker = new Worker(module, { workerData: data })
  const waiting: Waiting<Answer>[] = []
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
    waiting: () => waiting.length,
    read: (request, transfer) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) return reject(failure)
        waiting.push({ resolve, reject })
        worker.postMessage(request, transfer as ArrayBuffer[])
      }),
  }
}
