/** Sends an attack and tells what came of it, and what of that must not be. Tests and the bench share it. */
import { type Answer, type Bytes, Connection } from './exchange.ts'
import type { Attack, Given, Outcome, Sent } from './attack.ts'

export interface Happened {
  readonly answers: readonly Answer[]
  /** `desynchronised` when the server took something else for the next request. */
  readonly leaves: Outcome['leaves'] | 'desynchronised'
  readonly sent: readonly Bytes[]
}

/** A log line that no request may cause. */
export const errorLine = /^.*"level":"(error|fatal)".*$/m

/** `open` opens the connection on which the attack is sent. */
export async function launch(
  port: number,
  attack: Attack,
  given: Given,
  open: (port: number) => Promise<Connection> = Connection.open,
): Promise<Happened> {
  const sent = piecesOf(attack.send, given)
  using connection = await open(port)
  for (const piece of sent) connection.socket.write(piece)
  if (attack.ends === true) connection.socket.end()
  const hasBody = !String(sent[0]).startsWith('HEAD ')
  const answers: Answer[] = []
  while (answers.length < (attack.answers ?? 1)) {
    const answer = await connection.answer({ hasBody })
    if (answer === null) break
    answers.push(answer)
  }
  return { answers, leaves: await whatIsLeft(connection), sent }
}

/** In sentences; none when all is as it should be. */
export function problemsOf(attack: Attack, { answers, leaves, sent }: Happened): readonly string[] {
  const wanted = attack.answers ?? 1
  return [
    ...(answers.length === wanted ? [] : [`${answers.length} answers came, not ${wanted}.`]),
    ...(leaves === attack.leaves ? [] : [`The connection is ${leaves}, not ${attack.leaves}.`]),
    ...answers.flatMap((answer) => answerProblems(attack, answer, sent)),
  ]
}

function answerProblems({ status, code, says }: Attack, answer: Answer, sent: readonly Bytes[]): string[] {
  const { body, headers } = answer
  const problems: string[] = []
  const start = body.slice(0, 300)
  if (answer.status !== status) problems.push(`The status is ${answer.status}, not ${status}: ${start}`)
  if (codeOf(answer) !== code) problems.push(`The code is ${codeOf(answer)}, not ${code}: ${start}`)
  if (says !== undefined && !says.test(body)) problems.push(`It does not say ${says}: ${start}`)
  for (const name of ['server', 'x-powered-by', 'via'])
    if (headers.has(name)) problems.push(`The header ${name} tells what runs here.`)
  return answer.status < 400 && codeOf(answer) === null ? problems : [...problems, ...leaksOf(body, sent)]
}

/** What no error may show unless it was sent: our code, our statements, our files; and long stretches of what was sent. */
export function leaksOf(body: string, sent: readonly Bytes[]): string[] {
  const request = textOf(sent)
  const leaks = [
    /node_modules|\bat (async )?\S+ \(|\.[tj]s:\d/,
    /\bselect\b.+\bfrom\b/is,
    /\/(work|home|usr|tmp)\//,
  ]
    .filter((pattern) => {
      const shown = pattern.exec(body)?.[0]
      return shown !== undefined && !request.includes(shown)
    })
    .map((pattern) => `The error shows ${pattern}: ${body.slice(0, 300)}`)
  if (Buffer.byteLength(body) > 64_000) leaks.push(`The error has ${Buffer.byteLength(body)} bytes.`)
  return echoes(body, request) ? [...leaks, `The error repeats what was sent: ${body.slice(0, 300)}`] : leaks
}

/** Whether 250 characters in a row of what was sent are there; of such, 125 are one of these pieces. */
function echoes(body: string, request: string): boolean {
  if (body.length < 250) return false
  for (let start = 0; start + 125 <= request.length; start += 125)
    if (body.includes(request.slice(start, start + 125))) return true
  return false
}

function textOf(sent: readonly Bytes[]): string {
  return sent.map((piece) => Buffer.from(piece as Uint8Array).toString()).join('')
}

export function codeOf({ body }: Pick<Answer, 'body'>): string | null {
  if (!body.startsWith('{"errors"')) return null
  return JSON.parse(body).errors[0].extensions.code
}

/** Another request on the same connection tells whether the server and we agree where the last one ended. */
async function whatIsLeft(connection: Connection): Promise<Happened['leaves']> {
  if (connection.socket.writable) connection.socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
  const answer = await connection.answer()
  if (answer === null) return 'closed'
  return answer.body === '{"status":"up"}' ? 'open' : 'desynchronised'
}

export function piecesOf(send: Sent, given: Given): readonly Bytes[] {
  const found = typeof send === 'function' ? send(given) : send
  return typeof found === 'string' || found instanceof Uint8Array ? [found] : found
}
