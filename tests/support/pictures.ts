import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { crc32, deflateSync, gzipSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'

/** Colors of the quarters of `quarters`, by row: they show how a picture was rotated and cropped. */
export const COLOURS = {
  red: [220, 30, 30],
  green: [30, 200, 60],
  blue: [40, 60, 220],
  yellow: [235, 220, 40],
} as const
export type Colour = keyof typeof COLOURS
const order: readonly Colour[] = ['red', 'green', 'blue', 'yellow']

type Pixel = readonly number[]
function raw(width: number, height: number, at: (x: number, y: number) => Pixel, channels: 3 | 4 = 3): Sharp {
  const bytes = Buffer.alloc(width * height * channels)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) bytes.set(at(x, y), (y * width + x) * channels)
  return sharp(bytes, { raw: { width, height, channels } })
}
const quarter =
  (width: number, height: number) =>
  (x: number, y: number): Pixel =>
    COLOURS[order[(y * 2 >= height ? 2 : 0) + (x * 2 >= width ? 1 : 0)] as Colour]

/** Red and green above blue and yellow. */
export const quarters = (width = 120, height = 80): Sharp => raw(width, height, quarter(width, height))

/** The same picture stored rotated, with the matching EXIF orientation. */
export function turned(orientation: number, width = 120, height = 80): Promise<Buffer> {
  const at = quarter(width, height)
  const [w, h] = [width - 1, height - 1]
  const stored: { [o: number]: (x: number, y: number) => Pixel } = {
    1: (x, y) => at(x, y),
    2: (x, y) => at(w - x, y),
    3: (x, y) => at(w - x, h - y),
    4: (x, y) => at(x, h - y),
    5: (x, y) => at(y, x),
    6: (x, y) => at(w - y, x),
    7: (x, y) => at(w - y, h - x),
    8: (x, y) => at(y, h - x),
  }
  const across = orientation >= 5
  return raw(across ? height : width, across ? width : height, stored[orientation] as typeof at)
    .jpeg({ quality: 95 })
    .withMetadata({ orientation })
    .toBuffer()
}

/** Something like a photograph: gradients with noise, so that it compresses realistically. */
export function photo(width: number, height: number, seed = 1): Sharp {
  const bytes = Buffer.alloc(width * height * 3)
  let random = seed
  for (let i = 0, y = 0; y < height; y++)
    for (let x = 0; x < width; x++, i += 3) {
      random = (random * 1103515245 + 12345) & 0x7fffffff
      const noise = random >> 26
      bytes[i] = ((x * 255) / width + noise) & 255
      bytes[i + 1] = ((y * 255) / height + noise) & 255
      bytes[i + 2] = (128 + 90 * Math.sin((x + y) / 40) + noise) & 255
    }
  return sharp(bytes, { raw: { width, height, channels: 3 } })
}

/** Frames of one color each, stacked vertically as sharp expects. */
export function frames(colours: readonly Colour[], width = 40, height = 30): Sharp {
  const bytes = Buffer.alloc(width * height * colours.length * 3)
  for (let i = 0; i < bytes.length; i += 3)
    bytes.set(COLOURS[colours[Math.floor(i / 3 / (width * height))] as Colour], i)
  return sharp(bytes, { raw: { width, height: height * colours.length, channels: 3, pageHeight: height } })
}
const moving: readonly Colour[] = ['red', 'green', 'blue']
export const animatedGif = () =>
  frames(moving)
    .gif({ delay: [50, 60, 70], loop: 0 })
    .toBuffer()
export const animatedWebp = () =>
  frames(moving)
    .webp({ lossless: true, delay: [50, 60, 70] })
    .toBuffer()

function chunk(type: string, body: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type), body])
  const out = Buffer.alloc(named.length + 8)
  out.writeUInt32BE(body.length)
  named.copy(out, 4)
  out.writeUInt32BE(crc32(named), out.length - 4)
  return out
}
/** A PNG with a few bytes that declares this size. */
export function declaredPng(width: number, height: number, { interlaced = false } = {}): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, interlaced ? 1 : 0], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.alloc(100_000))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
/** A small JPEG that declares this size. */
export async function declaredJpeg(width: number, height: number, progressive = false): Promise<Buffer> {
  const bytes = await quarters().jpeg({ progressive }).toBuffer()
  const frame = bytes.indexOf(Buffer.from([0xff, progressive ? 0xc2 : 0xc0, 0]))
  bytes.writeUInt16BE(height, frame + 5)
  bytes.writeUInt16BE(width, frame + 7)
  return bytes
}
/** A small AVIF that declares this size. */
export const declaredAvif = async (width: number, height: number): Promise<Buffer> =>
  declareAvif(await quarters().avif({ effort: 0 }).toBuffer(), width, height)
function declareAvif(bytes: Buffer, width: number, height: number): Buffer {
  const box = bytes.indexOf('ispe')
  bytes.writeUInt32BE(width, box + 8)
  bytes.writeUInt32BE(height, box + 12)
  return bytes
}
/** A small GIF whose frame declares this size, and whose screen another where one is given. */
export function declaredGif(width: number, height: number, [across, down] = [width, height]): Buffer {
  const bytes = Buffer.from('47494638396100000000f00000ff0000ffffff2c0000000000000000000202440100', 'hex')
  bytes.writeUInt16LE(across, 6)
  bytes.writeUInt16LE(down, 8)
  bytes.writeUInt16LE(width, 24)
  bytes.writeUInt16LE(height, 26)
  return Buffer.concat([bytes, Buffer.from([0x3b])])
}

/** A TIFF with any number of pages, each a single white pixel; the first page's tags can be changed. */
export function tiffOfPages(count: number, first: { [tag: number]: number } = {}): Buffer {
  const entries = [256, 257, 258, 259, 262, 273, 277, 278, 279]
  const length = 2 + 12 * entries.length + 4
  const bytes = Buffer.alloc(8 + count * length + 16, 0xff)
  bytes.write('II*\0', 'latin1')
  bytes.writeUInt32LE(8, 4)
  for (let page = 0; page < count; page++) {
    let at = bytes.writeUInt16LE(entries.length, 8 + page * length)
    for (const tag of entries) {
      const value = (page === 0 ? first[tag] : undefined) ?? (tag === 258 ? 8 : tag === 273 ? 8 + count * length : 1)
      at = bytes.writeUInt16LE(tag, at)
      at = bytes.writeUInt16LE(4, at)
      at = bytes.writeUInt32LE(1, at)
      at = bytes.writeUInt32LE(value, at)
    }
    bytes.writeUInt32LE(page === count - 1 ? 0 : 8 + (page + 1) * length, at)
  }
  return bytes
}
export const declaredTiff = (width: number, height: number): Buffer => tiffOfPages(1, { 256: width, 257: height })

const segment = (marker: number, body: Uint8Array): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([head, body])
}
/** A JPEG with an additional segment at its start. */
const withSegment = (jpeg: Buffer, marker: number, body: Uint8Array): Buffer =>
  Buffer.concat([jpeg.subarray(0, 2), segment(marker, body), jpeg.subarray(2)])
/** A JPEG with a whole small one in a segment, as cameras write. */
const withThumbnail = async (): Promise<Buffer> =>
  withSegment(await quarters().jpeg().toBuffer(), 0xe1, await quarters(12, 8).jpeg().toBuffer())
/** A PNG with an additional chunk after its header. */
const withChunk = (png: Buffer, type: string, body: Uint8Array): Buffer =>
  Buffer.concat([png.subarray(0, 33), chunk(type, body), png.subarray(33)])

/**
 * A progressive JPEG of 25 grey megapixels whose scans take some 50 bytes each and contain nothing, as the standard allows.
 * `between` comes before the second scan.
 */
export function jpegOfScans(scans: number, between: Uint8Array = Buffer.alloc(0)): Buffer {
  const side = 4992
  const blocks = (side / 8) ** 2
  const table = (id: number, symbol: number) => segment(0xc4, Buffer.from([id, 1, ...Array(15).fill(0), symbol]))
  const scan = (from: number, to: number, bits: number) => segment(0xda, Buffer.from([1, 1, 0, from, to, bits]))
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0])
  frame.writeUInt16BE(side, 1)
  frame.writeUInt16BE(side, 3)
  const parts = [
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, Buffer.from([0, ...Array(64).fill(1)])),
    segment(0xc2, frame),
    table(0x00, 0),
    // "The next 16,384 blocks have nothing more": a bit, and fourteen of the number.
    table(0x10, 0xe0),
    scan(0, 0, 0),
    Buffer.alloc(Math.ceil(blocks / 8)),
    between,
  ]
  const nothing = Buffer.alloc(Math.ceil((Math.ceil(blocks / 16_384) * 15) / 8))
  for (let i = 1; i < scans; i++) {
    const low = 13 - (Math.floor((i - 1) / 63) % 14)
    const coefficient = 1 + ((i - 1) % 63)
    parts.push(scan(coefficient, coefficient, low === 13 ? 13 : ((low + 1) << 4) | low), nothing)
  }
  return Buffer.concat([...parts, Buffer.from([0xff, 0xd9])])
}
/** One colour. */
const plain = (width: number, height: number): Sharp =>
  sharp({ create: { width, height, channels: 3, background: 'red' } })

export const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><script>alert(1)</script><image href="file:///etc/passwd" width="40" height="30"/></svg>',
)
/** The box at the head of an iPhone's picture; what follows is in a codec that our build does not have. */
export const HEIC = Buffer.concat([
  Buffer.from('0000001866747970686569630000000068656963', 'hex'),
  Buffer.from('6d696631', 'hex'),
  Buffer.alloc(200, 7),
])
export const BMP = Buffer.concat([Buffer.from('BM'), Buffer.alloc(200, 1)])

/** A file in libvips' own format, as libvips writes it. */
export async function vipsFile(): Promise<Buffer> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-picture-'))
  const file = path.join(folder, 'x.v')
  await quarters().toFile(file)
  const bytes = fs.readFileSync(file)
  fs.rmSync(folder, { recursive: true })
  return bytes
}

/** Truncates the end, like an interrupted transfer. */
export const cut = (bytes: Buffer, share: number): Buffer => bytes.subarray(0, Math.floor(bytes.length * share))

const GPS = {
  IFD0: { Make: 'StrongroomCam', Copyright: 'Someone' },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 3230/100' },
}

/** One input in the table: what is stored, and what the proxy returns for `w=60`. */
export interface Picture {
  name: string
  /** The key it is stored under; its extension and type may lie. */
  key: string
  bytes: () => Promise<Buffer> | Buffer
  status: number
  /** Of the result. */
  format?: 'jpeg' | 'png' | 'webp' | 'avif'
  size?: readonly [number, number]
  /** The expected color in the middle of each quarter, by row. */
  seen?: readonly Colour[]
  /** For a 422: the expected message about the object. Default: that it is incomplete. */
  fault?: RegExp
}
const BOMB = /^has [\d.]+ megapixels$/
const upright = { status: 200, size: [60, 40] as const, seen: order }

/** What users upload, and what attackers do. */
export const pictures: readonly Picture[] = [
  ...[1, 2, 3, 4, 5, 6, 7, 8].map(
    (o): Picture => ({
      name: `EXIF orientation ${o}`,
      key: `o${o}.jpg`,
      bytes: () => turned(o),
      format: 'jpeg',
      ...upright,
    }),
  ),
  { name: 'JPEG', key: 'a.jpg', bytes: () => quarters().jpeg().toBuffer(), format: 'jpeg', ...upright },
  {
    name: 'progressive JPEG',
    key: 'p.jpg',
    bytes: () => quarters().jpeg({ progressive: true }).toBuffer(),
    format: 'jpeg',
    ...upright,
  },
  {
    name: 'CMYK JPEG',
    key: 'cmyk.jpg',
    bytes: () => quarters().toColourspace('cmyk').jpeg().toBuffer(),
    format: 'jpeg',
    status: 200,
    size: [60, 40],
  },
  {
    name: 'grey JPEG',
    key: 'grey.jpg',
    bytes: () => quarters().grayscale().jpeg().toBuffer(),
    format: 'jpeg',
    status: 200,
    size: [60, 40],
  },
  {
    name: 'JPEG with GPS',
    key: 'gps.jpg',
    bytes: () => quarters().withExif(GPS).jpeg().toBuffer(),
    format: 'jpeg',
    ...upright,
  },
  {
    name: 'JPEG in Display P3',
    key: 'p3.jpg',
    bytes: () => quarters().withIccProfile('p3').jpeg().toBuffer(),
    format: 'jpeg',
    ...upright,
  },
  {
    name: 'PNG in Display P3',
    key: 'p3.png',
    bytes: () => quarters().withIccProfile('p3').png().toBuffer(),
    format: 'png',
    ...upright,
  },
  {
    name: 'JPEG with a broken profile',
    key: 'icc.jpg',
    bytes: async () => {
      const bytes = await quarters().withIccProfile('p3').jpeg().toBuffer()
      return bytes.fill(0x41, bytes.indexOf('ICC_PROFILE') + 40, bytes.indexOf('ICC_PROFILE') + 300)
    },
    format: 'jpeg',
    status: 200,
    size: [60, 40],
  },
  {
    name: 'JPEG with garbage for EXIF',
    key: 'exif.jpg',
    bytes: async () =>
      withSegment(await quarters().jpeg().toBuffer(), 0xe1, Buffer.from(`Exif\0\0II*\0${'\xff'.repeat(90)}`, 'latin1')),
    format: 'jpeg',
    ...upright,
  },
  { name: 'JPEG with a thumbnail', key: 'thumb.jpg', bytes: () => withThumbnail(), format: 'jpeg', ...upright },
  {
    name: 'JPEG with a film behind it',
    key: 'motion.jpg',
    bytes: async () => Buffer.concat([await quarters().jpeg().toBuffer(), Buffer.alloc(100_000, 'ftypmp42')]),
    format: 'jpeg',
    ...upright,
  },
  { name: 'PNG', key: 'a.png', bytes: () => quarters().png().toBuffer(), format: 'png', ...upright },
  {
    name: 'interlaced PNG',
    key: 'i.png',
    bytes: () => quarters().png({ progressive: true }).toBuffer(),
    format: 'png',
    ...upright,
  },
  {
    name: 'palette PNG',
    key: 'pal.png',
    bytes: () => quarters().png({ palette: true }).toBuffer(),
    format: 'png',
    ...upright,
  },
  {
    name: '16-bit PNG',
    key: '16.png',
    bytes: () => quarters().toColourspace('rgb16').png().toBuffer(),
    format: 'png',
    ...upright,
  },
  {
    name: 'PNG with alpha',
    key: 'alpha.png',
    bytes: () => transparent().png().toBuffer(),
    format: 'png',
    status: 200,
    size: [60, 40],
  },
  {
    name: 'grey PNG with alpha',
    key: 'la.png',
    bytes: () => transparent().toColourspace('b-w').png().toBuffer(),
    format: 'png',
    status: 200,
    size: [60, 40],
  },
  { name: 'WebP', key: 'a.webp', bytes: () => quarters().webp().toBuffer(), format: 'webp', ...upright },
  { name: 'animated WebP', key: 'anim.webp', bytes: animatedWebp, format: 'webp', status: 200, size: [40, 30] },
  { name: 'AVIF', key: 'a.avif', bytes: () => quarters().avif({ effort: 0 }).toBuffer(), format: 'avif', ...upright },
  { name: 'GIF', key: 'a.gif', bytes: () => quarters().gif().toBuffer(), format: 'webp', ...upright },
  { name: 'animated GIF', key: 'anim.gif', bytes: animatedGif, format: 'webp', status: 200, size: [40, 30] },
  {
    name: 'TIFF',
    key: 'a.tif',
    bytes: () => quarters().tiff({ compression: 'lzw' }).toBuffer(),
    format: 'webp',
    ...upright,
  },
  {
    name: '1 × 1',
    key: 'dot.png',
    bytes: () => quarters(1, 1).png().toBuffer(),
    format: 'png',
    status: 200,
    size: [1, 1],
  },
  { name: 'PNG named .jpg', key: 'png.jpg', bytes: () => quarters().png().toBuffer(), format: 'png', ...upright },
  {
    name: 'JPEG without an extension',
    key: 'jpeg',
    bytes: () => quarters().jpeg().toBuffer(),
    format: 'jpeg',
    ...upright,
  },
  {
    name: 'GIF with HTML behind it',
    key: 'polyglot.gif',
    bytes: async () => Buffer.concat([await quarters().gif().toBuffer(), HTML]),
    format: 'webp',
    ...upright,
  },
  {
    name: 'HTML that begins like a GIF',
    key: 'polyglot.html',
    bytes: () => Buffer.concat([Buffer.from('GIF89a'), HTML]),
    status: 422,
  },
  {
    name: 'JPEG cut off',
    key: 'cut.jpg',
    bytes: async () => cut(await quarters().jpeg().toBuffer(), 0.7),
    status: 422,
  },
  {
    name: 'JPEG cut off behind its thumbnail',
    key: 'cut4.jpg',
    bytes: async () => cut(await withThumbnail(), 0.8),
    status: 422,
  },
  {
    name: 'JPEG cut off at its very end',
    key: 'cut2.jpg',
    bytes: async () => cut(await photo(300, 200).jpeg().toBuffer(), 0.97),
    status: 422,
  },
  {
    name: 'progressive JPEG cut off',
    key: 'cut3.jpg',
    bytes: async () => cut(await photo(300, 200).jpeg({ progressive: true }).toBuffer(), 0.5),
    status: 422,
  },
  {
    name: 'PNG cut off',
    key: 'cut.png',
    bytes: async () => cut(await photo(300, 200).png().toBuffer(), 0.7),
    status: 422,
  },
  {
    name: 'WebP cut off',
    key: 'cut.webp',
    bytes: async () => cut(await photo(300, 200).webp().toBuffer(), 0.7),
    status: 422,
  },
  {
    name: 'AVIF cut off',
    key: 'cut.avif',
    bytes: async () => cut(await photo(300, 200).avif({ effort: 0 }).toBuffer(), 0.7),
    status: 422,
  },
  {
    name: 'GIF cut off',
    key: 'cut.gif',
    bytes: async () => cut(await photo(300, 200).gif({ effort: 1 }).toBuffer(), 0.7),
    status: 422,
  },
  {
    name: 'PNG that declares 30,000 × 30,000',
    key: 'bomb.png',
    bytes: () => declaredPng(30_000, 30_000),
    status: 422,
    fault: BOMB,
  },
  {
    name: 'interlaced PNG of 30 megapixels',
    key: 'bomb2.png',
    bytes: () => declaredPng(6000, 5000, { interlaced: true }),
    status: 422,
    fault: BOMB,
  },
  {
    name: 'JPEG that declares 60,000 × 60,000',
    key: 'bomb.jpg',
    bytes: () => declaredJpeg(60_000, 60_000),
    status: 422,
    fault: BOMB,
  },
  {
    name: 'progressive JPEG of 30 megapixels',
    key: 'bomb2.jpg',
    bytes: () => declaredJpeg(6000, 5000, true),
    status: 422,
    fault: BOMB,
  },
  { name: 'AVIF of 25 megapixels', key: 'bomb.avif', bytes: () => declaredAvif(5000, 5000), status: 422, fault: BOMB },
  {
    name: 'GIF that declares 65,535 × 65,535',
    key: 'bomb.gif',
    bytes: () => declaredGif(65_535, 65_535),
    status: 422,
    fault: BOMB,
  },
  {
    name: 'TIFF that declares 60,000 × 60,000',
    key: 'bomb.tif',
    bytes: () => declaredTiff(60_000, 60_000),
    status: 422,
    fault: BOMB,
  },
  {
    name: 'TIFF of 20,000 pages',
    key: 'pages.tif',
    bytes: () => tiffOfPages(20_000),
    status: 422,
    fault: /^has 20000 frames$/,
  },
  {
    name: 'JPEG of 20,000 scans',
    key: 'scans.jpg',
    bytes: () => jpegOfScans(20_000),
    status: 422,
    fault: /^has too many scans$/,
  },
  {
    name: 'JPEG of 20,000 scans, with an end before them that is in a comment',
    key: 'scans2.jpg',
    bytes: () => jpegOfScans(20_000, Buffer.from('fffe0006ffd9ffd9', 'hex')),
    status: 422,
    fault: /^has too many scans$/,
  },
  {
    name: 'JPEG of 60 scans',
    key: 'scans3.jpg',
    bytes: () => jpegOfScans(60),
    format: 'jpeg',
    status: 200,
    size: [60, 60],
  },
  {
    name: 'AVIF of 64 megapixels that declares 100 × 100',
    key: 'lies.avif',
    bytes: async () => declareAvif(await plain(8000, 8000).avif({ effort: 0 }).toBuffer(), 100, 100),
    status: 422,
  },
  {
    name: 'GIF of 3,600 megapixels that declares 10 × 10',
    key: 'lies.gif',
    bytes: () => declaredGif(60_000, 60_000, [10, 10]),
    status: 422,
    fault: BOMB,
  },
  {
    name: 'PNG with 200 MB of text in 200 kB',
    key: 'text.png',
    bytes: async () =>
      withChunk(
        await quarters().png().toBuffer(),
        'zTXt',
        Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(2e8))]),
      ),
    format: 'png',
    ...upright,
  },
  { name: 'SVG with a script', key: 'x.svg', bytes: () => SVG, status: 415 },
  { name: 'SVG named .jpg', key: 'svg.jpg', bytes: () => SVG, status: 415 },
  {
    name: 'SVG named .png',
    key: 'svg.png',
    bytes: () => Buffer.concat([Buffer.from('\ufeff<?xml version="1.0"?>\n'), SVG]),
    status: 415,
  },
  { name: 'compressed SVG', key: 'x.svgz', bytes: () => gzipSync(SVG), status: 415 },
  {
    name: 'MP4',
    key: 'x.mp4',
    bytes: () =>
      Buffer.concat([Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex'), Buffer.alloc(200)]),
    status: 415,
  },
  {
    name: 'JPEG XL',
    key: 'x.jxl',
    bytes: () => Buffer.from('0000000c4a584c200d0a870a00000014667479706a786c20', 'hex'),
    status: 415,
  },
  { name: 'HEIC', key: 'x.heic', bytes: () => HEIC, status: 415 },
  { name: 'BMP', key: 'x.bmp', bytes: () => BMP, status: 415 },
  { name: "libvips' own format", key: 'x.v', bytes: vipsFile, status: 415 },
  { name: "libvips' own format named .png", key: 'v.png', bytes: vipsFile, status: 415 },
  { name: 'PDF', key: 'x.pdf', bytes: () => Buffer.from('%PDF-1.7\n1 0 obj\n'), status: 415 },
  { name: 'text named .jpg', key: 'text.jpg', bytes: () => Buffer.from('no picture at all'), status: 415 },
  { name: 'no bytes', key: 'empty.jpg', bytes: () => Buffer.alloc(0), status: 415 },
]
const HTML = Buffer.from('<html><script>alert(document.domain)</script></html>')
/** Red on the left, nothing on the right. */
export const transparent = (width = 120, height = 80): Sharp =>
  raw(width, height, (x) => [...COLOURS.red, x * 2 < width ? 255 : 0], 4)

/** The pixels of a result, as RGBA. */
export async function decode(bytes: Uint8Array) {
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number): number[] => [
    ...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4),
  ]
  /** The color at relative coordinates; undefined if it is none of ours. */
  const colourAt = (across: number, down: number): Colour | undefined => {
    const [r = 0, g = 0, b = 0] = at(Math.floor(across * (info.width - 1)), Math.floor(down * (info.height - 1)))
    return order.find((name) => COLOURS[name].every((value, i) => Math.abs(value - ([r, g, b][i] ?? 0)) < 45))
  }
  return { width: info.width, height: info.height, at, colourAt }
}
/** The color in the middle of each quarter. */
export async function seenIn(bytes: Uint8Array): Promise<(Colour | undefined)[]> {
  const { colourAt } = await decode(bytes)
  return [colourAt(0.25, 0.25), colourAt(0.75, 0.25), colourAt(0.25, 0.75), colourAt(0.75, 0.75)]
}
/** A result's metadata. */
export const headerOf = (bytes: Uint8Array) => sharp(bytes).metadata()
