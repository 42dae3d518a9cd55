/** Which names are valid, and other limits. Without the schema library, so that browsers can check them with these. */

export const BUCKET_NAME = '^(?!.*\\.\\.)(?!\\d{1,3}(\\.\\d{1,3}){3}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$'
/** Whether a text is a valid bucket name. */
export const isBucketName = (text: string): boolean =>
  text.length >= 3 && text.length <= 63 && new RegExp(BUCKET_NAME).test(text)

/** The name of a snapshot: a label of a host name, and no moment as names of buckets have it. */
export const SNAPSHOT_NAME = '^(?!\\d{8}t\\d{6}z$)[a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?$'
/** Whether a text is a valid name of a snapshot. */
export const isSnapshotName = (text: string): boolean => new RegExp(SNAPSHOT_NAME).test(text)

/** A grant's bucket pattern: `*` matches any characters, at most three times. */
export const BUCKET_PATTERN = '^(?!([^*]*\\*){4})[a-z0-9.*-]{1,63}$'
/** Whether a text is a valid bucket pattern for a grant. */
export const isBucketPattern = (text: string): boolean => new RegExp(BUCKET_PATTERN).test(text)

const encoder = new TextEncoder()
/** A text's length in UTF-8 bytes. */
export const byteLength = (text: string): number => encoder.encode(text).length

/** The formats `object-key` (min 1) and `key-prefix` (min 0): well-formed, no NUL, at most 1024 bytes. */
export const isKeyText = (text: string, min: 0 | 1): boolean =>
  text.length >= min &&
  text.length <= 1024 &&
  text.isWellFormed() &&
  !text.includes('\0') &&
  // A UTF-16 code unit takes at most three bytes.
  (text.length * 3 <= 1024 || byteLength(text) <= 1024)

/** Permissions on buckets and keys. They are granted to groups and only ever add up; there are no deny rules. */
export const bucketActions = [
  'list',
  'read',
  'write',
  'delete',
  'share',
  'policy',
  'manage',
  'create',
  'bypass_lock',
] as const
export type BucketAction = (typeof bucketActions)[number]

/** The form of an id. */
export const ID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

/** Whether a text can name the buckets that a scope is about: a name, or the start of one and `*`. */
export const SCOPE_BUCKET = '^[a-z0-9][a-z0-9.-]{0,61}(\\*|[a-z0-9])$|^\\*$'

/** Control characters and separators of lines, as a part of a class of characters. */
const CONTROL = '\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029'
/** The form of a name, or of another text on one line: it is not blank. */
export const LINE = `^[^${CONTROL}\\S]*[^${CONTROL}\\s][^${CONTROL}]*$`
/** The same as it looks: without what turns the text around it, and blanks that nobody sees. */
export const LEGIBLE_LINE = `^(?!.*[\\u061c\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff])${LINE.slice(1)}`
/** The same, without blanks around it. */
export const TRIMMED_LINE = `^[^${CONTROL}\\s]([^${CONTROL}]*[^${CONTROL}\\s])?$`
/** The form of a text on one line that may be blank. */
export const PLAIN = `^[^${CONTROL}]*$`
/** The form of a text of several lines. */
export const LINES = '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$'
/** The same, not blank. */
export const SOME_LINES = `^(?!\\s*$)${LINES.slice(1)}`
/** The form of a file's name, without folders. */
export const FILE_NAME = `^[^/\\\\${CONTROL}]+$`
const line = new RegExp(LINE)
/** Whether a text can be a name, or the like. */
export const isLine = (text: string): boolean => line.test(text)

/** Blanks, control characters, and others that are not seen; and what has a meaning in addresses. */
const OUTSIDE = `\\s.@${CONTROL}\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f`
const LOCAL = `[^${OUTSIDE}"(),:;<>[\\\\\\]]+`
const LABEL = `[^${OUTSIDE}!-,/:-?[-^\`{-~]+`
/**
 * The form of a user's email address: what RFC 5321 allows without quotes, in any script, at a host that has a name. Nothing
 * that reads mail takes it for anything but one address.
 */
export const EMAIL = `^${LOCAL}(\\.${LOCAL})*@(?!-)${LABEL}(\\.${LABEL})*$`
const email = new RegExp(EMAIL)
export const isEmail = (text: string): boolean => email.test(text)

/** The form of a mail server's host: a name or an address. */
export const MAIL_HOST = '^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252}[A-Za-z0-9.])?$|^[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*$'

/** What a login can ask an identity provider for: `openid`, and further scopes (RFC 6749 section 3.3). */
export const IDP_SCOPE = '^openid( [\\x21\\x23-\\x5B\\x5D-\\x7E]{1,100}){0,20}$'

/** The form of a secret access key that another system made. */
export const SECRET_ACCESS_KEY = '^[!-~]{8,128}$'

/** The form of an access key's id: of those that Strongroom makes, and of those that other systems made. */
export const ACCESS_KEY_ID = '^[A-Za-z0-9_.-]{3,128}$'

/** The form of a storage's name. */
export const STORAGE_NAME = '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'

/** Names of registered keys of key services. */
export const KMS_KEY_NAME = '^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$'

/** Most hours for which others can be asked to have changed nothing before a bucket is taken over. */
export const MOST_QUIET_HOURS = 720

/** The kinds of which a configuration lists entries. */
export const listedKinds = [
  'storages',
  'identity_policies',
  'groups',
  'users',
  'roles',
  'buckets',
  'access_keys',
  'webhooks',
  'policies',
] as const

/** Settings that are secrets, by section. */
export const SECRET_SETTINGS = {
  idp: ['client_secret'],
  directory: ['client_secret', 'bearer_token'],
  mail: ['password'],
} as const

/** Fields of a configuration that are secrets, by kind or section of the settings: files name where they are instead. */
export const SECRET_FIELDS: { readonly [kind: string]: readonly string[] } = {
  storages: ['secret_access_key'],
  users: ['password'],
  access_keys: ['secret_access_key'],
  webhooks: ['secret'],
  'settings.idp': SECRET_SETTINGS.idp,
  'settings.directory': SECRET_SETTINGS.directory,
  'settings.mail': SECRET_SETTINGS.mail,
}
