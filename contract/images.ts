import Type from 'typebox'
import { At } from './moment.ts'
import { route } from './route.ts'
import { BucketName, Exactly, ObjectKey } from './shapes.ts'

export const imageFits = ['contain', 'cover', 'inside', 'fill', 'pad'] as const
export const imageFormats = ['jpeg', 'jpg', 'png', 'webp', 'avif', 'auto'] as const

const Side = (what: string) =>
  Type.Integer({
    minimum: 1,
    maximum: 4096,
    description: `${what} of the box in CSS pixels; with only one, the aspect ratio is kept.`,
  })

/** How an image may be transformed. Links take the same parameters. */
export const imageQuery = {
  w: Type.Optional(Side('Width')),
  h: Type.Optional(Side('Height')),
  format: Type.Optional(
    Type.Enum([...imageFormats], {
      description:
        '`auto` picks the best format that `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: the source’s format if we can write it, else WebP.',
    }),
  ),
  q: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'Quality. Default: JPEG 80, WebP 80, AVIF 50. Ignored for PNG.',
    }),
  ),
  fit: Type.Optional(
    Type.Enum([...imageFits], {
      default: 'contain',
      description:
        'How the image fits the box of `w` and `h`: entirely inside (`contain`, `inside`), filling it with the overflow cropped (`cover`), stretched (`fill`), or entirely inside with margins (`pad`).',
    }),
  ),
  dpr: Type.Optional(Type.Number({ minimum: 1, maximum: 3, default: 1, description: 'Multiplies `w` and `h`.' })),
  enlarge: Type.Optional(
    Type.Enum(['0', '1'], { default: '0', description: '`1`: may be enlarged beyond the source.' }),
  ),
  animated: Type.Optional(
    Type.Enum(['0', '1'], {
      default: '0',
      description: '`1`: all frames of a GIF or WebP, as WebP. Otherwise, and in other formats, only the first.',
    }),
  ),
}
export const ImageQuery = Exactly(imageQuery)
export type ImageQuery = Type.Static<typeof ImageQuery>

/** Whether parameters ask for a derivative: the others alone change nothing. */
export const asksForImage = (parameters: unknown): boolean =>
  ['w', 'h', 'format', 'q'].some((name) => (parameters as { [name: string]: unknown })[name] !== undefined)

const getSpec = {
  method: 'GET',
  tag: 'images',
  summary: 'Get an image in another size or format',
  description:
    'Reads JPEG, PNG, WebP, AVIF, GIF and TIFF by content, whatever their name. The result is upright, in sRGB and without metadata. Without `w`, `h`, `format` and `q` the object itself is returned.',
  access: 'signed_in',
  status: 200,
  otherStatus: [206, 304],
  headers: Type.Object({
    accept: Type.Optional(Type.String()),
    'if-match': Type.Optional(Type.String()),
    'if-none-match': Type.Optional(Type.String()),
  }),
  produces: 'bytes',
  errors: [
    'not_found',
    'invalid_request',
    'precondition_failed',
    'too_large',
    'unsupported_media_type',
    'busy',
    'archived',
    'damaged',
    'erased',
  ],
} as const
const headSpec = {
  ...getSpec,
  method: 'HEAD',
  summary: "Get an image's headers",
  description: 'Renders nothing: Content-Length is present only if the image was rendered before.',
} as const

const inPath = {
  url: '/images/{bucket}/{+key}',
  params: Type.Object({ bucket: BucketName, key: ObjectKey }),
  query: Exactly({ at: Type.Optional(At), ...imageQuery }),
} as const
const inQuery = {
  url: '/images/{bucket}',
  params: Type.Object({ bucket: BucketName }),
  query: Exactly({ key: ObjectKey, at: Type.Optional(At), ...imageQuery }),
} as const

export const operations = {
  getImage: route({ ...getSpec, ...inPath }),

  headImage: route({ ...headSpec, ...inPath }),

  getImageByQuery: route({ ...getSpec, ...inQuery, summary: `${getSpec.summary} (key in the query)` }),

  headImageByQuery: route({ ...headSpec, ...inQuery, summary: `${headSpec.summary} (key in the query)` }),
}
