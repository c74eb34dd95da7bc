/** Attacks with bodies: what is no JSON, JSON that is strange, other media types, charsets and encodings. */
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { asked, type Attack, attacks, got, head, host, path, posted, repeat, variants } from '../attack.ts'

const question = '{"query":"{ __typename }"}'
const type = (value: string): readonly string[] => [`content-type: ${value}`]
const json = 'content-type: application/json'
const coded = (coding: string, bytes: Uint8Array): Uint8Array =>
  posted(bytes, [json, `content-encoding: ${coding}`])
const chunked = (headers: readonly string[], body: string): string =>
  `${head(`POST ${path} HTTP/1.1`, host, ...headers, 'transfer-encoding: chunked')}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

const asIs = (body: string): Uint8Array => posted(body)
/** Those that a page may send without permission of the browser. */
const simpleTypes = ['text/plain', 'text/plain; application/json', 'application/octet-stream', '*/*']
const nearlyJson = ['graphql', 'graphql+json', 'xml', 'jsonp', 'json5', 'x-ndjson', 'cbor'].map(
  (name) => `application/${name}`,
)
const noTypes = ['', 'application/json, text/plain', 'application /json', 'json', '__proto__']

/** A gigabyte of zeros, gzip in gzip: some kilobytes that are a megabyte that is all. */
const zeros = Buffer.alloc(16 * 1024 * 1024)
const bomb = gzipSync(Buffer.concat(Array<Buffer>(64).fill(gzipSync(zeros))))
const brotliBomb = brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })

export const mediaAttacks: readonly Attack[] = [
  ...attacks({ status: 400, code: 'BAD_REQUEST', leaves: 'open' }, [
    ...variants('JSON that is cut off:', ['{"query":"{ __ty', '{"query":"\\u00', '{"query":"{ a }"'], asIs),
    ['JSON that is cut off in a character', posted(Buffer.from('{"query":"é').subarray(0, -1))],
    ...variants('more than one document:', [`${question}}`, `${question}\n${question}`], asIs),
    ...variants(
      'another language:',
      ['{ __typename }', 'query: "{ a }"', 'query=%7Ba%7D', '<a>&b;</a>'],
      asIs,
    ),
    ...variants('nearly JSON:', [`/* */${question}`, "{'query':'{ a }'}", '{"query":"{ a }",}'], asIs),
    ...variants(
      'what JSON does not have:',
      ['{"query":"{ a }","variables":{"a":NaN}}', '{"query":"{\na }"}'],
      asIs,
    ),
    ...variants('NUL:', ['{"query":"{ a \0}"}', `${question}\0`], asIs),
    ['a byte order mark', posted(`\ufeff${question}`)],
    ['UTF-16, little endian', posted(Buffer.from(question, 'utf16le'))],
    [
      'UTF-16 with a byte order mark',
      posted(Buffer.concat([Buffer.from('fffe', 'hex'), Buffer.from(question, 'utf16le')])),
    ],
    ['Latin-1', posted(Buffer.from('{"query":"{ __typename } # é"}', 'latin1'))],
    // Overlong, beyond U+10FFFF, and half of a surrogate pair.
    ...variants('no UTF-8:', ['c0af', 'f4908080', 'eda080'], (bytes) =>
      posted(Buffer.concat([Buffer.from('{"query":"'), Buffer.from(bytes, 'hex'), Buffer.from('"}')])),
    ),
    [
      'random bytes',
      posted(
        Buffer.from(
          repeat(5_000, (index) => String.fromCharCode((index * 7919) % 256), ''),
          'latin1',
        ),
      ),
    ],
    ['a megabyte of white space', posted(' '.repeat(1_000_000))],
    ['a megabyte of one string that is not closed', posted(`{"query":"${'x'.repeat(1_000_000)}`)],
    ['a batch', posted(`[${question},${question}]`)],
    ['an empty batch', posted('[]')],
    ['a batch of 30,000', posted(`[${repeat(30_000, () => question, ',')}]`)],
    ['a batch by numbers', posted(`{"0":${question},"1":${question}}`)],
    ...variants('JSON of another kind:', ['"{ __typename }"', 'null', 'true', '1e400'], asIs),
    ['a number of a million digits', posted('9'.repeat(1_000_000))],
    ...variants(
      'a query of',
      ['1e400', '{"toString":"{ a }"}', '["{ a }"]', '"{ a }","query":null'],
      (query) => posted(`{"query":${query}}`),
    ),
    ['a query that is inherited', posted(`{"__proto__":${question}}`)],
    ['a query of the constructor', posted(`{"constructor":{"prototype":${question}}}`)],
    ['QUERY in capitals', posted('{"QUERY":"{ __typename }"}')],
    ...variants(
      'beside the query',
      ['variables":"{}"', 'variables":[]', 'operationName":{}', 'extensions":[]'],
      (member) => posted(`{"query":"{ a }","${member}}`),
    ),
    [
      '10,000 keys that collide',
      posted(`{${repeat(10_000, (index) => `"${index * 4_294_967_296}":1`, ',')}}`),
    ],
    [
      '200 brackets that are not closed',
      posted(`{"query":"{ __typename }","variables":{"a":${'['.repeat(200)}`),
    ],
  ]),
  ...attacks({ status: 200, code: 'PERSISTED_QUERY_NOT_SUPPORTED', leaves: 'open' }, [
    ['a persisted query', posted('{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"00"}}}')],
  ]),
  ...attacks({ status: 400, code: 'QUERY_TOO_COMPLEX', leaves: 'open' }, [
    ['JSON of 500,000 brackets', posted('['.repeat(500_000))],
    ['JSON of 200,000 objects', posted('{"a":'.repeat(200_000))],
    [
      'variables of 300 levels',
      asked('{ __typename }', { a: JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`) }),
    ],
    [
      'extensions of 300 levels',
      posted(`{"query":"{ __typename }","extensions":{"a":${'['.repeat(300)}${']'.repeat(300)}}}`),
    ],
    [
      '25,000 names in variables',
      posted(
        `{"query":"{ __typename }","variables":{"a":{${repeat(25_000, (index) => `"a${index}":1`, ',')}}}}`,
      ),
    ],
    ['deep variables in the URL', got(`query=%7B__typename%7D&variables=${'['.repeat(5_000)}`)],
  ]),
  ...attacks({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', leaves: 'open' }, [
    ['no Content-Type', posted(question, [])],
    ...variants('the type', [...simpleTypes, ...nearlyJson, ...noTypes], (name) =>
      posted(question, type(name)),
    ),
    ['a form', posted('query=%7B__typename%7D', type('application/x-www-form-urlencoded'))],
    ...variants('a multipart form with', ['query', 'operations'], (name) =>
      posted(
        `--a\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n{}\r\n--a--`,
        type('multipart/form-data; boundary=a'),
      ),
    ),
    [
      'a multipart boundary of 10,000 characters',
      posted('', type(`multipart/form-data; boundary=${'a'.repeat(10_000)}`)),
    ],
    ['a type of 10,000 slashes', posted(question, type('/'.repeat(10_000)))],
    ['a first type that is not JSON', posted(question, [...type('text/plain'), json])],
    ['charset=utf-16', posted(Buffer.from(question, 'utf16le'), type('application/json; charset=utf-16'))],
    ...variants('the charset', ['utf-7', 'iso-8859-1', '"ascii"'], (charset) =>
      posted(question, type(`application/json; charset=${charset}`)),
    ),
    [
      'charset of 10,000 characters',
      posted(question, type(`application/json; charset=${'x'.repeat(10_000)}`)),
    ],
    ['a bomb of gzip', coded('gzip', bomb)],
    ['a bomb of deflate', coded('deflate', deflateSync(zeros))],
    ['a bomb of brotli', coded('br', brotliBomb)],
    ['a bomb of zstd', coded('zstd', zstdCompressSync(zeros))],
    ['gzip twice', coded('gzip, gzip', gzipSync(gzipSync(question)))],
    ['a coding that nobody knows', coded('magic', Buffer.from(question))],
    ['Content-Encoding: identity', coded('identity', Buffer.from(question))],
    ['an empty Content-Encoding', coded('', Buffer.from(question))],
  ]),
  ...attacks({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', leaves: 'closed' }, [
    ['Transfer-Encoding: gzip, chunked', chunked([json, 'transfer-encoding: gzip'], question)],
  ]),
  ...attacks({ status: 413, code: 'PAYLOAD_TOO_LARGE', leaves: 'closed' }, [
    ['a megabyte and a byte', posted(`${question}${' '.repeat(1_048_577 - question.length)}`)],
    ['ten megabytes of brackets', posted('['.repeat(10_000_000))],
    ['ten megabytes of gzip', coded('gzip', Buffer.alloc(10_000_000))],
  ]),
  ...attacks({ status: 400, code: 'BAD_USER_INPUT', leaves: 'open' }, [
    ...variants('the operation', ['__proto__', 'constructor'], (name) =>
      posted(`{"query":"query A { __typename }","operationName":"${name}"}`),
    ),
    [
      'operationName of 500,000 characters',
      posted(`{"query":"query A { __typename }","operationName":"${'x'.repeat(500_000)}"}`),
    ],
    ...variants('the integer', ['1e400', '9'.repeat(300)], (number) =>
      posted(
        `{"query":"query ($x: Int) { techServiceNewsArticle(first: $x) { totalCount } }","variables":{"x":${number}}}`,
      ),
    ),
  ]),
  ...attacks({ status: 200, code: null, leaves: 'open' }, [
    ['a megabyte with a question in it', posted(`${' '.repeat(1_000_000)}${question}`)],
    ['APPLICATION/JSON', posted(question, type('APPLICATION/JSON'))],
    ['charset=utf8 in capitals and quotes', posted(question, type('application/json; charset="UTF-8"'))],
    ['parameters that mean nothing', posted(question, type('application/json; odd=yes; version=1; q=0'))],
    ['a first type that is JSON', posted(question, [json, ...type('text/plain')])],
    ['a member twice', posted('{"query":"{","query":"{ __typename }"}')],
    ['a member twice, once by an escape', posted('{"query":"{","\\u0071uery":"{ __typename }"}')],
    ['unknown members', posted('{"query":"{ __typename }","id":1,"admin":true,"token":"x"}')],
    ['__proto__ beside the query', posted('{"query":"{ __typename }","__proto__":{"query":1,"polluted":1}}')],
    [
      '__proto__ in the variables',
      posted(
        '{"query":"{ __typename }","variables":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}',
      ),
    ],
    [
      '__proto__ in the extensions',
      posted('{"query":"{ __typename }","extensions":{"__proto__":{"polluted":1}}}'),
    ],
    [
      'variables called like properties',
      posted(
        '{"query":"query ($toString: Int, $constructor: Int, $__proto__: Int) { techServiceNewsArticle(first: $toString) { a: totalCount } techServiceNewsSource(first: $constructor) { a: totalCount } techServiceNewsEnrichment(first: $__proto__) { a: totalCount } }","variables":{"toString":1,"constructor":1,"__proto__":1}}',
      ),
    ],
    [
      'half a surrogate pair in an escape that nobody reads',
      posted('{"query":"{ __typename }","id":"\\ud800"}'),
    ],
    [
      '1e400 in a variable that is not declared',
      posted('{"query":"{ __typename }","variables":{"a":1e400,"b":-1e400}}'),
    ],
    [
      '5,000 variables that are not declared',
      posted(`{"query":"{ __typename }","variables":{${repeat(5_000, (index) => `"a${index}":1`, ',')}}}`),
    ],
    [
      '250 levels in variables that are not declared',
      asked('{ __typename }', { a: JSON.parse(`${'['.repeat(250)}${']'.repeat(250)}`) }),
    ],
  ]),
]
