/**
 * The pages for agents are true: each call in them is made and its answer compared, shortened as the pages say.
 * UPDATE_DOCS=1 rewrites the answers; the diff is for a reader to judge.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { budgets } from '../src/mcp/words/budget.ts'
import type { Json } from './reference/shapes.ts'
import { type Agent, createAgent, engineEndpoint } from './support/service/agents.ts'
import { type Fence, formatJson, openDemo, readFences } from './support/service/pages.ts'

const pages = ['agents', 'agents-reference', 'agents-filters'].map((name) => {
  const url = new URL(`../docs/${name}.md`, import.meta.url)
  return { url, text: readFileSync(url, 'utf8') }
})
const text = pages.map((page) => page.text).join('\n')

test('the calls of the pages for agents give the answers that they show', async () => {
  await using service = await openDemo()
  const agent = createAgent(service.model, engineEndpoint(service.engine))
  const names = agent.tools.map(({ name }) => name)
  const examples = pages.map((page) => readExamples(page.text, names))
  const shown = new Set(examples.flat().map(({ tool }) => tool))
  assert.deepEqual([...shown].toSorted(), names.toSorted(), 'Each tool has an example.')
  for (const [index, page] of pages.entries()) {
    let updated = page.text
    for (const example of (examples[index] ?? []).toReversed()) {
      const { tool, args, answer } = example
      const actual = await answerOf(agent, example)
      if (process.env.UPDATE_DOCS === '1')
        updated = `${updated.slice(0, answer.bodyStart)}${actual}\n${updated.slice(answer.end - 3)}`
      else
        assert.equal(
          actual,
          answer.body.trimEnd(),
          `${tool} ${JSON.stringify(args)} has another answer. UPDATE_DOCS=1 rewrites it.`,
        )
    }
    if (updated !== page.text) writeFileSync(page.url, updated)
  }
})

test('docs/agents.md has the budgets of src/mcp/words/budget.ts', () => {
  const rows = text.matchAll(/^\| `(\w+)` \| ([\d,]+)(?:, or .+)? \|$/gm)
  const listed = Array.from(rows, ([, name, number = '']) => [name, Number(number.replaceAll(',', ''))])
  assert.deepEqual(Object.fromEntries(listed), budgets)
})

interface Example {
  readonly tool: string
  readonly args: Json
  readonly isRefused: boolean
  readonly answer: Fence
}

/** Blocks of JSON that name a tool, each with the block of its answer directly below. */
function readExamples(text: string, tools: readonly string[]): Example[] {
  const fences = readFences(text)
  return fences.flatMap(({ info, body, end }): Example[] => {
    const [language, tool = '', refused] = info.split(' ')
    if (language !== 'json' || !tools.includes(tool)) return []
    const answer = fences.find(({ start }) => start === end + 1)
    assert.ok(answer !== undefined, `${tool} ${body} has no answer.`)
    return [{ tool, args: JSON.parse(body), isRefused: refused === 'refused', answer }]
  })
}

async function answerOf(agent: Agent, { tool, args, isRefused }: Example): Promise<string> {
  return isRefused
    ? await agent.refusal(tool, args)
    : formatJson(shortened(JSON.parse(await agent.text(tool, args))))
}

const longestText = 90
const most = { members: 9, counts: 4, elements: 3, scalars: 6 }
const leftOut = '…'

/** Of long texts and lists the beginning. */
function shortened(value: Json): Json {
  if (typeof value === 'string')
    return value.length > longestText ? `${value.slice(0, longestText)}${leftOut}` : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const kept = value.some((one) => typeof one === 'object' && one !== null) ? most.elements : most.scalars
    const first = value.slice(0, kept).map(shortened)
    return value.length > kept ? [...first, leftOut] : first
  }
  const members = Object.entries(value)
  const kept = members.every(([, inside]) => typeof inside === 'number') ? most.counts : most.members
  const first = members.slice(0, kept)
  const all = first.length < members.length ? [...first, [leftOut, leftOut] as const] : first
  return Object.fromEntries(all.map(([name, inside]) => [name, shortened(inside)]))
}
