/** Attacks on the agents' server: messages that are no questions, and requests that are no messages. */
import { type Attack, attacks, head, host, repeat, type Row, variants } from '../attack.ts'

const path = '/mcp'
const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'attacker', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** A POST of that body, as it is. */
export function sent(body: string, ...headers: readonly string[]): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    host,
    'accept: application/json, text/event-stream',
    'content-type: application/json',
    ...headers,
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return head(...lines) + body
}

type Params = Readonly<Record<string, unknown>>

/** Of the newer revision, which is answered in one piece. */
export function message(method: string, params: Params, ...headers: readonly string[]): string {
  const name = params['name']
  return sent(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modern } }),
    'mcp-protocol-version: 2026-07-28',
    `mcp-method: ${method}`,
    ...(typeof name === 'string' ? [`mcp-name: ${name}`] : []),
    ...headers,
  )
}

/** Of the older one, which is answered as a stream. */
function older(method: string, params: Params): string {
  return sent(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
}

const call = (name: string, args: Params): string => message('tools/call', { name, arguments: args })
const nested = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
const many = (count: number): readonly object[] => Array.from({ length: count }, () => ({}))
const names = `{ ${repeat(49_000, () => 'a')} }`

export const agentAttacks: readonly Attack[] = [
  ...attacks({ status: 403, code: null, leaves: 'open' }, [
    ...['https://evil.example', 'null', `https://${'x'.repeat(8_000)}.example`].map(
      (origin): Row => [
        `a page of ${origin.slice(0, 30)}`,
        sent('{}', `origin: ${origin}`),
        { says: /Invalid Origin/ },
      ],
    ),
    [
      'a preflight of another site',
      head(
        `OPTIONS ${path} HTTP/1.1`,
        host,
        'origin: https://evil.example',
        'access-control-request-method: POST',
      ),
    ],
    ['a body of 200 kB of a page of another site', sent(' '.repeat(200_000), 'origin: https://evil.example')],
  ]),
  ...attacks({ status: 403, code: null, leaves: 'closed' }, [
    [
      'a body that waits for leave, of a page of another site',
      sent('', 'origin: https://evil.example').replace('length: 0', 'length: 1000\r\nexpect: 100-continue'),
    ],
  ]),
  ...attacks({ status: 405, code: null, leaves: 'open' }, [
    ['a stream that is asked for', head(`GET ${path} HTTP/1.1`, host, 'accept: text/event-stream')],
    ...variants('the method', ['DELETE', 'OPTIONS', 'TRACE'], (method) =>
      head(`${method} ${path} HTTP/1.1`, host),
    ),
    ['a body by PUT', sent('x'.repeat(100_000)).replace('POST', 'PUT')],
  ]),
  ...attacks({ status: 413, code: null, leaves: 'closed' }, [
    [
      'a body over the limit that waits for leave',
      sent('').replace('length: 0', 'length: 300000\r\nexpect: 100-continue'),
      { says: /262144 bytes/ },
    ],
    ['a message of a megabyte', sent(' '.repeat(1_000_000)), { says: /262144 bytes/ }],
    [
      'run_graphql with a megabyte of names',
      call('run_graphql', { query: `{ ${repeat(500_000, () => 'a')} }` }),
    ],
  ]),
  ...attacks({ status: 400, code: null, leaves: 'open' }, [
    ['a key in the URL', head(`GET ${path}?key=1 HTTP/1.1`, host), { says: /A key in the URL is not read/ }],
    ['250,000 brackets', sent('['.repeat(250_000)), { says: /nests 250000 levels/ }],
    [
      'variables of 100,000 levels',
      sent(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${nested(100_000)}}`),
      { says: /nests 100002 levels/ },
    ],
    ...[
      message('nothing', { a: many(80_000) }),
      message('tools/list', { a: many(80_000) }),
      call('search_records', { a: many(80_000) }),
      older('ping', { a: many(80_000) }),
      older('initialize', { capabilities: { experimental: { a: many(80_000) } } }),
    ].map(
      (sent, index): Row => [`80,000 objects, form ${index + 1}`, sent, { says: /brackets; at most 5000/ }],
    ),
    ['a batch', sent('[{"jsonrpc":"2.0","id":1,"method":"ping"}]'), { says: /Batches are not taken/ }],
    ['half a message', sent('{"jsonrpc":'), { says: /Parse error/ }],
    [
      'no UTF-8',
      Buffer.from(sent('{"a":"\u00ff"}').replace('length: 10', 'length: 9'), 'latin1'),
      { says: /not valid UTF-8/ },
    ],
    [
      'an answer nobody asked for',
      sent(
        JSON.stringify({ jsonrpc: '2.0', id: 1, result: { a: many(80_000) } }),
        'mcp-protocol-version: 2026-07-28',
      ),
    ],
  ]),
  ...attacks({ status: 200, code: null, leaves: 'open' }, [
    [
      '60,000 members of filters as text',
      call('search_records', { collection: 'article', filters: `[${'{},'.repeat(60_000)}{}]` }),
      { says: /more than 5000/ },
    ],
    ...[{}, { validate: true }].flatMap((given): readonly Row[] => [
      [
        `run_graphql with 49,000 names and ${JSON.stringify(given)}`,
        call('run_graphql', { ...given, query: names }),
        { says: /too many tokens/ },
      ],
      [
        `run_graphql with variables as text of 100,000 levels and ${JSON.stringify(given)}`,
        call('run_graphql', { ...given, query: '{ __typename }', variables: nested(100_000) }),
        { says: /nest more than 256 levels/ },
      ],
    ]),
    [
      'run_graphql with 100,000 brackets',
      call('run_graphql', { query: '{'.repeat(100_000) }),
      { says: /nested too deep|too many/ },
    ],
    [
      'run_graphql with variables as text of 250,000 brackets',
      call('run_graphql', { query: '{ __typename }', variables: '['.repeat(250_000), validate: true }),
      { says: /variables must be object/ },
    ],
    [
      'filters as text of 100,000 levels',
      call('search_records', { collection: 'article', filters: nested(100_000) }),
      { says: /nest more than 256 levels/ },
    ],
    [
      'a collection of 250,000 characters',
      call('search_records', { collection: 'x'.repeat(250_000) }),
      { says: /no collection/ },
    ],
    [
      'the older revision: run_graphql with variables as text of 100,000 levels',
      older('tools/call', {
        name: 'run_graphql',
        arguments: { query: '{ __typename }', variables: nested(100_000) },
      }),
      { says: /nest more than 256 levels/ },
    ],
  ]),
]
