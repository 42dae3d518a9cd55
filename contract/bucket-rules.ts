import Type from 'typebox'
import { MOST_ONE_WILDCARD } from './patterns.ts'
import { Exactly, Prefix, SomeTags } from './shapes.ts'

export const corsMethods = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD'] as const

const RuleId = Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\x00-\\x1f\\x7f]*$' })
/** With at most one `*`. */
const Wildcard = Type.String({
  minLength: 1,
  maxLength: MOST_ONE_WILDCARD,
  pattern: '^[^*\\s\\x00-\\x1f\\x7f-\\x9f]*(\\*[^*\\s\\x00-\\x1f\\x7f-\\x9f]*)?$',
})
const FieldName = Type.String({ minLength: 1, maxLength: 256, pattern: "^[!#$%&'+.^_`|~\\w-]+$" })
const FieldNames = (of: Type.TString) => Type.Array(of, { minItems: 1, maxItems: 100, uniqueItems: true })

/** Which scripts of other origins may ask what of a bucket. */
export const CorsRule = Exactly({
  id: Type.Optional(RuleId),
  origins: Type.Array(Wildcard, {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description: 'Each may have one `*`.',
    examples: [['https://*.example.org']],
  }),
  methods: Type.Array(Type.Enum([...corsMethods]), { minItems: 1, maxItems: corsMethods.length, uniqueItems: true }),
  headers: Type.Optional(FieldNames(Wildcard)),
  expose: Type.Optional(FieldNames(FieldName)),
  max_age_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999 })),
})
export const CorsRules = Type.Array(CorsRule, {
  minItems: 1,
  maxItems: 100,
  description: 'Which scripts of other origins may ask what of the bucket at the S3 endpoint.',
})

const Days = Type.Integer({ minimum: 1, maximum: 36_500 })
const Bytes = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** A rule of a bucket's lifecycle configuration. */
export const LifecycleRule = Exactly({
  id: RuleId,
  enabled: Type.Optional(Type.Boolean({ default: true })),
  filter: Type.Optional(
    Exactly(
      {
        prefix: Type.Optional(Prefix),
        tags: Type.Optional(SomeTags),
        greater_than: Type.Optional(Bytes),
        less_than: Type.Optional(Bytes),
      },
      { description: 'Which objects it is about: those that meet all of these. Sizes are in bytes, both exclusive.' },
    ),
  ),
  expiration: Type.Optional(
    Type.Union(
      [
        Exactly({ days: Days }),
        Exactly({
          date: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d(T00:00:00(\\.000)?Z)?$', examples: ['2027-01-01'] }),
        }),
        Exactly({ expired_delete_marker: Type.Boolean() }),
      ],
      {
        description:
          'A number of days after the last change, or a midnight UTC; or delete markers without another version.',
      },
    ),
  ),
  noncurrent: Type.Optional(
    Exactly(
      { days: Days, newer: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })) },
      {
        description:
          'Versions expire this number of days after they stopped being current, except the `newer` latest of each key.',
      },
    ),
  ),
  abort_days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 36_500, description: 'When an unfinished multipart upload is aborted.' }),
  ),
})
export const LifecycleRules = Type.Array(LifecycleRule, {
  minItems: 1,
  maxItems: 1000,
  description: 'The bucket’s S3 lifecycle configuration. Each rule that expires objects is carried out by a policy.',
})

export const MOST_ROUTING_RULES = 50
export const websiteProtocols = ['http', 'https'] as const
const Protocol = Type.Optional(Type.Enum([...websiteProtocols], { description: 'By default that of the request.' }))
/** A name, a port if it needs one, and perhaps the start of a path. */
const HostName = Type.String({
  minLength: 1,
  maxLength: 1024,
  pattern: '^(?!-)[\\w.-]+(:\\d{1,5})?(/[^\\x00-\\x20\\x7f\\\\?#]*)?$',
  examples: ['www.example.com'],
})
const KeyText = Type.String({ maxLength: 1024, pattern: '^[^\\x00-\\x1f\\x7f]*$' })

/** When a website sends a request elsewhere, and where. */
export const WebsiteRule = Exactly({
  condition: Type.Optional(
    Exactly(
      {
        key_prefix: Type.Optional(KeyText),
        error_code: Type.Optional(
          Type.Integer({ minimum: 400, maximum: 505, description: 'The status that the answer would have.' }),
        ),
      },
      { minProperties: 1, description: 'Both, if both are given. Without it the rule is about every request.' },
    ),
  ),
  redirect: Exactly(
    {
      protocol: Protocol,
      host: Type.Optional({ ...HostName, description: 'By default that of the request.' } as typeof HostName),
      replace_key_prefix: Type.Optional({ ...KeyText, description: 'In place of `key_prefix`.' } as typeof KeyText),
      replace_key: Type.Optional({ ...KeyText, description: 'In place of the whole key.' } as typeof KeyText),
      code: Type.Optional(Type.Enum([301, 302, 303, 304, 305, 307, 308], { description: 'By default 301.' })),
    },
    { minProperties: 1 },
  ),
})

/** How a bucket is shown as a website. */
export const Website = Type.Union(
  [
    Exactly({ redirect_all: Exactly({ host: HostName, protocol: Protocol }) }),
    Exactly({
      index: Type.String({
        minLength: 1,
        maxLength: 1024,
        pattern: '^[^/\\x00-\\x1f\\x7f]+$',
        description: 'The object that is shown for a folder.',
        examples: ['index.html'],
      }),
      error: Type.Optional({
        ...KeyText,
        minLength: 1,
        description: 'The object that is shown for an error.',
      } as typeof KeyText),
      rules: Type.Optional(Type.Array(WebsiteRule, { minItems: 1, maxItems: MOST_ROUTING_RULES })),
    }),
  ],
  { description: 'How the bucket is shown as a website below `S3_WEBSITE_DOMAIN`; without it there is none.' },
)
export type Website = Type.Static<typeof Website>
export type WebsiteRule = Type.Static<typeof WebsiteRule>
