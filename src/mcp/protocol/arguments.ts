/**
 * Converts and validates the arguments of tools. Models send null for omitted arguments, and lists and objects as text;
 * both are accepted. Errors name the wrong argument, because the schema validator does not.
 */
import {
  fromJsonSchema,
  type JsonSchemaType,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import { nearest } from '../../util/text/nearest.ts'
import { mostMessageDepth } from './message.ts'
import type { Tool } from '../tools/tool.ts'

type Arguments = Readonly<Record<string, unknown>>
type Checked = Awaited<ReturnType<StandardSchemaWithJSON<Arguments>['~standard']['validate']>>
interface Property {
  readonly type?: unknown
  readonly enum?: readonly unknown[]
}

export function readArguments(tool: Pick<Tool, 'name' | 'inputSchema'>): StandardSchemaWithJSON<Arguments> {
  const schema = fromJsonSchema<Arguments>(tool.inputSchema as JsonSchemaType)
  const standard = schema['~standard']
  const properties = (tool.inputSchema['properties'] ?? {}) as Readonly<Record<string, Property>>
  const isClosed = tool.inputSchema['additionalProperties'] === false
  return {
    '~standard': {
      ...standard,
      validate(given) {
        if (typeof given !== 'object' || given === null) return standard.validate(given)
        const read = asMeant(given, properties)
        const problem = isTooDeep(read)
          ? `The arguments nest more than ${mostMessageDepth} levels of brackets.`
          : problemIn(read, tool.name, properties, isClosed)
        return problem === null ? told(standard.validate(read)) : { issues: [{ message: problem }] }
      },
    },
  }
}

/** The validator's messages call the arguments `data`, a name that callers do not know. */
function told(result: Checked | Promise<Checked>): Checked | Promise<Checked> {
  if (result instanceof Promise) return result.then(told)
  return result.issues === undefined
    ? result
    : { issues: result.issues.map(({ message }) => ({ message: message.replaceAll(/\bdata\//g, '') })) }
}

/** Checked first, because all later readers of the arguments are recursive. */
function isTooDeep(given: Arguments): boolean {
  let level: unknown[] = [given]
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > mostMessageDepth) return true
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null
        ? Object.values(value).filter((inner) => typeof inner === 'object' && inner !== null)
        : [],
    )
  }
  return false
}

function asMeant(given: object, properties: Readonly<Record<string, Property>>): Arguments {
  const present = Object.entries(given).filter(([, value]) => value !== null)
  return Object.fromEntries(
    present.map(([name, value]) => [
      name,
      typeof value === 'string' && Object.hasOwn(properties, name)
        ? textAs(properties[name]?.type, value)
        : value,
    ]),
  )
}

function textAs(type: unknown, text: string): unknown {
  if (type === 'integer' && /^\d{1,6}$/.test(text.trim())) return Number(text)
  if (type !== 'array' && type !== 'object') return text
  if (/^\s*[[{]/.test(text))
    try {
      return JSON.parse(text) as unknown
    } catch {
      return text
    }
  return type === 'array' && text.trim() !== '' ? [text] : text
}

function problemIn(
  given: Arguments,
  tool: string,
  properties: Readonly<Record<string, Property>>,
  isClosed: boolean,
): string | null {
  const names = Object.keys(properties)
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(properties, name)) {
      if (!isClosed) continue
      const near = nearest(name, names)
      const meant = near === null ? '' : ` Did you mean "${near}"?`
      return `${tool} has no argument "${name.slice(0, 60)}".${meant} It takes ${names.join(', ')}.`
    }
    const allowed = properties[name]?.enum
    if (allowed !== undefined && !allowed.includes(value)) return `${name} is one of ${allowed.join(', ')}.`
  }
  return null
}
