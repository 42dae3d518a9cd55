import Type from 'typebox'
import { imageQuery } from './images.ts'
import { FILE_NAME, PLAIN, SOME_LINES } from './names.ts'
import { BulkResult, StoredObject } from './objects.ts'
import { route } from './route.ts'
import {
  BucketName,
  Cursor,
  Exactly,
  Id,
  KEYS_BODY_LIMIT,
  Keys,
  Limit,
  Nullable,
  NumberedPage,
  ObjectKey,
  Page,
  Prefix,
  Timestamp,
} from './shapes.ts'
import { Line, Plain, SearchText } from './texts.ts'
import { MAX_OBJECT_BYTES, PartNumber } from './uploads.ts'

const shareKinds = ['object', 'folder', 'selection', 'upload'] as const
const shareStates = ['active', 'expired', 'spent', 'revoked'] as const

const TEN_YEARS = 315_360_000
const LinkExpiry = Type.Union(
  [
    Type.String({ pattern: '^([1-9]\\d{0,8}[smhdw]|never)$' }),
    Type.Integer({ minimum: 1, maximum: TEN_YEARS }),
    Type.String({ pattern: '^0*[1-9]\\d{0,8}$' }),
  ],
  {
    description: '`15m`, `12h`, `7d`, seconds, or `never`; the default and the maximum are settings.',
    examples: ['7d'],
  },
)
const SharePassword = Type.String({
  minLength: 1,
  maxLength: 72,
  format: 'password',
  description: 'Required from everyone who opens the link; at most 72 bytes.',
})
const Downloads = Type.Integer({ minimum: 1, maximum: 1_000_000_000 })
const Filename = Type.String({ minLength: 1, maxLength: 255, pattern: FILE_NAME })
const Disposition = Type.Enum(['inline', 'attachment'])

const Message = Type.String({
  minLength: 1,
  maxLength: 1000,
  pattern: SOME_LINES,
  description: 'Plain text for the visitors, shown on the page of the link.',
})

const Notify = Type.Boolean({
  description: 'Whether its creator gets a mail when it is opened for the first time. Needs mail to be set up.',
})

/** What senders say of themselves. */
export const Sender = Type.Object({
  name: Nullable(Line(100, { description: 'The name of the sender, as they state it: nothing checks it.' })),
  message: Nullable(Line(500, { description: 'What the sender says about the file.' })),
})
export type Sender = Type.Static<typeof Sender>

const limits = {
  expires_in: Type.Optional(LinkExpiry),
  password: Type.Optional(SharePassword),
  max_downloads: Type.Optional(Downloads),
  filename: Type.Optional(Filename),
  disposition: Type.Optional(Disposition),
  message: Type.Optional(Message),
  notify: Type.Optional(Notify),
}
const Bytes = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const ContentTypes = Type.Array(Type.String({ pattern: '^[\\w.+-]+/([\\w.+-]+|\\*)$', maxLength: 255 }), {
  minItems: 1,
  maxItems: 50,
  description: 'For example `image/*`. Compared with the Content-Type that the file is sent with.',
})
/** Limits on what strangers may upload through a link of kind `upload`. */
const uploadLimits = {
  max_file_bytes: Type.Optional(Bytes),
  max_total_bytes: Type.Optional(Bytes),
  max_files: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  content_types: Type.Optional(ContentTypes),
}

export const Share = Type.Object({
  id: Id,
  kind: Type.Enum([...shareKinds]),
  bucket: BucketName,
  object_key: Nullable(Type.String()),
  prefix: Nullable(Type.String()),
  keys: Nullable(Type.Array(Type.String())),
  expires_at: Nullable(Timestamp),
  has_password: Type.Boolean(),
  has_link: Type.Boolean({ description: 'Whether you can get its URL again: you created it, and it is stored.' }),
  max_downloads: Nullable(Type.Integer()),
  filename: Nullable(Type.String()),
  disposition: Nullable(Disposition),
  message: Nullable(Type.String()),
  notify: Notify,
  max_file_bytes: Nullable(Type.Integer()),
  max_total_bytes: Nullable(Type.Integer()),
  max_files: Nullable(Type.Integer()),
  content_types: Nullable(Type.Array(Type.String())),
  created_at: Timestamp,
  created_by: Nullable(Type.String()),
  created_by_email: Nullable(Type.String()),
  revoked_at: Nullable(Timestamp),
  state: Type.Enum([...shareStates], { description: '`spent`: all its downloads are used up.' }),
  access_count: Type.Integer({ description: 'Downloads, or uploaded files.' }),
  received_bytes: Type.Integer(),
  last_accessed_at: Nullable(Timestamp),
})
export type Share = Type.Static<typeof Share>

export const NewShare = Type.Object({
  ...Share.properties,
  token: Type.String({ description: 'Replaces an account: whoever has it can open the link.' }),
  url: Type.String({ description: 'Returns the object itself, or the listing: for programs.' }),
  page_url: Type.String({ description: 'The page of the link: for people.' }),
})
export type NewShare = Type.Static<typeof NewShare>

/** Most objects to which one request creates links. */
export const MOST_LINKS = 1000
/** One of the links that are created together. */
export const LinkToEach = Type.Object({
  id: Id,
  key: Type.String(),
  url: NewShare.properties.url,
  page_url: NewShare.properties.page_url,
  expires_at: Nullable(Timestamp),
})
export type LinkToEach = Type.Static<typeof LinkToEach>
const { filename: _filename, ...limitsOfMany } = limits
const many = {
  method: 'POST',
  tag: 'shares',
  access: 'signed_in',
  status: 200,
  params: Type.Object({ bucket: BucketName }),
  rate: 'costly',
} as const

const creating = {
  method: 'POST',
  tag: 'shares',
  access: 'signed_in',
  status: 201,
  reply: NewShare,
  errors: ['not_found', 'invalid_request', 'read_only'],
  records: ['share_create'],
} as const
const mint = {
  ...creating,
  body: Exactly(limits),
  bodyOptional: true,
} as const
const fromQuery = { ...limits, max_downloads: Type.Optional(Downloads) }

const byId = Type.Object({ id: Id })

const Token = Type.String({ minLength: 1, maxLength: 200 })
const Ticket = Type.Optional(
  Plain(500, { description: 'Replaces the password for an hour: see `POST /public/s/{token}`.' }),
)
const opening = {
  tag: 'public',
  access: 'public',
  params: Type.Object({ token: Token }),
  errors: [
    'gone',
    'not_found',
    'unauthenticated',
    'rate_limited',
    'range_not_satisfiable',
    'precondition_failed',
    'too_large',
    'unsupported_media_type',
    'busy',
    'archived',
    'damaged',
  ],
} as const
/** An object that is an image also takes the image parameters. */
export const openFields = {
  ticket: Ticket,
  key: Type.Optional(ObjectKey),
  archive: Type.Optional(Type.Enum(['1'], { description: 'Download a folder or selection as a zip.' })),
  cursor: Type.Optional(Cursor),
  limit: Type.Optional(Limit),
  download: Type.Optional(Type.Enum(['0', '1'])),
  embed: Type.Optional(
    Type.Enum(['1'], {
      description:
        'For showing it on the page of the link, sandboxed by its CSP. Recorded as a preview, unless downloads are limited.',
    }),
  ),
  folder: Type.Optional(
    Type.String({
      maxLength: 1024,
      pattern: '^(|[^\\0]*/)$',
      description:
        'Lists only what is directly in this folder of a shared folder: its objects in `items`, its folders in `folders`. With `info`, the first page of it is part of the description.',
    }),
  ),
  info: Type.Optional(
    Type.Enum(['1'], { description: 'Returns a description of the link as JSON; does not count as a download.' }),
  ),
}
// Mail programs and social networks add parameters of their own to links; these are accepted and ignored.
const openQuery = Type.Object({ ...openFields, ...imageQuery })

/** The response to `?info=1`. If the link has a password and it was not given, names and sizes are null. */
export interface ShareInfo {
  kind: (typeof shareKinds)[number]
  needs_password: boolean
  name: string | null
  size: number | null
  content_type: string | null
  /** The display name of the link's creator; null where there is none, or a password hides it. */
  shared_by: string | null
  shared_at: string
  message: string | null
  expires_at: string | null
  /** Each opening counts towards a maximum number of downloads. */
  limited: boolean
  /** How many downloads are left of a limited link; null for others, and where a password hides it. */
  downloads_left: number | null
  /** The maximum number of downloads; null like `downloads_left`. */
  max_downloads: number | null
  /** Of a folder or selection: how many files it has and their bytes. `exact` is false if it has more. */
  contents: { files: number; bytes: number; exact: boolean } | null
  /** The first page of what `folder` asked for. */
  listing?: ShareListing
  max_file_bytes: number | null
  max_total_bytes: number | null
  max_files: number | null
  content_types: readonly string[] | null
}
/** The response to opening a folder or selection. */
export interface ShareListing {
  kind: 'folder' | 'selection'
  name: string
  items: { name: string; size: number; content_type: string; last_modified: string }[]
  /** The folders in the one that `folder` asked for, each with its closing slash. */
  folders: string[]
  next_cursor: string | null
}

const openSpec = {
  ...opening,
  method: 'GET',
  url: '/public/s/{token}',
  summary: 'Open a link',
  description:
    'Returns the object, or the JSON listing of a folder or selection. Expired, revoked, spent and unknown links all return 410. Send the password in `X-Share-Password` or by HTTP Basic. Images take the parameters of the image proxy, with `w` and `h` rounded up to one of fifty sizes and `q` to tens. `key` names an object of a folder or selection, as the path does.',
  status: 200,
  otherStatus: [206, 304],
  query: openQuery,
  produces: 'bytes',
} as const
const headSpec = { ...openSpec, method: 'HEAD', summary: 'Get a link’s headers without counting a download' } as const
const entrySpec = {
  ...openSpec,
  url: '/public/s/{token}/{+key}',
  summary: 'Open an object of a folder or selection',
  params: Type.Object({ token: Token, key: ObjectKey }),
} as const
const archiveSpec = {
  ...opening,
  method: 'POST',
  url: '/public/s/{token}/archive',
  summary: 'Download some files of a folder or selection as a zip',
  description:
    'Counts as one download. Streamed while it is read. What does not exist is left out; 404 if that is everything. A form, so that a page can have the browser save it: `path` repeated for each.',
  consumes: 'form',
  status: 200,
  query: Exactly({ ticket: Ticket }),
  body: Exactly({
    path: Type.Union([ObjectKey, Type.Array(ObjectKey, { minItems: 1 })], {
      description:
        'Names of files as the listing has them, and of folders, which end with `/` and stand for all below.',
    }),
  }),
  produces: 'bytes',
  media: ['application/zip'],
  errors: ['gone', 'not_found', 'unauthenticated', 'rate_limited'],
  records: [],
} as const

/** Strangers name files, not keys: with slashes, they can be in folders. */
const UploadName = Type.String({
  ...ObjectKey,
  pattern: PLAIN,
  description: 'The name of the file: 1–1024 bytes of UTF-8 without control characters.',
})
const receiveSpec = {
  ...opening,
  method: 'PUT',
  url: '/public/s/{token}/{+key}',
  summary: 'Upload a file through an upload link',
  description:
    'If the name is already in use, the file is stored with a number after it; nothing is ever overwritten. Visitors are not told what there is: the response has the name that was sent.',
  consumes: 'bytes',
  status: 201,
  params: Type.Object({ token: Token, key: UploadName }),
  query: Exactly({ ticket: Ticket }),
  headers: Type.Object({
    'x-sender-name': Type.Optional(
      Type.String({ description: 'The name of the sender, at most 100 characters of UTF-8.' }),
    ),
    'x-sender-message': Type.Optional(
      Type.String({ description: 'A message for the creator of the link, at most 500 characters.' }),
    ),
  }),
  body: Type.String({ contentMediaType: 'application/octet-stream' }),
  reply: Type.Object({ name: Type.String(), size: StoredObject.properties.size }),
  errors: [
    'gone',
    'malformed',
    'unauthenticated',
    'rate_limited',
    'length_required',
    'too_large',
    'unsupported_media_type',
    'quota_exceeded',
    'limit_reached',
    'read_only',
  ],
  records: ['upload'],
} as const
/** An upload in parts through a link. */
export const SharedUpload = Type.Object({
  upload: Type.String({
    description:
      'Names the upload in the paths of its requests. Whoever has it can continue the upload: keep it secret.',
  }),
  name: Type.String(),
  size: Type.Integer(),
  part_size: Type.Integer({ description: 'Bytes of every part but the last.' }),
  num_parts: Type.Integer(),
  parts: Type.Array(Type.Integer(), { description: 'Numbers of those that have arrived.' }),
  expires_at: Timestamp,
})
export type SharedUpload = Type.Static<typeof SharedUpload>

const ofUpload = {
  tag: 'public',
  access: 'public',
  params: Type.Object({ upload: Type.String({ minLength: 1, maxLength: 1024 }) }),
} as const
const uploadErrors = ['gone', 'not_found', 'conflict', 'rate_limited'] as const
const beside = { root: true } as const

export const operations = {
  shareObject: route({
    ...mint,
    url: '/share/{bucket}/{+key}',
    summary: 'Create a link to an object',
    description: 'Needs `share` and `read`. The limits may be in the body or in the query.',
    params: Type.Object({ bucket: BucketName, key: ObjectKey }),
    query: Exactly(fromQuery),
  }),

  shareObjectByQuery: route({
    ...mint,
    url: '/share/{bucket}',
    summary: 'Create a link to an object (key in the query)',
    params: Type.Object({ bucket: BucketName }),
    query: Exactly({ key: ObjectKey, ...fromQuery }),
  }),

  createShare: route({
    ...creating,
    url: '/share',
    summary: 'Create a link to an object, a folder or a selection, or an upload link',
    description:
      '`upload` needs `share` and `write` under the prefix: strangers can upload files there, but see nothing of its contents and never overwrite anything.',
    bodyLimit: 4 * 1024 * 1024,
    rate: 'costly',
    body: Exactly({
      kind: Type.Enum([...shareKinds]),
      bucket: BucketName,
      key: Type.Optional(ObjectKey),
      prefix: Type.Optional(Prefix),
      keys: Type.Optional(Type.Array(ObjectKey, { minItems: 1, maxItems: 1000, uniqueItems: true })),
      ...limits,
      ...uploadLimits,
    }),
  }),

  bulkShare: route({
    ...many,
    url: '/buckets/{bucket}/objects/bulk-share',
    summary: 'Create a link to each of up to 1,000 objects',
    description:
      'One link for each of `keys`, or for all that is under `prefix` or that `query` finds there, which needs `list`; `limit_reached` if that is more than 1,000, or too many objects have to be looked at, before any is created. Needs `share` and `read` on each object. Links that cannot be created are in `errors`; the others are created all at once, each as `POST /share` would. Their URLs are in this response, and later only if links are stored. With `dry_run` nothing is created, and `total` says how many links there would be.',
    bodyLimit: KEYS_BODY_LIMIT,
    body: Exactly({
      keys: Type.Optional(Keys),
      prefix: Type.Optional(Prefix),
      query: Type.Optional(SearchText({ description: 'What to search for, in the language of `searchObjects`.' })),
      exclude: Type.Optional(
        Type.Array(ObjectKey, {
          maxItems: 1000,
          description: 'Keys to leave out; a key that ends with a slash leaves out the whole folder.',
        }),
      ),
      ...limitsOfMany,
      dry_run: Type.Optional(Type.Boolean({ description: 'Only say what would be done.' })),
    }),
    reply: Type.Object({
      items: Type.Array(LinkToEach),
      errors: BulkResult.properties.errors,
      total: Type.Integer({ description: 'How many links were created, or would be.' }),
    }),
    errors: ['not_found', 'invalid_request', 'invalid_query', 'limit_reached'],
    records: ['share_create'],
  }),

  bulkUnshare: route({
    ...many,
    url: '/buckets/{bucket}/objects/bulk-unshare',
    summary: 'Revoke up to 1,000 links of a bucket',
    description: 'Each like `DELETE /share/{id}`. Links that cannot be revoked are in `errors`.',
    body: Exactly({ ids: Type.Array(Id, { minItems: 1, maxItems: MOST_LINKS, uniqueItems: true }) }),
    bodyLimit: KEYS_BODY_LIMIT,
    reply: Type.Object({
      revoked: Type.Array(Id),
      errors: Type.Array(Type.Object({ id: Id, code: Type.String(), detail: Type.String() })),
    }),
    errors: ['not_found'],
    records: ['share_revoke'],
  }),

  listShares: route({
    method: 'GET',
    url: '/share',
    tag: 'shares',
    summary: 'List your links, latest first; administrators see all',
    access: 'signed_in',
    status: 200,
    query: Exactly({
      bucket: Type.Optional(BucketName),
      key: Type.Optional({ ...Prefix, description: 'Only links to this object.' } as typeof Prefix),
      state: Type.Optional(
        Type.Enum(['active', 'expired', 'revoked'], {
          description: '`expired` includes links whose downloads are used up.',
        }),
      ),
      q: Type.Optional(Plain(200, { description: 'Part of the key, prefix, file name or creator’s email.' })),
      limit: Type.Optional(Limit),
      cursor: Type.Optional(Cursor),
    }),
    reply: Page(Share),
  }),

  updateShare: route({
    method: 'PATCH',
    url: '/share/{id}',
    tag: 'shares',
    summary: 'Change the limits, the message or the notice of a link',
    access: 'signed_in',
    status: 200,
    params: byId,
    body: Type.Object(
      {
        expires_in: Type.Optional(LinkExpiry),
        password: Type.Optional(Nullable(SharePassword)),
        max_downloads: Type.Optional(Nullable(Downloads)),
        filename: Type.Optional(Nullable(Filename)),
        disposition: Type.Optional(Nullable(Disposition)),
        message: Type.Optional(Nullable(Message)),
        notify: Type.Optional(Notify),
        content_types: Type.Optional(
          Nullable(ContentTypes, { description: 'Only of upload links: for files sent from now on; null for all.' }),
        ),
      },
      { additionalProperties: false, minProperties: 1 },
    ),
    reply: Share,
    errors: ['not_found', 'conflict'],
    records: ['share_update'],
  }),

  getShareLink: route({
    method: 'GET',
    url: '/share/{id}/link',
    tag: 'shares',
    summary: 'Get the URL of a link that you created again',
    description:
      'Links are stored, encrypted, unless the setting `shares.keep_links` is off. Only the creator of a link can get it. Each time is recorded as `share_link_read`.',
    access: 'signed_in',
    status: 200,
    params: byId,
    reply: Type.Pick(NewShare, ['id', 'token', 'url', 'page_url']),
    errors: ['not_found', 'conflict'],
  }),

  revokeShare: route({
    method: 'DELETE',
    url: '/share/{id}',
    tag: 'shares',
    summary: 'Revoke a link',
    description: 'Takes effect on the next request. Users with `manage` on its object may revoke it too.',
    access: 'signed_in',
    status: 204,
    params: byId,
    errors: ['not_found'],
    records: ['share_revoke'],
  }),

  listShareAccesses: route({
    method: 'GET',
    url: '/share/{id}/accesses',
    tag: 'shares',
    summary: 'List a link’s accesses, latest first',
    access: 'signed_in',
    status: 200,
    params: byId,
    query: Exactly({
      page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
      page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
    }),
    reply: NumberedPage(
      Type.Object({
        id: Id,
        time: Timestamp,
        outcome: Type.Enum(
          ['opened', 'served', 'previewed', 'continued', 'uploaded', 'wrong_password', 'limit_spent'],
          {
            description:
              '`opened`: someone saw what the link holds, on its page or by the API; at most once an hour for each address and browser.',
          },
        ),
        object_key: Nullable(Type.String()),
        ip: Nullable(Type.String()),
        user_agent: Nullable(Type.String()),
        sender_name: Nullable(Type.String({ description: 'Of an upload: who sent it, as they said.' })),
        sender_message: Nullable(Type.String({ description: 'Of an upload: what its sender said about it.' })),
      }),
    ),
    errors: ['not_found'],
  }),

  unlockShare: route({
    method: 'POST',
    url: '/public/s/{token}',
    tag: 'public',
    summary: 'Exchange the password of a link for a ticket',
    description:
      'Put the ticket into the query of the link’s URLs, so that a browser can open and save the link’s objects. It expires with the link and when the password changes.',
    access: 'public',
    status: 200,
    params: Type.Object({ token: Token }),
    body: Exactly({ password: Type.String({ maxLength: 1024, format: 'password' }) }),
    reply: Type.Object({ ticket: Type.String(), expires_in: Type.Integer({ description: 'Seconds.' }) }),
    errors: ['gone', 'unauthenticated', 'rate_limited', 'busy'],
    records: [],
  }),

  openShare: route(openSpec),

  headShare: route(headSpec),

  openShareEntry: route(entrySpec),

  headShareEntry: route({ ...entrySpec, method: 'HEAD' }),

  archiveShare: route(archiveSpec),

  archiveShareAtRoot: route({ ...archiveSpec, ...beside }),

  receiveThroughShare: route(receiveSpec),

  receiveThroughShareAtRoot: route({ ...receiveSpec, ...beside }),

  beginSharedUpload: route({
    method: 'POST',
    url: '/public/s/{token}/uploads',
    tag: 'public',
    summary: 'Start a multipart upload through an upload link',
    description:
      'For large files over connections that break. The limits of the link hold now, with everything that is under way, and when the upload is completed. Send the parts, several at a time and in any order; after an interruption, get those that have arrived. Unfinished uploads expire like those of users, and end with the link, or when its password changes.',
    access: 'public',
    status: 201,
    params: Type.Object({ token: Token }),
    query: Exactly({ ticket: Ticket }),
    body: Exactly({
      name: UploadName,
      size: Type.Integer({ minimum: 1, maximum: MAX_OBJECT_BYTES }),
      content_type: Type.Optional(Plain(255)),
      sender: Type.Optional(Exactly(Sender.properties)),
      attempt: Type.Optional(
        Plain(100, {
          minLength: 16,
          description:
            'A secret chosen at random. Repeating a request whose response was lost returns the same upload.',
        }),
      ),
    }),
    reply: SharedUpload,
    errors: [
      'gone',
      'unauthenticated',
      'rate_limited',
      'invalid_request',
      'too_large',
      'unsupported_media_type',
      'quota_exceeded',
      'limit_reached',
      'read_only',
    ],
    records: [],
  }),

  getSharedUpload: route({
    ...ofUpload,
    method: 'GET',
    url: '/public/uploads/{upload}',
    summary: 'Get which parts of an upload have arrived',
    status: 200,
    reply: SharedUpload,
    errors: ['gone', 'not_found', 'rate_limited'],
  }),

  putSharedPart: route({
    ...ofUpload,
    method: 'PUT',
    url: '/public/uploads/{upload}/parts/{part_number}',
    summary: 'Upload one part',
    description: 'Needs `Content-Length`. Uploading a part again replaces it.',
    consumes: 'bytes',
    status: 200,
    params: Type.Object({ ...ofUpload.params.properties, part_number: PartNumber }),
    body: Type.String({ contentMediaType: 'application/octet-stream' }),
    reply: Type.Object({ part_number: Type.Integer(), size: Type.Integer() }),
    errors: [...uploadErrors, 'length_required', 'too_large', 'malformed', 'quota_exceeded'],
    records: [],
    rate: 'none',
  }),

  completeSharedUpload: route({
    ...ofUpload,
    method: 'POST',
    url: '/public/uploads/{upload}/complete',
    summary: 'Complete a multipart upload through a link',
    description:
      'If the name is already in use, the file is stored with a number after it; nothing is ever overwritten. The response has the name that was sent. Repeating the request returns the same result. 409 names parts that are missing.',
    status: 200,
    reply: receiveSpec.reply,
    errors: [...uploadErrors, 'unauthenticated', 'too_large', 'quota_exceeded', 'limit_reached', 'read_only'],
    records: ['upload'],
  }),

  abortSharedUpload: route({
    ...ofUpload,
    method: 'DELETE',
    url: '/public/uploads/{upload}',
    summary: 'Abort a multipart upload through a link',
    status: 204,
    errors: ['gone', 'not_found', 'rate_limited'],
    records: [],
  }),

  openShareAtRoot: route({ ...openSpec, ...beside }),

  headShareAtRoot: route({ ...headSpec, ...beside }),

  openShareEntryAtRoot: route({ ...entrySpec, ...beside }),

  headShareEntryAtRoot: route({ ...entrySpec, method: 'HEAD', ...beside }),
}
