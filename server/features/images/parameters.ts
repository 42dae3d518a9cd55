import { ServiceError } from '../../../contract/errors.ts'
import { ImageQuery } from '../../../contract/images.ts'
import { openFields } from '../../../contract/shares.ts'
import type { EffectiveSettings } from '../../access/settings/effective.ts'
import { validatorCompiler } from '../../http/validation.ts'
import type { Source } from './kinds.ts'

export type Limits = EffectiveSettings['images']
export type Output = 'jpeg' | 'png' | 'webp' | 'avif'
/** `Accept` reduced to three classes, so that each image has few cached variants. */
export type Accepted = 'avif' | 'webp' | 'other'

export interface Size {
  width: number
  height: number
}
/** How an image is fitted to a size: stretched (or just scaled, if the ratio is the same), cropped, or padded. */
export interface Geometry extends Size {
  fit: 'fill' | 'cover' | 'pad'
}
/** A complete description of a derivative, without defaults: what produces the same bytes is the same plan. */
export interface Plan extends Geometry {
  format: Output
  /** Null for a format without quality. */
  q: number | null
  /** 1 means a still image. */
  frames: number
}

const validate = validatorCompiler({ schema: ImageQuery, httpPart: 'querystring' } as never)
/** Query parameters allowed beside the image parameters. */
const beside = ['key', 'at', ...Object.keys(openFields)]

/**
 * The image parameters of a query; otherwise throws an error answered as a 422 that names the invalid and unknown ones.
 */
export function readParameters(query: unknown): ImageQuery {
  const given = Object.fromEntries(Object.entries(query as object).filter(([name]) => !beside.includes(name)))
  if (validate(given)) return given
  const { errors: validation } = validate as { errors?: unknown[] }
  throw Object.assign(new Error('query'), { validation, validationContext: 'querystring' })
}

/** The sides that links allow, common ones among them, so that strangers cannot make endless variants. */
const LADDER = [
  16, 24, 32, 48, 64, 80, 96, 100, 120, 128, 150, 160, 192, 200, 240, 256, 300, 320, 360, 384, 400, 480, 500, 512, 600,
  640, 720, 750, 768, 800, 900, 960, 1000, 1024, 1080, 1200, 1280, 1440, 1500, 1600, 1800, 1920, 2000, 2048, 2400, 2560,
  3000, 3200, 3840, 4096,
]
const snapSide = (side: number): number => LADDER.find((step) => step >= side) ?? 4096
/** Rounds parameters up to what links allow: fixed steps for sides and quality. */
export function snap({ w, h, q, dpr = 1, ...rest }: ImageQuery): ImageQuery {
  return {
    ...rest,
    ...(w === undefined ? {} : { w: snapSide(w * dpr) }),
    ...(h === undefined ? {} : { h: snapSide(h * dpr) }),
    ...(q === undefined ? {} : { q: Math.ceil(q / 10) * 10 }),
  }
}

const atLeastOne = (size: number): number => Math.max(1, Math.round(size))

/** The result's size and shape, limited to the source's size unless enlarging is allowed. */
export function geometryOf({ w, h, dpr = 1, fit = 'contain', enlarge = '0' }: ImageQuery, source: Size): Geometry {
  const most = enlarge === '1' ? Number.POSITIVE_INFINITY : 1
  const scaled = (scale: number): Geometry => ({
    width: atLeastOne(source.width * scale),
    height: atLeastOne(source.height * scale),
    fit: 'fill',
  })
  const [across, down] = [w && Math.round(w * dpr), h && Math.round(h * dpr)]
  if (across === undefined && down === undefined) return scaled(1)
  const byWidth = (across ?? Number.POSITIVE_INFINITY) / source.width
  const byHeight = (down ?? Number.POSITIVE_INFINITY) / source.height
  if (across === undefined || down === undefined || fit === 'contain' || fit === 'inside')
    return scaled(Math.min(byWidth, byHeight, most))
  if (fit === 'fill')
    return { width: Math.min(across, source.width * most), height: Math.min(down, source.height * most), fit }
  // The box keeps its ratio and shrinks until the image covers it (or fits in it) without being enlarged.
  const scale = fit === 'cover' ? Math.max(byWidth, byHeight) : Math.min(byWidth, byHeight)
  const over = Math.max(1, scale / most)
  const box = { width: atLeastOne(across / over), height: atLeastOne(down / over) }
  const whole = scaled(scale / over)
  return whole.width === box.width && whole.height === box.height ? whole : { ...box, fit }
}

const MEGA = 1_000_000
/** Most pixels per side that each format allows. */
const MOST_ALONG = { jpeg: 65_500, png: 1_000_000, webp: 16_383, avif: 16_383 } as const
const QUALITY = { jpeg: 80, webp: 80, avif: 50, png: null } as const
const writable = (kind: string): kind is Output => kind in QUALITY

/**
 * Throws if the source's header declares more pixels than may be decoded, since a small file can declare a huge image.
 */
function assertDecodable(source: Source, limits: Limits): void {
  const kinds = [
    { most: limits.max_source_megapixels, what: 'An image' },
    { most: source.full ? limits.max_progressive_megapixels : undefined, what: 'A progressive or interlaced image' },
    { most: source.kind === 'avif' ? limits.max_avif_source_megapixels : undefined, what: 'An AVIF image' },
  ]
  const pixels = source.width * source.height * source.pages
  if (source.pages > MOST_PAGES)
    throw refused('object', `has ${source.pages} frames`, `An image may have at most ${MOST_PAGES} frames`)
  for (const { most, what } of kinds)
    if (most !== undefined && pixels > most * MEGA)
      throw refused('object', `has ${inMegapixels(pixels)} megapixels`, `${what} may have at most ${most} megapixels`)
}
/** The decoder walks through all pages to read any: 400,000 in a 45 MB TIFF took it 5 s. */
const MOST_PAGES = 10_000
const inMegapixels = (pixels: number): string => (pixels / MEGA).toFixed(1)
const refused = (path: string, fault: string, why: string) =>
  new ServiceError('invalid_request', `${path} ${fault}. ${why}.`, { faults: [{ path, message: fault }] })

/** Plans a derivative of a source; throws invalid_request if it is impossible or too large. */
export function planOf(parameters: ImageQuery, source: Source, accepted: Accepted, limits: Limits): Plan {
  assertDecodable(source, limits)
  const geometry = geometryOf(parameters, source)
  const { width, height } = geometry
  const pixels = width * height
  const culprit = (['w', 'h', 'format', 'q'] as const).find((name) => parameters[name] !== undefined) ?? 'w'
  if (pixels > limits.max_result_megapixels * MEGA)
    throw refused(
      `query.${culprit}`,
      `requests ${inMegapixels(pixels)} megapixels`,
      `A result may have at most ${limits.max_result_megapixels}`,
    )
  const moving = parameters.animated === '1' && source.pages > 1 && (source.kind === 'gif' || source.kind === 'webp')
  const holds = (format: Output): boolean =>
    Math.max(width, height) <= MOST_ALONG[format] &&
    (format !== 'avif' || pixels <= limits.max_avif_result_megapixels * MEGA)
  const format = formatOf(parameters.format, { source, accepted, moving, holds })
  if (!holds(format))
    throw refused(
      `query.${parameters.format === undefined ? culprit : 'format'}`,
      `cannot be ${format} at ${width} × ${height} pixels`,
      format === 'avif'
        ? `It may have at most ${limits.max_avif_result_megapixels} megapixels`
        : 'Request a smaller one',
    )
  const fitting = Math.max(1, Math.floor((limits.max_result_megapixels * MEGA) / pixels))
  const frames = moving && format === 'webp' ? Math.min(source.pages, limits.max_frames, fitting) : 1
  return { ...geometry, format, q: QUALITY[format] === null ? null : (parameters.q ?? QUALITY[format]), frames }
}

interface Choice {
  source: Source
  accepted: Accepted
  moving: boolean
  holds: (format: Output) => boolean
}
function formatOf(asked: ImageQuery['format'], { source, accepted, moving, holds }: Choice): Output {
  if (asked === 'jpg') return 'jpeg'
  if (asked !== undefined && asked !== 'auto') return asked
  const still: Output = source.alpha ? 'png' : 'jpeg'
  const wishes: Output[] =
    asked === undefined
      ? [writable(source.kind) ? source.kind : 'webp', 'webp', still]
      : { avif: ['avif', 'webp', still] as Output[], webp: ['webp', still] as Output[], other: [still] }[accepted]
  const possible = wishes.filter((format) => holds(format))
  if (moving && possible.includes('webp')) return 'webp'
  return possible[0] ?? still
}

/** The class of an Accept header: the best format that it names explicitly, without a quality of 0. */
export function acceptedBy(accept: string | undefined): Accepted {
  const named = (accept ?? '').split(',').flatMap((one) => {
    const [type = '', ...options] = one.split(';').map((part) => part.trim().toLowerCase())
    return options.some((option) => /^q=0(\.0*)?$/.test(option)) ? [] : [type]
  })
  return named.includes('image/avif') ? 'avif' : named.includes('image/webp') ? 'webp' : 'other'
}
