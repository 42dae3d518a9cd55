import fs from 'node:fs'
import path from 'node:path'
import sharp, { type Sharp } from 'sharp'
import type { Kind, Source } from './kinds.ts'
import type { Plan } from './parameters.ts'

// Only these decoders, only from memory: no loader that reads files, scripts or other formats is reachable.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Tiff'].map((name) => `VipsForeignLoad${name}Buffer`),
})
// One thread per render, since the slots limit the cores in use. Set explicitly because MALLOC_ARENA_MAX changes the
// default.
sharp.concurrency(1)
sharp.cache(false)

/** Part of every key: another library version or pipeline produces other bytes. */
export const RENDERER = `1 ${sharp.versions.sharp} ${sharp.versions.vips}`

const kinds: { [format: string]: Kind | undefined } = {
  heif: 'avif',
  jpeg: 'jpeg',
  png: 'png',
  gif: 'gif',
  webp: 'webp',
  tiff: 'tiff',
}

/** Reads an image's header without decoding. Rejects if the header is broken. */
export async function readHeader(bytes: Uint8Array): Promise<Source | undefined> {
  const header = await sharp(bytes, { limitInputPixels: false, failOn: 'error' }).metadata()
  const kind = kinds[header.format ?? '']
  if (!kind || (kind === 'avif' && header.compression !== 'av1')) return undefined
  return {
    kind,
    width: header.autoOrient.width,
    height: header.autoOrient.height,
    pages: header.pages ?? 1,
    alpha: header.hasAlpha ?? false,
    full: header.isProgressive ?? false,
  }
}

const WHITE = '#ffffff'
const CLEAR = { r: 0, g: 0, b: 0, alpha: 0 }

/** Renders a derivative. Rejects if the source is broken or truncated, rather than returning part of an image. */
export function render(bytes: Uint8Array, source: Source, plan: Plan, seconds: number): Promise<Buffer> {
  const { width, height, fit, format, frames } = plan
  const image = sharp(bytes, {
    failOn: 'error',
    limitInputPixels: source.width * source.height * source.pages,
    ...(frames > 1 ? { pages: frames } : {}),
  }).timeout({ seconds: Math.max(1, Math.ceil(seconds)) })
  image.autoOrient()
  // A still that keeps its size is not resized.
  if (fit !== 'fill' || width !== source.width || height !== source.height)
    image.resize(width, height, {
      fit: fit === 'pad' ? 'contain' : fit,
      position: 'centre',
      background: format === 'jpeg' ? WHITE : CLEAR,
    })
  if (format === 'jpeg' && source.alpha) image.flatten({ background: WHITE })
  return encode(image, plan).toBuffer()
}

/** Low effort: more costs far more time than it saves bytes. */
function encode(image: Sharp, { format, q }: Plan): Sharp {
  const quality = q ?? 80
  switch (format) {
    case 'jpeg':
      return image.jpeg({ quality })
    case 'png':
      return image.png()
    case 'webp':
      return image.webp({ quality, effort: 2 })
    case 'avif':
      return image.avif({ quality, effort: 2 })
  }
}

/**
 * Peak memory of a render in pixels of 3 bytes, as measured: a few for what is decoded row by row, all of them for a
 * progressive image, twenty bytes and more per pixel for AVIF.
 */
export function heldPixels(source: Source, plan: Plan): number {
  const decoded = source.width * source.height * plan.frames
  const byRow = !source.full && (source.kind === 'jpeg' || source.kind === 'png')
  const made = plan.width * plan.height * plan.frames
  return decoded * (source.kind === 'avif' ? 6 : byRow ? 1 / 8 : 1) + made * (plan.format === 'avif' ? 14 : 2)
}

/** Whether a failed render hit its time limit. */
export const isTimeout = (error: unknown): boolean => /timeout/i.test((error as Error).message)

/** Files that must never be decoded: an SVG named .jpg, and libvips' own format, which can name other files to load. */
const FORBIDDEN = ['svg.jpg', 'picture.v'].map((name) => path.join(import.meta.dirname, 'forbidden', name))

/** Throws unless the formats that must never be decoded are refused and a PNG is accepted. */
export async function selfTest(): Promise<void> {
  for (const file of FORBIDDEN)
    for (const input of [file, fs.readFileSync(file)])
      if (await decodes(input))
        throw new Error(`The image library decodes ${path.basename(file)}, which must be blocked: refusing to start`)
  const raw = { raw: { width: 2, height: 1, channels: 3 as const } }
  const picture = await sharp(Buffer.from([255, 0, 0, 0, 0, 255]), raw)
    .png()
    .toBuffer()
  if (!(await decodes(picture))) throw new Error('The image library does not decode a PNG: refusing to start')
}
const decodes = (input: string | Buffer): Promise<boolean> =>
  sharp(input)
    .stats()
    .then(
      () => true,
      () => false,
    )
