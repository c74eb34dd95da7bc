/** Attacks with bodies: what is no JSON, JSON that is strange, other media types, charsets and encodings. */
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { asked, type Attack, attacks, got, head, host, path, posted, repeat } from '../attack.ts'

const question = '{"query":"{ __typename }"}'
const type = (value: string): readonly string[] => [`content-type: ${value}`]
const json = 'content-type: application/json'
const coded = (coding: string, bytes: Uint8Array): Uint8Array =>
  posted(bytes, [json, `content-encoding: ${coding}`])
const chunked = (headers: readonly string[], body: string): string =>
  `${head(`POST ${path} HTTP/1.1`, host, ...headers, 'transfer-encoding: chunked')}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

/** A gigabyte of zeros, gzip in gzip: some kilobytes that are a megabyte that is all. */
const zeros = Buffer.alloc(16 * 1024 * 1024)
const bomb = gzipSync(Buffer.concat(Array<Buffer>(64).fill(gzipSync(zeros))))
const brotliBomb = brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })

export const mediaAttacks: readonly Attack[] = [
  ...attacks({ status: 400, code: 'BAD_REQUEST', leaves: 'open' }, [
    ['JSON that is cut off in a string', posted('{"query":"{ __ty')],
    ['JSON that is cut off in an escape', posted('{"query":"\\u00')],
    ['JSON that is cut off in a character', posted(Buffer.from('{"query":"é').subarray(0, -1))],
    ['JSON that is cut off before its end', posted('{"query":"{ __typename }"')],
    ['JSON with something after it', posted(`${question}}`)],
    ['two JSON documents', posted(`${question}\n${question}`)],
    ['GraphQL instead of JSON', posted('{ __typename }')],
    ['XML', posted('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>')],
    ['YAML', posted('query: "{ __typename }"')],
    ['a form under the name of JSON', posted('query=%7B__typename%7D')],
    ['JSON with a comment', posted(`/* */${question}`)],
    ['JSON with a comma too many', posted('{"query":"{ __typename }",}')],
    ['JSON with single quotes', posted("{'query':'{ __typename }'}")],
    ['JSON with NaN', posted('{"query":"{ __typename }","variables":{"a":NaN}}')],
    ['JSON with a bare line break', posted('{"query":"{\n__typename }"}')],
    ['NUL in JSON', posted('{"query":"{ __typename \0}"}')],
    ['NUL after JSON', posted(`${question}\0`)],
    ['a byte order mark', posted(`\ufeff${question}`)],
    ['UTF-16, little endian', posted(Buffer.from(question, 'utf16le'))],
    [
      'UTF-16 with a byte order mark',
      posted(Buffer.concat([Buffer.from('fffe', 'hex'), Buffer.from(question, 'utf16le')])),
    ],
    ['Latin-1', posted(Buffer.from('{"query":"{ __typename } # é"}', 'latin1'))],
    [
      'overlong UTF-8',
      posted(Buffer.concat([Buffer.from('{"query":"'), Buffer.from('c0af', 'hex'), Buffer.from('"}')])),
    ],
    [
      'UTF-8 beyond U+10FFFF',
      posted(Buffer.concat([Buffer.from('{"query":"'), Buffer.from('f4908080', 'hex'), Buffer.from('"}')])),
    ],
    [
      'half a surrogate pair in UTF-8',
      posted(Buffer.concat([Buffer.from('{"query":"'), Buffer.from('eda080', 'hex'), Buffer.from('"}')])),
    ],
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
    ['a string', posted('"{ __typename }"')],
    ['null', posted('null')],
    ['true', posted('true')],
    ['1e400', posted('1e400')],
    ['a number of a million digits', posted('9'.repeat(1_000_000))],
    ['a number as query', posted('{"query":1e400}')],
    ['an object as query', posted('{"query":{"toString":"{ __typename }"}}')],
    ['an array as query', posted('{"query":["{ __typename }"]}')],
    ['a query that is inherited', posted(`{"__proto__":${question}}`)],
    ['a query of the constructor', posted(`{"constructor":{"prototype":${question}}}`)],
    ['QUERY in capitals', posted('{"QUERY":"{ __typename }"}')],
    ['variables in a string', posted('{"query":"{ __typename }","variables":"{}"}')],
    ['variables in an array', posted('{"query":"{ __typename }","variables":[]}')],
    ['operationName as an object', posted('{"query":"{ __typename }","operationName":{"length":1}}')],
    ['extensions in an array', posted('{"query":"{ __typename }","extensions":[]}')],
    ['a query last but null', posted('{"query":"{ __typename }","query":null}')],
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
    ['deep variables in the URL', got(`query=%7B__typename%7D&variables=${'['.repeat(5_000)}`)],
  ]),
  ...attacks({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', leaves: 'open' }, [
    ['no Content-Type', posted(question, [])],
    ['an empty Content-Type', posted(question, type(''))],
    ['text/plain, which needs no permission of a browser', posted(question, type('text/plain'))],
    ['text/plain that says application/json', posted(question, type('text/plain; application/json'))],
    ['a form', posted('query=%7B__typename%7D', type('application/x-www-form-urlencoded'))],
    [
      'a multipart form',
      posted(
        '--a\r\ncontent-disposition: form-data; name="query"\r\n\r\n{ __typename }\r\n--a--',
        type('multipart/form-data; boundary=a'),
      ),
    ],
    [
      'a multipart upload',
      posted(
        '--a\r\ncontent-disposition: form-data; name="operations"\r\n\r\n{}\r\n--a--',
        type('multipart/form-data; boundary=a'),
      ),
    ],
    [
      'a multipart boundary of 10,000 characters',
      posted('', type(`multipart/form-data; boundary=${'a'.repeat(10_000)}`)),
    ],
    ['application/graphql', posted('{ __typename }', type('application/graphql'))],
    ['application/graphql+json', posted(question, type('application/graphql+json'))],
    ['application/xml', posted('<a/>', type('application/xml'))],
    ['application/jsonp', posted(question, type('application/jsonp'))],
    ['application/json5', posted(question, type('application/json5'))],
    ['application/x-ndjson', posted(question, type('application/x-ndjson'))],
    ['application/octet-stream', posted(question, type('application/octet-stream'))],
    ['application/cbor', posted(Buffer.from('a165717565727900', 'hex'), type('application/cbor'))],
    ['two types with a comma', posted(question, type('application/json, text/plain'))],
    ['a type with a space in it', posted(question, type('application /json'))],
    ['a type without a slash', posted(question, type('json'))],
    ['*/*', posted(question, type('*/*'))],
    ['__proto__', posted(question, type('__proto__'))],
    ['a type of 10,000 slashes', posted(question, type('/'.repeat(10_000)))],
    ['a first type that is not JSON', posted(question, [...type('text/plain'), json])],
  ]),
  ...attacks({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', leaves: 'open' }, [
    ['charset=utf-16', posted(Buffer.from(question, 'utf16le'), type('application/json; charset=utf-16'))],
    ['charset=utf-7', posted(question, type('application/json; charset=utf-7'))],
    ['charset=iso-8859-1', posted(question, type('application/json; charset=iso-8859-1'))],
    ['charset="ascii"', posted(question, type('application/json; charset="ascii"'))],
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
    ['operationName: __proto__', posted('{"query":"query A { __typename }","operationName":"__proto__"}')],
    [
      'operationName: constructor',
      posted('{"query":"query A { __typename }","operationName":"constructor"}'),
    ],
    [
      'operationName of 500,000 characters',
      posted(`{"query":"query A { __typename }","operationName":"${'x'.repeat(500_000)}"}`),
    ],
    [
      'a huge number as an integer',
      posted(
        '{"query":"query ($x: Int) { techServiceNewsArticle(first: $x) { totalCount } }","variables":{"x":1e400}}',
      ),
    ],
    [
      'a number of 300 digits as an integer',
      posted(
        `{"query":"query ($x: Int) { techServiceNewsArticle(first: $x) { totalCount } }","variables":{"x":${'9'.repeat(300)}}}`,
      ),
    ],
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
      '25,000 variables that are not declared',
      posted(`{"query":"{ __typename }","variables":{${repeat(25_000, (index) => `"a${index}":1`, ',')}}}`),
    ],
    [
      '250 levels in variables that are not declared',
      asked('{ __typename }', { a: JSON.parse(`${'['.repeat(250)}${']'.repeat(250)}`) }),
    ],
  ]),
]
