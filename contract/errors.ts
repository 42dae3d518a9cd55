/** Every error code of the API with its HTTP status and title (RFC 9457 section 3.1). */
export const errors = {
  malformed: { status: 400, title: 'The request is malformed' },
  invalid_query: { status: 400, title: 'The search is not understood' },
  invalid_oauth_request: { status: 400, title: 'The client’s request is refused' },
  unsupported_grant_type: { status: 400, title: 'Unsupported grant type' },
  encryption_key_required: { status: 400, title: 'The key of the object is required' },
  invalid_state: { status: 400, title: 'This login is unknown, expired or already used' },
  unauthenticated: { status: 401, title: 'Credentials are missing or invalid' },
  invalid_grant: { status: 401, title: 'Wrong email or password' },
  second_factor_required: { status: 401, title: 'A second factor is required' },
  password_change_required: { status: 401, title: 'The password must be changed' },
  second_factor_enrollment_required: { status: 401, title: 'A second factor must be set up' },
  invalid_passkey: { status: 401, title: 'The passkey was not accepted' },
  invalid_second_factor: { status: 401, title: 'Wrong code' },
  idp_rejected: { status: 401, title: 'The identity provider did not confirm your identity' },
  forbidden: { status: 403, title: 'Permission denied' },
  approval_required: { status: 403, title: 'A user has to approve this' },
  login_disabled: { status: 403, title: 'This login method is disabled' },
  user_not_provisioned: { status: 403, title: 'You have no account here' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  already_exists: { status: 409, title: 'Already exists' },
  not_empty: { status: 409, title: 'Not empty' },
  conflict: { status: 409, title: 'Conflict' },
  changed: { status: 409, title: 'Changed in the meantime' },
  email_in_use: { status: 409, title: 'Email address already in use' },
  last_admin: { status: 409, title: 'No administrator could log in any more' },
  limit_reached: { status: 409, title: 'Limit reached' },
  read_only: { status: 409, title: 'The bucket is read-only' },
  archived: { status: 409, title: 'The object is archived' },
  damaged: { status: 409, title: 'The bytes are missing or incomplete' },
  erased: { status: 410, title: 'The contents were erased' },
  gone: { status: 410, title: 'This link is no longer valid' },
  nothing_to_restore: { status: 410, title: 'Nothing left to restore' },
  length_required: { status: 411, title: 'Content-Length is required' },
  precondition_failed: { status: 412, title: 'Precondition failed' },
  quota_exceeded: { status: 413, title: 'Quota exceeded' },
  too_large: { status: 413, title: 'Too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  range_not_satisfiable: { status: 416, title: 'Range not satisfiable' },
  expectation_failed: { status: 417, title: 'Expectation failed' },
  invalid_request: { status: 422, title: 'Invalid request' },
  locked: { status: 423, title: 'Locked' },
  rate_limited: { status: 429, title: 'Too many requests' },
  budget_exceeded: { status: 429, title: 'The budget is used up' },
  headers_too_large: { status: 431, title: 'Request headers too large' },
  internal: { status: 500, title: 'Internal error' },
  not_implemented: { status: 501, title: 'Not implemented' },
  directory_not_configured: { status: 501, title: 'No user directory is configured' },
  directory_forbidden: { status: 502, title: 'The user directory rejected our credentials' },
  directory_unavailable: { status: 502, title: 'The user directory failed' },
  mail_not_sent: { status: 502, title: 'The mail was not sent' },
  idp_unavailable: { status: 503, title: 'The identity provider cannot be reached' },
  directory_busy: { status: 503, title: 'The user directory is rate limiting us' },
  standby: { status: 503, title: 'This is a standby, which only answers reads' },
  busy: { status: 503, title: 'Busy' },
  directory_timeout: { status: 504, title: 'The user directory timed out' },
  storage_full: { status: 507, title: 'The storage is full' },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof errors

/** One invalid input: where (`body.name`, `query.limit`, `header.range`) and what is wrong with it. */
export interface Fault {
  path: string
  message: string
}

/** What a request needs that does not answer. */
export type Unreachable = 'database' | 'storage' | 'key_service'

/** What a request names that is not there. */
export type Missing = 'bucket' | 'object' | 'upload' | 'version'

/** A delete marker that is found where contents were asked for. */
export interface Marker {
  version_id: string
  last_modified: string
}

/** An error for the caller: becomes the problem response of its code. `detail` is shown to the caller. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly faults: readonly Fault[]
  /** Response headers that belong to the error (Retry-After, WWW-Authenticate, Content-Range). */
  readonly headers: Readonly<Record<string, string>>
  /** What a `not_found` is about, for protocols that have a code for each. */
  readonly missing: Missing | undefined
  /** Of a `busy` that is an outage, for protocols that have a code for it. */
  readonly unreachable: Unreachable | undefined
  /** The delete marker that is found instead. */
  readonly marker: Marker | undefined
  /** Further members of the problem. */
  readonly extensions: Readonly<Record<string, unknown>>
  constructor(
    code: ErrorCode,
    detail: string,
    more: {
      faults?: readonly Fault[]
      headers?: Record<string, string>
      missing?: Missing
      unreachable?: Unreachable
      marker?: Marker
      extensions?: Record<string, unknown>
      cause?: unknown
    } = {},
  ) {
    super(detail, { cause: more.cause })
    this.code = code
    this.faults = more.faults ?? []
    this.headers = more.headers ?? {}
    this.missing = more.missing
    this.unreachable = more.unreachable
    this.marker = more.marker
    this.extensions = more.extensions ?? {}
  }
}
