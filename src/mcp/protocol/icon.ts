/** The icon of the program, drawn on a grid of 16 by 16 squares: three records, and two references between them. */
import { crc32, deflateSync } from 'node:zlib'

/** ` ` is transparent, `.` the background, `#` the drawing. */
const grid = [
  ' .............. ',
  '................',
  '..####..........',
  '..####..........',
  '..#####.........',
  '..######........',
  '......########..',
  '.......#######..',
  '.......#######..',
  '......########..',
  '..######........',
  '..#####.........',
  '..####..........',
  '..####..........',
  '................',
  ' .............. ',
]
const colours = { ' ': 0, '.': 1, '#': 2 } as Readonly<Record<string, number>>
/** Red, green and blue of each colour; only the first is transparent. */
const palette = [0, 0, 0, 31, 78, 121, 255, 255, 255]

/** The icon for clients, by value, because a client may not reach any address of this server. */
export const icons = [
  { src: `data:image/png;base64,${drawIcon(4).toString('base64')}`, mimeType: 'image/png', sizes: ['64x64'] },
]

/** A PNG whose squares are `scale` pixels wide. */
export function drawIcon(scale: number): Buffer {
  const size = grid.length * scale
  const rows = grid.flatMap((row) => {
    const line = Uint8Array.from(Array.from(row).flatMap((square) => Array(scale).fill(colours[square] ?? 0)))
    // Each row begins with the number of its filter.
    return Array<Buffer>(scale).fill(Buffer.from([0, ...line]))
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  // Eight bits for each pixel, which are an index of the palette.
  header.set([8, 3], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette)),
    chunk('tRNS', Buffer.from([0])),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const numbers = Buffer.alloc(8)
  numbers.writeUInt32BE(data.length, 0)
  numbers.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([numbers.subarray(0, 4), body, numbers.subarray(4)])
}
