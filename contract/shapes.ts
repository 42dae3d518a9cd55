import Type, { type TProperties } from 'typebox'
import { BUCKET_NAME, ID } from './names.ts'
import { PasskeyRequest } from './passkeys.ts'
import { Opaque } from './texts.ts'

/** An object with exactly these properties: an unknown one is a 422, never ignored. */
export const Exactly = <P extends TProperties>(
  properties: P,
  options: { description?: string; minProperties?: number } = {},
) => Type.Object(properties, { ...options, additionalProperties: false })

export const Nullable = <T extends Type.TSchema>(schema: T, options: { description?: string } = {}) =>
  Type.Union([schema, Type.Null()], options)

export const Id = Type.String({
  pattern: ID,
  description: 'A UUIDv7.',
  examples: ['01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10'],
})
export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601, UTC, milliseconds.' })

/** The URL of a server that speaks an API of AWS. */
export const endpointOf = (what: string, example: string) =>
  Type.String({
    maxLength: 512,
    pattern: '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$',
    description: `URL of the ${what}; without it, AWS.`,
    examples: [example],
  })
export const AwsRegion = Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$', examples: ['eu-central-1'] })
export const AwsAccessKeyId = Type.String({
  pattern: '^[!-~]{1,128}$',
  description: 'Without it, the AWS SDK’s usual sources.',
})

export const BucketName = Type.String({
  minLength: 3,
  maxLength: 63,
  pattern: BUCKET_NAME,
  description: '3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address.',
  examples: ['photos'],
})

/** The format `object-key` (`isKeyText` in names.ts) rejects NUL and lone surrogates, and counts bytes. */
export const ObjectKey = Type.String({
  minLength: 1,
  maxLength: 1024,
  format: 'object-key',
  description: '1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary.',
  examples: ['2026/summer/beach.jpg'],
})
export const Prefix = Type.String({
  maxLength: 1024,
  format: 'key-prefix',
  description: 'A key prefix, 0–1024 bytes of UTF-8 without NUL.',
  default: '',
})

/** A part of a key, to search for. */
export const KeyPart = (said: { description?: string } = {}) =>
  Type.String({ minLength: 1, maxLength: 200, format: 'key-prefix', ...said })

/** The keys of a bulk operation. */
export const Keys = Type.Array(ObjectKey, { minItems: 1, maxItems: 1000, uniqueItems: true })
/** Maximum body size with such keys: a thousand keys of up to a thousand bytes. */
export const KEYS_BODY_LIMIT = 4 * 1024 * 1024

/** Names and values that can be sent as `x-meta-*` headers; others would make the object impossible to serve. */
export const Metadata = Type.Record(
  Type.String({ pattern: "^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$" }),
  Type.String({ maxLength: 4096, pattern: '^[^\\x00-\\x08\\x0a-\\x1f\\x7f]*$' }),
  { additionalProperties: false },
)

/** What of a `Cache-Control` or the like can be stored: printable text, of any language. */
const HeaderText = Type.String({ minLength: 1, maxLength: 1024, pattern: '^[^\\x00-\\x1f\\x7f]*$' })
/** Where the website of a bucket sends those who ask for an object. */
const RedirectLocation = Type.String({
  minLength: 1,
  maxLength: 2048,
  pattern: '^(/|https?://)[^\\x00-\\x1f\\x7f]*$',
  description: 'Where the website of the bucket sends those who ask for the object: a path, or a URL of http or https.',
})
/** The headers that an object keeps; each as it was sent. */
export const ObjectHeaders = Exactly({
  'cache-control': Type.Optional(HeaderText),
  'content-disposition': Type.Optional(HeaderText),
  'content-encoding': Type.Optional(HeaderText),
  'content-language': Type.Optional(HeaderText),
  expires: Type.Optional(HeaderText),
  'x-amz-website-redirect-location': Type.Optional(RedirectLocation),
})
export type ObjectHeaders = Type.Static<typeof ObjectHeaders>
export const objectHeaderNames = Object.keys(ObjectHeaders.properties) as (keyof ObjectHeaders)[]

/** The name of a tag. */
export const TagName = Type.String({ pattern: '^[^\\x00-\\x1f\\x7f]{1,128}$' })
const tags = (maxProperties: number, minProperties = 0) =>
  Type.Record(TagName, Type.String({ maxLength: 256, pattern: '^[^\\x00-\\x1f\\x7f]*$' }), {
    additionalProperties: false,
    minProperties,
    maxProperties,
  })
export const MOST_TAGS = 10
/** An object's tags. */
export const Tags = tags(MOST_TAGS)
export type Tags = Type.Static<typeof Tags>
/** Tags that an object is to have. */
export const SomeTags = tags(MOST_TAGS, 1)
export const MOST_BUCKET_TAGS = 50
/** A bucket's tags. */
export const BucketTags = tags(MOST_BUCKET_TAGS)
export type BucketTags = Type.Static<typeof BucketTags>

export const checksumAlgorithms = [
  'crc32',
  'crc32c',
  'crc64nvme',
  'sha1',
  'sha256',
  'sha512',
  'md5',
  'xxhash64',
  'xxhash3',
  'xxhash128',
] as const
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number]

/** A checksum of an object's contents. */
export const Checksum = Type.Object({
  algorithm: Type.Enum([...checksumAlgorithms]),
  type: Type.Enum(['full_object', 'composite'], { description: '`composite`: of the checksums of its parts.' }),
  value: Type.String({ description: 'Base64; after a composite one, `-` and the number of parts.' }),
})
export type Checksum = Type.Static<typeof Checksum>

const expected = (checksum: string) =>
  Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9+/]+={0,2}$',
      description: `Expected ${checksum} of the body, base64. At most one of these.`,
    }),
  )
/** A header with the MD5 of a request's body (RFC 1864). */
export const ContentMd5 = (of: 'body' | 'part') =>
  Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9+/]{21}[AQgw]==$', description: `Expected MD5 of the ${of}, base64.` }),
  )
/** Headers with a checksum of a request's body. */
export const expectedChecksums = {
  'x-checksum-crc32': expected('CRC-32'),
  'x-checksum-crc32c': expected('CRC-32C'),
  'x-checksum-crc64nvme': expected('CRC-64/NVME'),
  'x-checksum-sha1': expected('SHA-1'),
  'x-checksum-sha256': expected('SHA-256'),
  'x-checksum-sha512': expected('SHA-512'),
  'x-checksum-md5': expected('MD5'),
  'x-checksum-xxhash64': expected('XXH64'),
  'x-checksum-xxhash3': expected('XXH3 of 64 bits'),
  'x-checksum-xxhash128': expected('XXH3 of 128 bits'),
}

export const Limit = Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Maximum items per page.' })
export const Cursor = Type.String({
  minLength: 4,
  maxLength: 4096,
  pattern: '^[A-Za-z0-9_-]*$',
  description: 'Opaque; the previous page’s `next_cursor`.',
})

export const Problem = Type.Object(
  {
    status: Type.Integer(),
    code: Type.String({ description: 'Stable identifier of the kind of error.' }),
    title: Type.String(),
    detail: Type.String({ description: 'Human-readable explanation of this error.' }),
    request_id: Type.String(),
    errors: Type.Optional(
      Type.Array(Type.Object({ path: Type.String({ examples: ['body.name'] }), message: Type.String() })),
    ),
    challenge: Type.Optional(
      Type.String({
        description:
          'With `second_factor_required`, `second_factor_enrollment_required` and `password_change_required` at a login.',
      }),
    ),
    expires_in: Type.Optional(Type.Integer({ description: 'How long the challenge is valid, in seconds.' })),
    methods: Type.Optional(
      Type.Array(Type.Enum(['totp', 'passkey', 'recovery_code']), { description: 'What answers the challenge.' }),
    ),
    passkey: Type.Optional(PasskeyRequest),
  },
  { additionalProperties: true, description: 'RFC 9457 problem details.' },
)
export type Problem = Type.Static<typeof Problem>

/** A page of a list with cursors. */
export const Page = <T extends Type.TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), next_cursor: Nullable(Type.String()) })

/** A page of a list with page numbers. */
export const NumberedPage = <T extends Type.TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    total: Type.Integer(),
    page: Type.Integer(),
    page_size: Type.Integer(),
  })

/** A version of an object. */
export const VersionId = Opaque(64, {
  description: 'A version id; `null` is the version written while the bucket kept none.',
  examples: ['0197d2f4-7c1e-7b0a-9d53-5d0c3f3a8b11'],
})
