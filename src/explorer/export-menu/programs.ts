/** The query of a panel as commands and programs. Values come from addresses, so each is written as a literal. */
import { longestAddress } from '../addresses.ts'
import type { Operation } from '../../ask/operation.ts'

/** `endpoint`: the whole address of the GraphQL service. Long operations are sent by POST. */
export function curlCommand({ query, variables }: Operation, endpoint: string): string {
  const json = asciiJson(variables)
  const length = encodeURIComponent(query).length + encodeURIComponent(json).length
  if (length <= longestAddress)
    return [
      `curl -s --get ${shellText(endpoint)}`,
      `  --data-urlencode ${shellText(`query=${query}`)}`,
      ...(Object.keys(variables).length === 0
        ? []
        : [`  --data-urlencode ${shellText(`variables=${json}`)}`]),
    ].join(' \\\n')
  return [
    `curl -s ${shellText(endpoint)} -H 'content-type: application/json' --data-binary @- <<'JSON'`,
    asciiJson({ query, variables }),
    'JSON',
  ].join('\n')
}

function shellText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Python 3 without packages. */
export function pythonProgram({ query, variables }: Operation, endpoint: string): string {
  return `import json
from urllib.request import Request, urlopen

query = """
${query}
"""
variables = ${pythonLiteral(variables)}

request = Request(
    "${endpoint}",
    data=json.dumps({"query": query, "variables": variables}).encode(),
    headers={"content-type": "application/json"},
)
with urlopen(request) as response:
    answer = json.load(response)
print(json.dumps(answer, indent=2, ensure_ascii=False))`
}

/** R without packages. `csv`: the whole address of a file. Only a blank is missing: `NA` is Namibia. */
export function rProgram(csv: string): string {
  return `records <- read.csv(
  "${csv}",
  encoding = "UTF-8",
  na.strings = ""
)
str(records)`
}

/** `True`, `None` and the like; texts as in JSON, whose escapes Python has too. */
function pythonLiteral(value: unknown, indent = ''): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return ascii(JSON.stringify(value))
  const inner = `${indent}    `
  const pair = ([name, each]: readonly [string, unknown]) =>
    `${pythonLiteral(name)}: ${pythonLiteral(each, inner)}`
  const [open, close, members] = Array.isArray(value)
    ? ['[', ']', value.map((each) => pythonLiteral(each, inner))]
    : ['{', '}', Object.entries(value).map(pair)]
  if (members.length === 0) return open + close
  return `${open}\n${members.map((each) => `${inner}${each},\n`).join('')}${indent}${close}`
}

function asciiJson(value: unknown): string {
  return ascii(JSON.stringify(value, null, 2))
}

/** Characters that turn the direction of a text or are invisible become escapes: a program shows what it does. */
function ascii(json: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return json.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === '\n' ? character : character.split('').map(escaped).join(''),
  )
}
