/** Questions at a fixed rate, whatever the answers take: a request that must wait is late from the moment it was due. */
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { documentOf, titles } from '../compare/questions.ts'
import { quantile } from '../support/statistics.ts'

export interface Latency {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface Load {
  /** Forgets what was measured so far. */
  readonly reset: () => void
  /** Milliseconds, of all and of each question. */
  readonly latencies: () => { readonly all: Latency; readonly byQuestion: Readonly<Record<string, Latency>> }
  /** Resolves when the last answer has come; fails when one was no answer. */
  readonly stop: () => Promise<void>
}

const perSecond = 50
const sampled = ['Q1', 'Q5', 'Q3 middling', 'Q6'] as const

/** `uri`: of an article that is there. */
export function startLoad(url: string, uri: string): Load {
  const asked = {
    ...Object.fromEntries(sampled.map((name) => [titles[name], documentOf(name)])),
    'by URI': `{ techServiceNewsArticleByUri(uri: ${JSON.stringify(uri)}) { title url publishedAt } }`,
  }
  const names = Object.keys(asked)
  const bodies = Object.values(asked).map((query) => Buffer.from(JSON.stringify({ query })))
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const stop = new AbortController()
  let times = names.map((): number[] => [])

  const measure = async (which: number, due: number): Promise<void> => {
    const into = times[which]
    await ask(`${url}/api/graphql`, bodies[which] as Buffer, agent)
    into?.push(performance.now() - due)
  }
  const run = async (): Promise<void> => {
    const answers: Promise<void>[] = []
    const start = performance.now()
    for (let turn = 0; !stop.signal.aborted; turn += 1) {
      const due = start + (turn * 1_000) / perSecond
      const early = due - performance.now()
      if (early > 0) await pause(Math.ceil(early))
      const asking = measure(turn % names.length, due)
      answers.push(asking)
      asking.catch(() => stop.abort())
    }
    await Promise.all(answers)
    agent.destroy()
  }
  const running = run()
  // Told when it is stopped.
  running.catch(() => {})
  return {
    reset: () => {
      times = names.map(() => [])
    },
    latencies: () => ({
      all: summarize(times.flat()),
      byQuestion: Object.fromEntries(names.map((name, index) => [name, summarize(times[index] ?? [])])),
    }),
    stop: () => {
      stop.abort()
      return running
    },
  }
}

export function summarize(values: readonly number[]): Latency {
  const at = (share: number): number => quantile(values, share)
  return { count: values.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** The least a client can do: the time measured is the server's and the wire's, not that of `fetch`. */
export function ask(url: string, body: Buffer, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const asked = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      response.on('error', reject).on('end', () => {
        if (text.startsWith('{"data"')) resolve(text)
        else reject(new Error(`The server answered ${response.statusCode}: ${text}`))
      })
    })
    asked.on('error', reject).end(body)
  })
}
