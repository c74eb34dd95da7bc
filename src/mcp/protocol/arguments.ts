/**
 * Converts and validates the arguments of tools. Models send null for omitted arguments, lists and objects as text, and
 * numbers for texts; all are accepted. Errors name the wrong argument, because the schema validator does not.
 */
import type { JsonSchemaType, StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { fromJsonSchema } from '@modelcontextprotocol/server'
import { nearest } from '../../util/text/nearest.ts'
import { mostMessageDepth, mostMessageParts } from './message.ts'
import { didYouMean } from '../../ask/ask-error.ts'
import { toolNames } from '../words/service-refusals.ts'
import { type Json, parseJson } from '../../util/is-object.ts'
import type { Tool } from '../tools/tool.ts'

interface Property {
  readonly type?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
}
type Properties = Readonly<Record<string, Property>>

export function readArguments(tool: Pick<Tool, 'name' | 'inputSchema'>): StandardSchemaWithJSON<Json> {
  const schema = fromJsonSchema<Json>(tool.inputSchema as JsonSchemaType)
  const standard = schema['~standard']
  const properties = (tool.inputSchema['properties'] ?? {}) as Properties
  return {
    '~standard': {
      ...standard,
      async validate(given) {
        if (typeof given !== 'object' || given === null) return standard.validate(given)
        const read = asMeant(given, properties)
        const problem = sizeProblem(read) ?? problemIn(read, tool.name, properties)
        if (problem !== null) return { issues: [{ message: problem }] }
        const result = await standard.validate(read)
        // The validator's messages call the arguments `data`, a name that callers do not know.
        const issues = result.issues?.map(({ message }) => ({ message: message.replaceAll(/\bdata\//g, '') }))
        return issues === undefined ? result : { issues }
      },
    },
  }
}

/** Checked first, because all later readers of the arguments are recursive. Arguments as text count as what they say. */
function sizeProblem(given: Json): string | null {
  let level: unknown[] = [given]
  let values = 0
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === mostMessageDepth)
      return `The arguments nest more than ${mostMessageDepth} levels of brackets.`
    const inside = level.flatMap((value) => Object.values(value as object))
    values += inside.length
    if (values > mostMessageParts)
      return `The arguments have more than ${mostMessageParts} members and elements.`
    level = inside.filter((value) => typeof value === 'object' && value !== null)
  }
  return null
}

/** Where an argument is given in two spellings, the second keeps its name, so that it is refused. */
function asMeant(given: object, properties: Properties): Json {
  const present = Object.entries(given).filter(([, value]) => value !== null)
  const isOwn = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(properties, name)
  const read = new Map<string, unknown>()
  for (const [written, value] of [...present.filter(isOwn), ...present.filter((each) => !isOwn(each))]) {
    const name = nameOf(written, read, properties)
    const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined
    read.set(name, type === 'string' && typeof value === 'number' ? String(value) : textAs(type, value))
  }
  return Object.fromEntries(read)
}

/** Models that know GraphQL or SQL write its names of arguments, such as `groupBy` or `group_by` for `by`. */
function nameOf(written: string, read: ReadonlyMap<string, unknown>, properties: Properties): string {
  if (Object.hasOwn(properties, written)) return written
  const camel = written.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  const snake = written.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const meant = [snake, Object.hasOwn(toolNames, camel) ? toolNames[camel] : undefined]
  if (/^(?:sort|order|rank)(?:By)?$/.test(camel)) meant.push('sort', 'order')
  return meant.find((name) => name && Object.hasOwn(properties, name) && !read.has(name)) ?? written
}

function textAs(type: unknown, text: unknown): unknown {
  if (typeof text !== 'string') return text
  if (type === 'integer' && /^\d{1,6}$/.test(text.trim())) return Number(text)
  if (type !== 'array' && type !== 'object') return text
  if (/^\s*[[{]/.test(text)) return parseJson(text) ?? text
  return type === 'array' && text.trim() !== '' ? [text] : text
}

function problemIn(given: Json, tool: string, properties: Properties): string | null {
  const names = Object.keys(properties)
  for (const [name, value] of Object.entries(given)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    const { enum: allowed, minimum = -Infinity, maximum = Infinity } = property ?? {}
    if (allowed !== undefined && !allowed.includes(value)) return `${name} is one of ${allowed.join(', ')}.`
    const isInRange = typeof value === 'number' && value >= minimum && value <= maximum
    if (maximum < Infinity && !(isInRange && Number.isInteger(value)))
      return `${name} is an integer from ${minimum} to ${maximum}.`
    if (name === 'having' && Object.hasOwn(properties, 'min_count'))
      return `${tool} has no argument "having": min_count is the least count of a group. For conditions on a measure use having in run_graphql, or order by the measure.`
    if (property === undefined)
      return `${tool} has no argument "${name.slice(0, 60)}".${didYouMean(nearest(name, names))} It takes ${names.join(', ')}.`
  }
  return null
}
