/** Pages of the explorer over records in a real engine, asked as callers without a key are, without a server. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { priceOf } from '../../../src/query/execute/execute.ts'
import type { EndpointFault } from '../../../src/endpoint/endpoint.ts'
import { createChartRenderer } from '../../../src/explorer/charts/chart-renderer.ts'
import { createExplorer } from '../../../src/explorer/explorer.ts'
import { createSubjects } from '../../../src/explorer/fields/subject.ts'
import type { Site } from '../../../src/explorer/page.ts'
import type { Model } from '../../../src/schema/model/model.ts'
import { engineEndpoint, modelOf, publicPoints } from './agents.ts'
import { patience } from '../until.ts'
import { openTestService, type TestService, type TestServiceGiven } from './service.ts'

/** One thread for all pages of a process, because starting it costs more than drawing a hundred charts. */
const charts = createChartRenderer({
  // Other tests may keep the machine busy.
  timeout: patience,
  onFault: (error) => {
    throw error
  },
})
after(() => charts[Symbol.asyncDispose]())

export interface OpenedExplorer extends AsyncDisposable {
  readonly service: TestService
  /** The whole page, or file, at an address; `cost` is the most that an operation of it has cost, in points. */
  readonly get: (
    address: string,
    /** Fails operations of the page, by their place from 0 on. */
    faultAt?: (place: number) => EndpointFault | null,
  ) => Promise<{
    readonly status: number
    readonly body: string
    readonly cost: number
    /** Where the reader is sent instead. */
    readonly location: string | null
    readonly retryAfter: number | null
    /** How many operations were asked. */
    readonly asked: number
  }>
}

export async function openExplorer(
  given: TestServiceGiven,
  more: Partial<Site> = {},
): Promise<OpenedExplorer> {
  const service = await openTestService(given)
  return explorerOver(service, modelOf(given.lexicons, given.references ?? {}, given.stories), more)
}

export function explorerOver(service: TestService, model: Model, more: Partial<Site> = {}): OpenedExplorer {
  const { database, schema } = service.opened
  const endpoint = engineEndpoint(service.engine)
  const explorer = createExplorer({
    schema,
    subjects: createSubjects(model),
    charts,
    title: 'Test',
    assets: '/explorer/test/',
    price: (operation) => priceOf(operation, service.engine),
    readIndex: () => database.read.readStatus(),
    operator: { logo: null, contact: null, note: [], origin: null, imageHosts: [] },
    ...more,
  })
  return {
    service,
    async get(address, faultAt = () => null) {
      const [path = '', ...query] = address.split('?')
      const parameters = [...new URLSearchParams(query.join('?'))]
      const page = explorer.open({
        path,
        parameters,
        accepted: 'en',
        origin: 'http://test.example',
        refusal: null,
        exportRows: 1_000,
        queryPoints: publicPoints,
      })
      let cost = 0
      let asked = 0
      const { status, start, rest, retryAfter } = await page.finish(async (question) => {
        const fault = faultAt(asked++)
        if (fault !== null) return { data: null, errors: [fault], cost: null }
        const answer = await endpoint.ask(question, AbortSignal.timeout(patience))
        cost = Math.max(cost, answer.cost ?? 0)
        return answer
      })
      assert.ok(status === 429 || start.startsWith(page.start), `${address} begins as ${page.start}`)
      assert.ok(
        page.start === '' || page.status === status || status === 429,
        `${address} ends as ${status}, begun as ${page.status}`,
      )
      const body = typeof rest === 'string' ? start + rest : Buffer.from(rest).toString()
      return { status, body, cost, location: page.location, retryAfter, asked }
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
