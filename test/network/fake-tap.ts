/**
 * A Tap server for tests: it keeps every event until it is acknowledged, sends what is live in a repository only when
 * all before it is acknowledged, and sends again what was lost: with the next connection, or, where the real one waits
 * for ten seconds, when it has nothing else to send.
 *
 *     await using server = await startFakeTap({ seed: 1, faults: { cut: 0.1 } })
 *     server.publishRecord({ did, collection, rkey, rev, record }, { live: true })
 */
import {
  actionOf,
  createDice,
  drawGarbage,
  type FakeConnection,
  type Faults,
  membersOf,
  type Publication,
  reorder,
  startFakeServer,
} from './fake-server.ts'

interface FakeTapOptions {
  readonly seed?: number
  readonly faults?: Faults
  /** Asked for as HTTP basic authentication of the user `admin`. */
  readonly password?: string
}

export type FakeTap = Awaited<ReturnType<typeof startFakeTap>>

interface Kept {
  readonly id: number
  readonly did: string
  readonly live: boolean
  readonly text: string
  isOut: boolean
}

export async function startFakeTap(options: FakeTapOptions = {}) {
  const { seed = 1, faults = {}, password } = options
  const dice = createDice(seed)
  const kept = new Map<number, Kept>()
  const acknowledged: number[] = []
  const repositories = new Set<string>()
  /** Requests to follow repositories fail with this status; null: they succeed. */
  const adding = { failAdding: null as number | null }
  let outgoing: Kept[] = []
  let dropped: Kept[] = []
  let newest: FakeConnection | null = null
  let wakeSenders: (() => void)[] = []
  let lastId = 0
  const authorization =
    password === undefined ? null : `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`

  /** Gives out what may be sent: events of a repository in order, a live one alone. */
  const giveOut = (): void => {
    for (const events of Map.groupBy(kept.values(), ({ did }) => did).values())
      for (const event of events) {
        const underWay = events.filter(({ isOut }) => isOut)
        if (event.isOut) continue
        if (underWay.some(({ live }) => live) || (event.live && underWay.length > 0)) break
        event.isOut = true
        outgoing.push(event)
      }
    for (const wakeSender of wakeSenders.splice(0)) wakeSender()
  }

  const publish = (did: string, event: object, { live = true } = {}): void => {
    const id = ++lastId
    kept.set(id, { id, did, live, text: JSON.stringify({ id, ...event }), isOut: false })
    giveOut()
  }

  const receive = async (connection: FakeConnection): Promise<void> => {
    for (let read = 0; connection.open || read < connection.received.length; ) {
      for (; read < connection.received.length; read++) {
        const { type, id } = JSON.parse(connection.received[read]!) as { type: string; id: number }
        if (type !== 'ack' || !kept.delete(id)) continue
        acknowledged.push(id)
        giveOut()
      }
      if (connection.open) await connection.whenReceived()
    }
  }

  const serve = async (connection: FakeConnection): Promise<void> => {
    void receive(connection)
    newest = connection
    // A connection that is gone may not know it yet.
    const serves = (): boolean => connection.open && connection === newest
    dropped = []
    outgoing = [...kept.values()].filter(({ isOut }) => isOut)
    while (serves()) {
      if (outgoing.length === 0) outgoing = dropped.splice(0)
      outgoing = [...reorder(outgoing, ({ did }) => did, dice, faults.reorder)]
      const event = outgoing.shift()
      if (event === undefined) {
        await Promise.race([connection.closed, new Promise<void>((resolve) => wakeSenders.push(resolve))])
        continue
      }
      if (dice.chance(faults.drop)) {
        dropped.push(event)
        continue
      }
      if (dice.chance(faults.garbage)) await connection.send(drawGarbage(dice))
      if (dice.chance(faults.cut)) return connection.cut(event.text)
      await connection.send(event.text)
      if (dice.chance(faults.duplicate)) await connection.send(event.text)
    }
  }

  const server = await startFakeServer({
    respond: ({ url, method, headers }, response, body) => {
      const answer = (status: number): void => void response.writeHead(status).end()
      if (authorization !== null && headers.authorization !== authorization) return answer(401)
      if (method !== 'POST' || url !== '/repos/add') return answer(404)
      if (adding.failAdding !== null) return answer(adding.failAdding)
      for (const did of (JSON.parse(body) as { dids: string[] }).dids) repositories.add(did)
      answer(200)
    },
    refuse: (url, { headers }) => {
      if (authorization !== null && headers.authorization !== authorization)
        return { status: 401, body: { error: 'Unauthorized' } }
      return url.pathname === '/channel' ? null : { status: 404, body: { error: 'NotFound' } }
    },
    serve,
  })
  return Object.assign(adding, {
    ...server,
    /** Without the password. */
    url: `http://${server.host}`,
    publishRecord: (publication: Publication, { live = true } = {}): void => {
      const record = { live, ...membersOf(publication), action: actionOf(publication) }
      publish(publication.did, { type: 'record', record }, { live })
    },
    /** Handle and status of an account. */
    publishIdentity: (
      identity: Readonly<Record<'did' | 'handle' | 'status', string>> & { is_active: boolean },
    ) => publish(identity.did, { type: 'identity', identity }),
    /** What it was told to follow. */
    repositories: repositories as ReadonlySet<string>,
    /** Numbers of events that were acknowledged, in order. */
    acknowledged: acknowledged as readonly number[],
    /** How many events were published and not acknowledged yet. */
    waiting: () => kept.size,
  })
}
