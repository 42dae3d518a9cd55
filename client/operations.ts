// Generated from contract/ by `npm run docs`.

/** A request body of bytes. */
export type Bytes = NonNullable<RequestInit['body']>
/** A page of a list with cursors. */
export interface Page<T> {
  items: T[]
  next_cursor: string | null
}
/** A page of a list with page numbers. */
export interface NumberedPage<T> {
  items: T[]
  total: number
  page: number
  page_size: number
}

export interface Checksum {
  algorithm: 'crc32' | 'crc32c' | 'crc64nvme' | 'sha1' | 'sha256' | 'sha512' | 'md5' | 'xxhash64' | 'xxhash3' | 'xxhash128'
  /** `composite`: of the checksums of its parts. */
  type: 'full_object' | 'composite'
  /** Base64; after a composite one, `-` and the number of parts. */
  value: string
}

export interface ObjectHeaders {
  'cache-control'?: string
  'content-disposition'?: string
  'content-encoding'?: string
  'content-language'?: string
  expires?: string
  /** Where the website of the bucket sends those who ask for the object: a path, or a URL of http or https. */
  'x-amz-website-redirect-location'?: string
}

export interface PasskeyAssertion {
  id: string
  rawId: string
  type: 'public-key'
  response: {
    clientDataJSON: string
    authenticatorData: string
    signature: string
  }
}

export interface PasskeyCreation {
  challenge: string
  /** Milliseconds. */
  timeout: number
  rp: {
    id: string
    name: string
  }
  user: {
    id: string
    name: string
    displayName: string
  }
  pubKeyCredParams: {
    type: 'public-key'
    alg: number
  }[]
  excludeCredentials: {
    id: string
    type: 'public-key'
    transports?: string[]
  }[]
  authenticatorSelection: {
    residentKey: 'preferred'
    userVerification: 'preferred'
  }
  extensions: {
    credProps: true
  }
  attestation: 'none'
}

export interface PasskeyLogin {
  id: string
  rawId: string
  type: 'public-key'
  response: {
    clientDataJSON: string
    authenticatorData: string
    signature: string
    userHandle: string
  }
}

export interface PasskeyRegistration {
  id: string
  rawId: string
  type: 'public-key'
  response: {
    clientDataJSON: string
    attestationObject: string
    transports?: string[]
  }
  clientExtensionResults?: {
    credProps?: {
      rk?: boolean
    }
  }
}

export interface PasskeyRequest {
  challenge: string
  /** Milliseconds. */
  timeout: number
  /** The host name of PUBLIC_BASE_URL. */
  rpId: string
  allowCredentials: {
    id: string
    type: 'public-key'
    transports?: string[]
  }[]
  /** `required` to sign in without a password: the passkey then stands for both factors. */
  userVerification: 'preferred' | 'required'
}

export interface CorsRule {
  id?: string
  /** Each may have one `*`. */
  origins: string[]
  methods: ('GET' | 'PUT' | 'POST' | 'DELETE' | 'HEAD')[]
  headers?: string[]
  expose?: string[]
  max_age_seconds?: number
}

export interface LifecycleRule {
  id: string
  enabled?: boolean
  /** Which objects it is about: those that meet all of these. Sizes are in bytes, both exclusive. */
  filter?: {
    /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
    prefix?: string
    tags?: Record<string, string>
    greater_than?: number
    less_than?: number
  }
  /** A number of days after the last change, or a midnight UTC; or delete markers without another version. */
  expiration?: {
    days: number
  } | {
    date: string
  } | {
    expired_delete_marker: boolean
  }
  /** Versions expire this number of days after they stopped being current, except the `newer` latest of each key. */
  noncurrent?: {
    days: number
    newer?: number
  }
  /** When an unfinished multipart upload is aborted. */
  abort_days?: number
}

export interface WebsiteRule {
  /** Both, if both are given. Without it the rule is about every request. */
  condition?: {
    key_prefix?: string
    /** The status that the answer would have. */
    error_code?: number
  }
  redirect: {
    /** By default that of the request. */
    protocol?: 'http' | 'https'
    /** By default that of the request. */
    host?: string
    /** In place of `key_prefix`. */
    replace_key_prefix?: string
    /** In place of the whole key. */
    replace_key?: string
    /** By default 301. */
    code?: 301 | 302 | 303 | 304 | 305 | 307 | 308
  }
}

export interface Configuration {
  /** Storages, by name. Kind, bucket, prefix and folder cannot be changed. */
  storages?: ({
    /** 1–63 of `a-z 0-9 -`, starting and ending with a letter or digit. It cannot be changed. */
    name: string
    kind?: 's3' | 'file'
    endpoint?: string | null
    region?: string | null
    bucket?: string | null
    /** Where in that bucket the bytes lie. A slash is added at its end. */
    prefix?: string
    path_style?: boolean | null
    folder?: string | null
    access_key_id?: string | null
    secret_access_key?: string | null
    enabled?: boolean
  })[]
  /** Policies that can be attached, by name. Path and description cannot be changed. */
  identity_policies?: {
    name: string
    path?: string
    description?: string
    /** For a new policy, required. */
    document?: Record<string, unknown>
  }[]
  /** Groups, by name. `grants` are all the grants of a group. */
  groups?: ({
    name: string
    description?: string
    global?: ('admin' | 'users.manage')[]
    grants?: ({
      /** A bucket name; `*` matches any characters, at most three times. */
      bucket_pattern: string
      /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
      prefix?: string
      actions?: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
      /** A named set of actions, instead of `actions`. */
      preset?: 'viewer' | 'uploader' | 'editor' | 'publisher' | 'owner'
    })[]
    /** All policies that are attached: those of `identity_policies` by name, built-in ones as `aws:readonly`. */
    attached_policies?: string[]
    /** All policies of their own, by name, in AWS’ policy language. */
    inline_policies?: Record<string, Record<string, unknown>>
  })[]
  /** Users, by email address. */
  users?: ({
    email: string
    display_name?: string
    /** For a user that is created. It is not changed afterwards. */
    password?: string
    /** Together with a password, for a user that is created: they choose another one when they first log in. */
    must_change_password?: boolean
    /** Instead of a password, for a user that is created: they get a link with which they choose one themselves. */
    invite?: boolean
    is_active?: boolean
    idp_subject?: string | null
    /** Names of all the groups they are in. */
    groups?: string[]
    /** All policies that are attached: those of `identity_policies` by name, built-in ones as `aws:readonly`. */
    attached_policies?: string[]
    /** All policies of their own, by name, in AWS’ policy language. */
    inline_policies?: Record<string, Record<string, unknown>>
  })[]
  /** Roles, by name. The path cannot be changed. */
  roles?: {
    /** The name of a role. */
    name: string
    path?: string
    description?: string
    /** The policy that says who may take it on. For a new role, required. */
    trust?: Record<string, unknown>
    /** How long a session lasts at most, and by default if that is less than an hour. */
    max_session_seconds?: number
    tags?: Record<string, string>
    /** All policies that are attached: those of `identity_policies` by name, built-in ones as `aws:readonly`. */
    attached_policies?: string[]
    /** All policies of their own, by name, in AWS’ policy language. */
    inline_policies?: Record<string, Record<string, unknown>>
  }[]
  /** Buckets, by name. Storage, mode and prefix cannot be changed: move, attach, take over or release a bucket instead. */
  buckets?: ({
    /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
    name: string
    quota_gb?: number | null
    history_quota_gb?: number | null
    /** Whether what snapshots alone keep takes room of the quota. Then none is taken either while the quota is exceeded. */
    quota_includes_history?: boolean
    /** Days that deleted and overwritten objects stay restorable; 0 disables the trash. */
    trash_days?: number
    /** `enabled`: what is replaced or deleted stays as a version. `suspended`: the versions stay, but no more are made. It cannot be turned off again. */
    versioning?: 'enabled' | 'suspended'
    /** Turns Object Lock on in a bucket that keeps versions. It cannot be turned off again. With `mode` and either `days` or `years`, each new version is locked that long. `{}` locks none by itself. */
    object_lock?: ObjectLockChange
    /** Of new objects whose upload says nothing of it; existing objects do not change. Null: none. A new bucket of which nothing is said is encrypted as the setting `encryption.new_buckets` says. */
    encryption?: BucketEncryption | null
    /** 1–63 of `a-z 0-9 -`, starting and ending with a letter or digit. It cannot be changed. */
    storage?: string
    mode?: 'owned' | 'read_only'
    /** Where in that bucket the bytes lie. A slash is added at its end. */
    prefix?: string
    public_access_blocked?: boolean
    cors?: CorsRule[] | null
    lifecycle?: LifecycleRule[] | null
    website?: {
      redirect_all: {
        host: string
        /** By default that of the request. */
        protocol?: 'http' | 'https'
      }
    } | {
      /** The object that is shown for a folder. */
      index: string
      /** The object that is shown for an error. */
      error?: string
      rules?: WebsiteRule[]
    } | null
    /** What is allowed and denied in it besides, in AWS’ policy language. */
    policy?: Record<string, unknown> | null
  })[]
  /** Access keys, by ID. */
  access_keys?: ({
    access_key_id: string
    /** For a new key, required. */
    secret_access_key?: string
    name?: string
    /** Whose it is: the email address of a user. */
    user?: string
    expires_at?: string | null
    scope?: ({
      /** A bucket’s name, or its start followed by `*`. */
      bucket: string
      actions: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
      /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
      prefix?: string
    })[] | null
    /** What limits it further, in AWS’ policy language: nothing is allowed that it does not allow. */
    policy?: Record<string, unknown> | null
  })[]
  /** Webhook endpoints, by name. */
  webhooks?: ({
    name: string
    /** Receives the POSTs: http or https, without credentials or fragment, at an allowed address. */
    url?: string
    /** Event names, or `*` for all. */
    events?: string[]
    /** Only events of this bucket; for moves, the source or the destination. */
    bucket?: string | null
    /** Only events of keys with this prefix; requires `bucket`. */
    prefix?: string | null
    /** `s3`: the bodies of S3’s event notifications, and only events that S3 has, about objects. `ping` is then `s3:TestEvent`. */
    format?: 'strongroom' | 's3'
    /** Maximum deliveries in flight, across all replicas. */
    max_in_flight?: number
    enabled?: boolean
    /** Without it, a new endpoint gets one that nobody knows: rotate it to see the next. */
    secret?: string
  })[]
  /** Cleanup policies, by name. Those of lifecycle configurations are in `buckets`. */
  policies?: ({
    name: string
    bucket_patterns?: string[]
    /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
    prefix?: string
    glob?: string | null
    older_than_days?: number | null
    min_size?: number | null
    max_size?: number | null
    /** Only objects that have all these tags. */
    tags?: Record<string, string> | null
    date?: string | null
    keep_newest?: number | null
    noncurrent_days?: number | null
    keep_versions?: number | null
    expired_markers?: boolean | null
    keep_snapshots?: number | null
    max_deletes?: number | null
    max_delete_percent?: number | null
    cron?: string | null
    /** An IANA time zone name. */
    timezone?: string
    enabled?: boolean
  })[]
  settings?: {
    auth?: {
      /** Login with email and password. */
      enable_local?: boolean
      /** Login through the identity provider, if one is configured. */
      enable_idp?: boolean
      /** Who needs a second factor to log in with a password. Those who have none set one up at their next login, and their sessions end. */
      second_factor?: 'optional' | 'administrators' | 'everyone'
      /** A first login through the identity provider creates an account that is in no group. */
      auto_create_users?: boolean
      /** Each refresh replaces the refresh token. If off, the first one works for its 7 days. */
      refresh_rotation?: boolean
      /** A login must finish in the browser that started it. */
      idp_require_browser_cookie?: boolean
    }
    idp?: {
      /** Name shown on the login button. */
      name?: string | null
      /** OpenID Connect issuer. */
      issuer_url?: string | null
      client_id?: string | null
      client_secret?: string | null
      /** Claim that identifies the user. Default: `oid` with Entra, else `sub`. */
      subject_claim?: string | null
      /** Claim that lists the user’s groups; null: only administrators manage group membership. */
      groups_claim?: string | null
      /** What a login asks the provider for: `openid`, and names separated by spaces. Default: `openid profile email`. Some providers send groups only with a scope of their own. */
      scope?: string | null
      /** Values of the groups claim, each with the name of one of our groups. */
      group_mapping?: {
        value: string
        group: string
      }[]
      /** A first login whose id_token says `"email_verified": true` is linked to the account with that email address, if it is active and linked to no identity. Whoever controls an address at the provider gets into its account. Never with Entra. */
      link_verified_email?: boolean
    }
    directory?: {
      kind?: 'msgraph' | 'keycloak' | 'scim2' | null
      /** Graph host, Keycloak base URL, or SCIM base URL (without `/Users`). */
      url?: string | null
      /** Token endpoint for directory access. */
      token_url?: string | null
      /** Default: the identity provider’s. */
      client_id?: string | null
      client_secret?: string | null
      /** Keycloak. */
      realm?: string | null
      bearer_token?: string | null
      /** SCIM attribute that the subject claim contains. */
      subject_attribute?: 'id' | 'externalId' | 'userName'
    }
    mail?: {
      /** Mail server (SMTP): a name or an address. Null: no mail is sent. */
      host?: string | null
      port?: number
      /** `starttls`: refused unless the server offers it. `tls`: from the first byte, usually on port 465. `none`: not encrypted. */
      security?: 'starttls' | 'tls' | 'none'
      /** Null: the server asks for no login. */
      username?: string | null
      password?: string | null
      /** The sender of every mail. Required with `host`. */
      from_address?: string | null
      /** The sender’s name. Null: the site’s. */
      from_name?: string | null
    }
    quotas?: {
      /** Default quota of new buckets. Null: none. */
      default_bucket_quota_gb?: number | null
      /** Quota for all buckets together; enforced like a bucket’s. */
      total_quota_gb?: number | null
    }
    encryption?: {
      /** Encryption of new buckets, where whoever creates one says nothing of it. Null: none. Existing buckets do not change. */
      new_buckets?: BucketEncryption | null
    }
    trash?: {
      /** Default trash days of new buckets. */
      default_days?: number
    }
    tokens?: {
      /** Maximum lifetime of new personal access tokens; 0: no limit. */
      max_lifetime_days?: number
      /** A token created with another token does not outlive it. */
      cap_child_expiry?: boolean
    }
    uploads?: {
      /** When an unfinished multipart upload is discarded. */
      expire_hours?: number
      /** When an unfinished multipart upload of an S3 client is discarded, after its last part. */
      s3_expire_days?: number
      /** For how long whoever may write and not manage can lock a version in a bucket with Object Lock. Default: 3653, ten years. Null: no limit. Defaults of buckets and locks that exist are not affected. */
      max_lock_days?: number | null
    }
    s3?: {
      /** Requests that S3 clients may make with one access key in a minute, to each process. 0: no limit. */
      rate_per_key?: number
      /** Whether buckets and objects can be public at the S3 endpoint: by a bucket policy, by an ACL, or by a grant of the group of everyone. Off: every request needs a credential. */
      public_access?: boolean
    }
    shares?: {
      default_expires_in?: string
      /** Maximum lifetime of new links; null: no limit. */
      max_expires_in?: string | null
      /** A link ends when its creator is disabled or loses the permission to share or read (upload links: write) its objects. */
      require_creator_access?: boolean
      /** New links are stored, encrypted, so that their creators can get them again. Off: only their hashes are stored, and the links stored before are deleted within an hour. */
      keep_links?: boolean
    }
    images?: {
      /** Maximum size of the source. */
      max_source_mb?: number
      /** Maximum of all frames together, as declared in the header. */
      max_source_megapixels?: number
      /** Maximum of progressive and interlaced sources. */
      max_progressive_megapixels?: number
      max_avif_source_megapixels?: number
      /** Maximum of all frames together. */
      max_result_megapixels?: number
      max_avif_result_megapixels?: number
      /** Further frames are dropped. */
      max_frames?: number
      /** Time limit for queueing and rendering. */
      timeout_seconds?: number
      /** Concurrent renders per process. Null: one per core. Never more than there are cores. */
      render_slots?: number | null
      /** Concurrent renders per user. Null: three quarters of them, at least 2. */
      slots_per_user?: number | null
      /** Concurrent renders per share link. Null: half of them. */
      slots_per_link?: number | null
      /** When it is full: 503. */
      queue_length?: number
      /** Maximum for all renders of a process together. */
      megapixels_in_flight?: number
      /** Maximum source size for all renders of a process together. */
      source_mb_in_flight?: number
    }
    audit?: {
      /** 0: forever. */
      retention_days?: number
      /** Whether to record downloads too. */
      log_reads?: boolean
      /** Which changes by others in attached buckets are recorded one by one, and sent to webhooks: none, the first 1,000 that a scan finds, or all. Those that the first scan finds never are. */
      external_changes?: 'off' | 'first_1000' | 'all'
    }
    branding?: {
      /** Shown instead of “Strongroom” on the sign-in page, on the pages of share links and in their previews. */
      name?: string | null
    }
  }
}

export interface Me {
  /** A UUIDv7. */
  id: string
  email: string
  display_name: string
  /** The language of the console for this account, and of mail to it; null: the browser’s, and English in mail. */
  language: 'en' | 'de' | 'es' | 'fr' | 'ja' | 'zh-CN' | null
  /** What the credential is limited to; null if to nothing but its owner’s permissions. */
  scope: ({
    /** A bucket’s name, or its start followed by `*`. */
    bucket: string
    actions: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
    /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
    prefix: string
  })[] | null
  is_admin: boolean
  groups: {
    /** A UUIDv7. */
    id: string
    name: string
  }[]
  permissions: {
    global: ('admin' | 'users.manage')[]
    grants: ({
      /** A UUIDv7. */
      group_id: string
      /** Null: the permission of administrators, within the scope. */
      grant_id: string | null
      bucket_pattern: string
      prefix: string
      actions: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
    })[]
  }
  /** Limits from the settings for links and tokens. */
  limits: {
    /** Default lifetime of a link. */
    share_default_expires_in: string
    share_max_expires_in: string | null
    token_max_lifetime_days: number | null
  }
  /** Where S3 clients reach the service; null without an S3 endpoint. */
  s3: {
    url: string | null
    port: number
    region: string
    /** Whether presigned URLs of Signature Version 2 are accepted (`S3_SIGNATURE_V2`). */
    presigned_v2: boolean
    /** Below these, buckets are shown as websites (`S3_WEBSITE_DOMAIN`). */
    website_domains: string[]
  } | null
  /** Whether the service sends mail. */
  mail: boolean
  /** Whether the password is still the one that the service generated and printed. Null: it generated none for this account. */
  password_generated: boolean | null
}

export interface TokenPair {
  /** A JWT (HS256), valid 30 minutes. */
  access_token: string
  token_type: 'bearer'
  /** Lifetime of the access token in seconds. */
  expires_in: number
  /** Valid for one exchange within 7 days. With `session=cookie` it is only in the cookie. */
  refresh_token?: string
}

export interface SecondFactor {
  /** A UUIDv7. */
  id: string
  /** `totp`: an authenticator app. */
  kind: 'totp' | 'passkey'
  name: string
  /** Of a passkey: whether browsers offer it for signing in without a password. Null where that is not known, and for apps. */
  discoverable: boolean | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  last_used_at: string | null
}

export interface NewToken {
  /** A UUIDv7. */
  id: string
  name: string
  /** What the credential is limited to; null if to nothing but its owner’s permissions. */
  scope: ({
    /** A bucket’s name, or its start followed by `*`. */
    bucket: string
    actions: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
    /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
    prefix: string
  })[] | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  expires_at: string | null
  /** The first 12 characters, for recognising it. */
  token_prefix: string
  /** The credential. Returned only once. */
  token: string
}

export interface Token {
  /** A UUIDv7. */
  id: string
  name: string
  /** What the credential is limited to; null if to nothing but its owner’s permissions. */
  scope: ({
    /** A bucket’s name, or its start followed by `*`. */
    bucket: string
    actions: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
    /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
    prefix: string
  })[] | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  expires_at: string | null
  /** The first 12 characters, for recognising it. */
  token_prefix: string
  last_used_at: string | null
  last_used_ip: string | null
  revoked_at: string | null
  /** `expiring`: within seven days. `inactive`: of access keys, turned off by the IAM API. */
  status: 'active' | 'inactive' | 'expiring' | 'expired' | 'revoked'
  /** How its creator was authenticated. */
  created_via: 'local' | 'idp' | 'pat'
  created_by_token_id: string | null
}

export interface AccessKey {
  /** A UUIDv7. */
  id: string
  name: string
  /** What the credential is limited to; null if to nothing but its owner’s permissions. */
  scope: ({
    /** A bucket’s name, or its start followed by `*`. */
    bucket: string
    actions: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
    /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
    prefix: string
  })[] | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  expires_at: string | null
  /** Identifies the key in requests. */
  access_key_id: string
  /** A policy in AWS’ language that limits it further: nothing is allowed that it does not allow. */
  policy: string | null
  last_used_at: string | null
  last_used_ip: string | null
  revoked_at: string | null
  /** `expiring`: within seven days. `inactive`: of access keys, turned off by the IAM API. */
  status: 'active' | 'inactive' | 'expiring' | 'expired' | 'revoked'
  /** How its creator was authenticated. */
  created_via: 'local' | 'idp' | 'pat'
  created_by_token_id: string | null
}

export interface NewAccessKey {
  /** A UUIDv7. */
  id: string
  name: string
  /** What the credential is limited to; null if to nothing but its owner’s permissions. */
  scope: ({
    /** A bucket’s name, or its start followed by `*`. */
    bucket: string
    actions: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
    /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
    prefix: string
  })[] | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  expires_at: string | null
  /** Identifies the key in requests. */
  access_key_id: string
  /** The secret that signs requests. Returned only once. */
  secret_access_key: string
}

export interface MachineSession {
  /** A UUIDv7. */
  id: string
  /** Null for a session with the permissions of its user. */
  role: string | null
  session_name: string
  /** Who opened it, if they have an account. */
  user_id: string | null
  email: string | null
  /** The identity provider whose token opened it, without `https://`. */
  provider: string | null
  /** Who the identity provider says it is. */
  subject: string | null
  source_identity: string | null
  access_key_id: string
  ip: string | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  /** ISO 8601, UTC, milliseconds. */
  expires_at: string
}

export interface BucketPolicy {
  /** Null if it has none. */
  document: string | null
  /** Why it cannot be read. One that was kept and cannot be read denies everything. */
  fault: {
    message: string
    /** What of the document it is about. */
    path: string[]
    /** From 1. */
    line: number
    /** From 1. */
    column: number
  } | null
  sentences: ({
    /** Which of the policy’s statements it is, from 0. */
    statement: number
    sid: string | null
    effect: 'Allow' | 'Deny'
    /** Null in policies of users, groups and roles: whom they belong to. */
    who: {
      all_but: boolean
      of: ({
        kind: 'anyone' | 'account' | 'other_account' | 'user' | 'role' | 'session' | 'provider' | 'service' | 'gone'
        name: string
      })[]
    } | null
    what: {
      /** Everything but this. */
      all_but: boolean
      kinds: ('everything' | 'list_buckets' | 'list' | 'read' | 'read_versions' | 'write' | 'delete' | 'delete_versions' | 'tag' | 'lock' | 'bypass_lock' | 'change_acls' | 'change_policy' | 'change_settings' | 'see_settings' | 'create_bucket' | 'delete_bucket' | 'see_identities' | 'change_identities' | 'assume' | 'assume_with_token' | 'others')[]
      /** Names of actions that are in none of the kinds. */
      others: string[]
    }
    /** Null in policies that say who may take on a role. */
    where: {
      all_but: boolean
      of: ({
        kind: 'everywhere' | 'whole' | 'bucket' | 'objects' | 'below' | 'object' | 'pattern'
        name: string
      })[]
    } | null
    /** All of which have to hold. */
    when: ({
      /** The condition’s key, as the policy writes it. */
      key: string
      relation: 'is' | 'is_not' | 'is_ignoring_case' | 'is_not_ignoring_case' | 'like' | 'not_like' | 'equals' | 'not_equals' | 'less' | 'at_most' | 'more' | 'at_least' | 'in_network' | 'not_in_network' | 'bytes' | 'absent' | 'present'
      values: string[]
      /** Of keys with several values: whether one of them, or all, have to be so. */
      of: 'one' | 'any' | 'all'
      /** Holds as well where a request does not have the key. */
      if_exists: boolean
    })[]
    /** The sentence in English. */
    text: string
  })[]
  warnings: ({
    code: 'opens_to_anyone' | 'opens_to' | 'lets_change_policy' | 'locks_out' | 'account_allows_nobody' | 'no_effect' | 'never_holds' | 'always_holds'
    statement: number
    who: ({
      kind: 'anyone' | 'account' | 'other_account' | 'user' | 'role' | 'session' | 'provider' | 'service' | 'gone'
      name: string
    })[]
    what: {
      /** Everything but this. */
      all_but: boolean
      kinds: ('everything' | 'list_buckets' | 'list' | 'read' | 'read_versions' | 'write' | 'delete' | 'delete_versions' | 'tag' | 'lock' | 'bypass_lock' | 'change_acls' | 'change_policy' | 'change_settings' | 'see_settings' | 'create_bucket' | 'delete_bucket' | 'see_identities' | 'change_identities' | 'assume' | 'assume_with_token' | 'others')[]
      /** Names of actions that are in none of the kinds. */
      others: string[]
    }
    /** The actions, or the condition’s key, that it is about. */
    names: string[]
    /** The warning in English. */
    text: string
  })[]
}

export interface DescribedPolicy {
  document: string
  /** Why it cannot be read. One that was kept and cannot be read denies everything. */
  fault: {
    message: string
    /** What of the document it is about. */
    path: string[]
    /** From 1. */
    line: number
    /** From 1. */
    column: number
  } | null
  sentences: ({
    /** Which of the policy’s statements it is, from 0. */
    statement: number
    sid: string | null
    effect: 'Allow' | 'Deny'
    /** Null in policies of users, groups and roles: whom they belong to. */
    who: {
      all_but: boolean
      of: ({
        kind: 'anyone' | 'account' | 'other_account' | 'user' | 'role' | 'session' | 'provider' | 'service' | 'gone'
        name: string
      })[]
    } | null
    what: {
      /** Everything but this. */
      all_but: boolean
      kinds: ('everything' | 'list_buckets' | 'list' | 'read' | 'read_versions' | 'write' | 'delete' | 'delete_versions' | 'tag' | 'lock' | 'bypass_lock' | 'change_acls' | 'change_policy' | 'change_settings' | 'see_settings' | 'create_bucket' | 'delete_bucket' | 'see_identities' | 'change_identities' | 'assume' | 'assume_with_token' | 'others')[]
      /** Names of actions that are in none of the kinds. */
      others: string[]
    }
    /** Null in policies that say who may take on a role. */
    where: {
      all_but: boolean
      of: ({
        kind: 'everywhere' | 'whole' | 'bucket' | 'objects' | 'below' | 'object' | 'pattern'
        name: string
      })[]
    } | null
    /** All of which have to hold. */
    when: ({
      /** The condition’s key, as the policy writes it. */
      key: string
      relation: 'is' | 'is_not' | 'is_ignoring_case' | 'is_not_ignoring_case' | 'like' | 'not_like' | 'equals' | 'not_equals' | 'less' | 'at_most' | 'more' | 'at_least' | 'in_network' | 'not_in_network' | 'bytes' | 'absent' | 'present'
      values: string[]
      /** Of keys with several values: whether one of them, or all, have to be so. */
      of: 'one' | 'any' | 'all'
      /** Holds as well where a request does not have the key. */
      if_exists: boolean
    })[]
    /** The sentence in English. */
    text: string
  })[]
  warnings: ({
    code: 'opens_to_anyone' | 'opens_to' | 'lets_change_policy' | 'locks_out' | 'account_allows_nobody' | 'no_effect' | 'never_holds' | 'always_holds'
    statement: number
    who: ({
      kind: 'anyone' | 'account' | 'other_account' | 'user' | 'role' | 'session' | 'provider' | 'service' | 'gone'
      name: string
    })[]
    what: {
      /** Everything but this. */
      all_but: boolean
      kinds: ('everything' | 'list_buckets' | 'list' | 'read' | 'read_versions' | 'write' | 'delete' | 'delete_versions' | 'tag' | 'lock' | 'bypass_lock' | 'change_acls' | 'change_policy' | 'change_settings' | 'see_settings' | 'create_bucket' | 'delete_bucket' | 'see_identities' | 'change_identities' | 'assume' | 'assume_with_token' | 'others')[]
      /** Names of actions that are in none of the kinds. */
      others: string[]
    }
    /** The actions, or the condition’s key, that it is about. */
    names: string[]
    /** The warning in English. */
    text: string
  })[]
}

export interface OidcProvider {
  issuer: string
  /** The issuer without its scheme, as policies and conditions name it. */
  key: string
  arn: string
  /** The clients whose tokens count; of any where there are none. */
  audiences: string[]
  /** The service’s own, with which people sign in. */
  own: boolean
  /** Null of the service’s own, unless it is registered as well. */
  created_at: string | null
}

export interface Role {
  id: string
  name: string
  path: string
  /** What programs name it by. */
  arn: string
  description: string
  /** The policy that says who may take it on. */
  trust: string
  max_session_seconds: number
  tags: Record<string, string>
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
}

export interface IdentityPolicy {
  /** A UUIDv7; of a built-in one, `aws:` and its name. */
  id: string
  name: string
  path: string
  arn: string
  description: string
  /** Built in: it can be attached, but neither changed nor deleted. */
  builtin: boolean
  /** Which of its versions is in force. */
  version: number
  /** To how many it is attached. */
  attachments: number
  updated_at: string | null
}

export interface IdentityPolicyDetail {
  /** A UUIDv7; of a built-in one, `aws:` and its name. */
  id: string
  name: string
  path: string
  arn: string
  description: string
  /** Built in: it can be attached, but neither changed nor deleted. */
  builtin: boolean
  /** Which of its versions is in force. */
  version: number
  /** To how many it is attached. */
  attachments: number
  updated_at: string | null
  /** Latest first; five at most. */
  versions: ({
    version: number
    document: string
    in_force: boolean
    created_at: string | null
  })[]
  /** The first hundred. */
  attached_to: ({
    kind: 'user' | 'group' | 'role'
    id: string
    name: string
  })[]
}

export interface Agent {
  /** A UUIDv7. */
  id: string
  name: string
  scope: ({
    /** A bucket’s name, or its start followed by `*`. */
    bucket: string
    actions: ('list' | 'read' | 'write' | 'delete' | 'share')[]
    /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
    prefix: string
  })[]
  /** An hour starts with the first thing that is counted in it. */
  budget: AgentBudget
  approval: AgentApproval
  /** The fork that it works on, if it was made with one. */
  fork: string | null
  /** Of its key pair for S3. */
  access_key_id: string
  /** The first 14 characters of its token, for recognising it. */
  token_prefix: string
  /** A UUIDv7. */
  user_id: string
  /** Who made it. */
  email: string
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  expires_at: string | null
  status: 'active' | 'expired' | 'revoked'
  revoked_at: string | null
  used_this_hour: AgentUse
  /** When the hour ends; null if nothing was counted in it yet. */
  renews_at: string | null
  used_in_all: AgentUse
  /** How many of its requests wait for approval. */
  waiting: number
  /** The client that it was made for when that signed in; null if a user made it. */
  client: {
    /** As the client calls itself. */
    name: string
    /** Where it got its access: the host of its redirect URI, or the scheme of an application. */
    redirect_host: string
    /** Whether that is the machine of the browser. */
    on_this_machine: boolean
  } | null
}

export interface AgentApproval {
  /** `share` is also asked before a download can be given to others by a signed URL. */
  actions: ('write' | 'delete' | 'share')[]
  /** Requests that change or delete more objects than this, and every job; null for none. */
  above_objects: number | null
  /** The same for their bytes. */
  above_bytes: number | null
}

export interface AgentBudget {
  /** Objects written, copied, moved, restored or given other metadata, and links created, in an hour; null for no limit. 1000 by default. */
  change_objects_per_hour: number | null
  /** Bytes of objects written, copied, moved or restored in an hour; null for no limit. No limit by default. */
  change_bytes_per_hour: number | null
  /** Objects deleted in an hour; null for no limit. 100 by default. */
  delete_objects_per_hour: number | null
  /** Bytes of objects deleted in an hour; null for no limit. No limit by default. */
  delete_bytes_per_hour: number | null
  /** Bytes of contents read in an hour; null for no limit. No limit by default. */
  read_bytes_per_hour: number | null
  /** Objects written, copied, moved, restored or given other metadata, and links created, in all; null for no limit. No limit by default. */
  change_objects: number | null
  /** Bytes of objects written, copied, moved or restored in all; null for no limit. No limit by default. */
  change_bytes: number | null
  /** Objects deleted in all; null for no limit. No limit by default. */
  delete_objects: number | null
  /** Bytes of objects deleted in all; null for no limit. No limit by default. */
  delete_bytes: number | null
  /** Bytes of contents read in all; null for no limit. No limit by default. */
  read_bytes: number | null
}

export interface AgentUse {
  change_objects: number
  change_bytes: number
  delete_objects: number
  delete_bytes: number
  read_bytes: number
}

export interface Approval {
  /** A UUIDv7. */
  id: string
  /** A UUIDv7. */
  agent_id: string
  /** The name of the agent. */
  agent: string
  /** `approved`: the agent may make the request once. `done`: it has. */
  status: 'waiting' | 'approved' | 'rejected' | 'done' | 'expired'
  /** Which rule of the agent asks for it. */
  reason: 'write' | 'delete' | 'share' | 'above_objects' | 'above_bytes'
  /** How many objects it changes or deletes; 0 for a job, which has not listed any. */
  objects: number
  bytes: number
  /** What would happen: the first 100. */
  actions: ({
    /** As in the audit log, or `job`. */
    action: string
    bucket: string | null
    key: string | null
    size: number | null
    details: Record<string, unknown>
  })[]
  /** ISO 8601, UTC, milliseconds. */
  requested_at: string
  /** ISO 8601, UTC, milliseconds. */
  expires_at: string
  decided_at: string | null
  decided_by: string | null
  done_at: string | null
}

export interface NewAgent {
  /** A UUIDv7. */
  id: string
  name: string
  scope: ({
    /** A bucket’s name, or its start followed by `*`. */
    bucket: string
    actions: ('list' | 'read' | 'write' | 'delete' | 'share')[]
    /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
    prefix: string
  })[]
  /** An hour starts with the first thing that is counted in it. */
  budget: AgentBudget
  approval: AgentApproval
  /** The fork that it works on, if it was made with one. */
  fork: string | null
  /** Of its key pair for S3. */
  access_key_id: string
  /** The first 14 characters of its token, for recognising it. */
  token_prefix: string
  /** A UUIDv7. */
  user_id: string
  /** Who made it. */
  email: string
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  expires_at: string | null
  /** The credential. Returned only once. */
  token: string
  /** The secret of its key pair for S3. Returned only once. */
  secret_access_key: string
}

export interface Authorization {
  /** What the client calls itself. */
  client_name: string
  /** The host that the client’s document is on; null for a client that registered itself, whose name nothing confirms. */
  client_host: string | null
  /** Where the answer is sent: a host, or the scheme of an application. */
  redirect_host: string
  /** Whether the answer stays on the machine of the browser. */
  on_this_machine: boolean
  /** Where to send the browser if the user refuses. */
  refuse_url: string
  /** ISO 8601, UTC, milliseconds. */
  expires_at: string
}

export interface Bucket {
  /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
  name: string
  /** `owned`: its objects are stored by Strongroom. `read_only`: it shows the objects that others keep on an S3 engine, and nothing there is ever changed. `taken_over`: those objects are its own now, and their bytes still lie there. */
  mode: 'owned' | 'read_only' | 'taken_over'
  /** Null: an owned bucket. */
  source: BucketSource | null
  /** Null unless it is a fork of another bucket. */
  fork: BucketFork | null
  /** Null without a quota, or if `used_bytes` is null. */
  quota_gb: number | null
  /** Bytes of objects and their versions, as counted against the quota. Null unless the caller can list or manage the whole bucket. */
  used_bytes: number | null
  /** Bytes reserved by unfinished multipart uploads; they count against the quota. Null unless the caller can list or manage the whole bucket. */
  reserved_bytes: number | null
  /** Null unless the caller can list or manage the whole bucket. */
  object_count: number | null
  /** Bytes in the trash; they do not count against the quota. Null unless the caller can list or manage the whole bucket. */
  trash_bytes: number | null
  /** The part of `used_bytes` that noncurrent versions take. Null unless the caller can list or manage the whole bucket. */
  version_bytes: number | null
  /** The part of `used_bytes` that is encrypted, as it is now. Null unless the caller can list or manage the whole bucket. */
  encrypted_bytes: number | null
  /** The part of `object_count` that is encrypted. Null unless the caller can list or manage the whole bucket. */
  encrypted_objects: number | null
  /** Bytes that only snapshots keep. They count against the quota where `quota_includes_history` says so. Null unless the caller can list or manage the whole bucket. */
  history_bytes: number | null
  /** How much snapshots alone may keep before no more are taken. Null without a limit, or if `used_bytes` is null. */
  history_quota_gb: number | null
  /** Whether what snapshots alone keep takes room of the quota. Then none is taken either while the quota is exceeded. */
  quota_includes_history: boolean
  /** Days that deleted and overwritten objects stay restorable; 0 disables the trash. */
  trash_days: number
  versioning: 'off' | 'enabled' | 'suspended'
  /** Null: nothing in it can be locked. */
  object_lock: ObjectLock | null
  /** How new objects are encrypted whose upload says nothing of it. Null: they are not. */
  encryption: BucketEncryption | null
  /** From when on what it was can be shown, besides what snapshots keep. Null: it keeps neither a trash nor versions, so nothing is known. */
  history_from: string | null
  /** The storage on which its new bytes lie. */
  storage: string
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
  /** What of it is public at the S3 endpoint; null while `s3.public_access` is off. */
  public_access: {
    /** What anyone may do with some of its keys, without a credential. */
    actions: ('list' | 'read' | 'write' | 'delete')[]
    /** Whether objects can be public one by one, by their ACLs. */
    object_acls: boolean
    /** Whether nothing of it can be public, whatever policies, ACLs and grants say. */
    blocked: boolean
  } | null
  /** What the caller may do with some key of the bucket. */
  permissions: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
}

export interface BucketFork {
  /** Its origin; null if that is gone, or the caller may not know of it. */
  bucket: string | null
  /** As its origin was at this moment. */
  moment: string
  /** What it has of its origin; empty: all. */
  prefix: string
  /** `filling`: a job still takes its objects. Until it is whole it is empty, and cannot be changed. */
  state: 'filling' | 'whole'
  /** The job, while it is filled. */
  job: string | null
  /** How many objects it lacks, since their contents had been purged or erased. */
  erased: number
  /** When it is deleted, with all that is in it. Null: never. */
  expires_at: string | null
}

export interface BucketSource {
  /** The bucket of the S3 engine. */
  bucket: string
  /** What it shows there; left out of the keys. Empty, or ends with a slash. */
  prefix: string
  /** The storage on which that is. */
  storage: string
  /** When the last complete scan started: sizes, counts and lists are as of then. Null before the first. */
  as_of: string | null
  /** The engine gives objects without ETags: changes are noticed by size and time only. */
  weak: boolean
  /** When it was last noticed that others changed something. Null: not since the first scan. */
  changed_at: string | null
  /** When the engine last reported a change. */
  events_at: string | null
  /** Null: it is read-only. */
  taken_over_at: string | null
  /** How many keys others have changed since it was taken over; 1,000 at most. Null unless the caller can list or manage the whole bucket. */
  findings: number | null
  /** The job that writes its objects back to an engine. Until that has ended, the bucket cannot be changed. */
  release_job: string | null
}

export interface AccessReason {
  /** A grant of a group, or its permission `admin`; what the group of everyone grants; the ACL of the bucket; ACLs of objects; or a statement of a policy. */
  kind: 'administrator' | 'grant' | 'everyone' | 'acl' | 'object_acls' | 'statement'
  /** Of a grant, and of administrators. */
  via: Via | null
  /** What it says. Of a policy of a user, group or role, only where it is about the place that is asked about. */
  statement: {
    policy_of: 'bucket' | 'caller'
    /** Of a policy of the user, of a group of theirs, or of the role. */
    policy: {
      kind: 'managed' | 'inline'
      name: string
      of: 'user' | 'group' | 'role'
      /** The name of the user, group or role that has it. */
      owner: string
    } | null
    sid: string | null
    /** Which of the policy’s statements it is, from 0. */
    index: number
    effect: 'Allow' | 'Deny'
    sentence: {
      /** Which of the policy’s statements it is, from 0. */
      statement: number
      sid: string | null
      effect: 'Allow' | 'Deny'
      /** Null in policies of users, groups and roles: whom they belong to. */
      who: {
        all_but: boolean
        of: ({
          kind: 'anyone' | 'account' | 'other_account' | 'user' | 'role' | 'session' | 'provider' | 'service' | 'gone'
          name: string
        })[]
      } | null
      what: {
        /** Everything but this. */
        all_but: boolean
        kinds: ('everything' | 'list_buckets' | 'list' | 'read' | 'read_versions' | 'write' | 'delete' | 'delete_versions' | 'tag' | 'lock' | 'bypass_lock' | 'change_acls' | 'change_policy' | 'change_settings' | 'see_settings' | 'create_bucket' | 'delete_bucket' | 'see_identities' | 'change_identities' | 'assume' | 'assume_with_token' | 'others')[]
        /** Names of actions that are in none of the kinds. */
        others: string[]
      }
      /** Null in policies that say who may take on a role. */
      where: {
        all_but: boolean
        of: ({
          kind: 'everywhere' | 'whole' | 'bucket' | 'objects' | 'below' | 'object' | 'pattern'
          name: string
        })[]
      } | null
      /** All of which have to hold. */
      when: ({
        /** The condition’s key, as the policy writes it. */
        key: string
        relation: 'is' | 'is_not' | 'is_ignoring_case' | 'is_not_ignoring_case' | 'like' | 'not_like' | 'equals' | 'not_equals' | 'less' | 'at_most' | 'more' | 'at_least' | 'in_network' | 'not_in_network' | 'bytes' | 'absent' | 'present'
        values: string[]
        /** Of keys with several values: whether one of them, or all, have to be so. */
        of: 'one' | 'any' | 'all'
        /** Holds as well where a request does not have the key. */
        if_exists: boolean
      })[]
      /** The sentence in English. */
      text: string
    }
  } | null
}

export interface OtherAccess {
  /** Anyone, without a credential; everyone with a credential; sessions that an identity provider’s token opened; one session of a role; sessions of a role. */
  kind: 'anyone' | 'signed_in' | 'provider' | 'session' | 'role'
  /** Of the provider, its issuer; of a session, `ROLE/SESSION`; of a role, its name. Otherwise empty. */
  name: string
  /** What they may do with the key, or with every key that has the prefix. */
  permissions: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
  /** What they may do only with some of the keys that have the prefix. Empty for a key. */
  permissions_in_part: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
  /** What they may do if a request is as policies say: from where it comes, for example. */
  permissions_if: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
  /** What they would have, and a policy denies. */
  permissions_denied: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
  /** Why, of each of these. */
  decisions: ({
    permission: 'list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock'
    /** The action of S3 that is decided about. Null where S3 has none: then policies have no say. Older versions, and changing the policy of the bucket, are listed besides what each permission mostly is. */
    action: string | null
    /** `allowed`: for all of the place. `conditional`: for all of it, if a request is as the policies say. `in_part`: for some of the keys with the prefix, under conditions or not. `denied`: it would be allowed, but a policy denies it. */
    effect: 'allowed' | 'conditional' | 'in_part' | 'denied'
    /** Which of `reasons` allow it. */
    by: number[]
    /** Which of `reasons` deny it, or do under their conditions, or for a part. */
    unless: number[]
  })[]
  /** What `decisions` refer to, from 0. */
  reasons: AccessReason[]
}

export interface UserAccess {
  /** A UUIDv7. */
  user_id: string
  email: string
  display_name: string
  /** What they may do with the key, or with every key that has the prefix. */
  permissions: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
  /** What they may do only with some of the keys that have the prefix. Empty for a key. */
  permissions_in_part: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
  /** What they may do if a request is as policies say: from where it comes, for example. */
  permissions_if: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
  /** What they would have, and a policy denies. */
  permissions_denied: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
  /** Why, of each of these. */
  decisions: ({
    permission: 'list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock'
    /** The action of S3 that is decided about. Null where S3 has none: then policies have no say. Older versions, and changing the policy of the bucket, are listed besides what each permission mostly is. */
    action: string | null
    /** `allowed`: for all of the place. `conditional`: for all of it, if a request is as the policies say. `in_part`: for some of the keys with the prefix, under conditions or not. `denied`: it would be allowed, but a policy denies it. */
    effect: 'allowed' | 'conditional' | 'in_part' | 'denied'
    /** Which of `reasons` allow it. */
    by: number[]
    /** Which of `reasons` deny it, or do under their conditions, or for a part. */
    unless: number[]
  })[]
  /** What `decisions` refer to, from 0. */
  reasons: AccessReason[]
  /** The grants that allow it, those in part too, whether or not a policy denies it. */
  via: Via[]
}

export interface Finding {
  /** The engine’s key, without the prefix of the source. */
  key: string
  /** `changed`: others wrote something else under it. `missing`: others deleted it. `foreign`: others put it there. */
  kind: 'changed' | 'missing' | 'foreign'
  /** The key of the object whose bytes are concerned. Null: only a version or something in the trash is, or nothing. */
  object: string | null
  size: number | null
  etag: string | null
  /** ISO 8601, UTC, milliseconds. */
  found_at: string
}

export interface Release {
  /** How many objects the bucket has. */
  objects: number
  /** Bytes that are written, and read again. 0 for a read-only bucket. */
  bytes: number
  /** The job that writes them. Null for a read-only bucket, or if only asked. */
  job: Job | null
}

export interface TakeOver {
  /** Whether nothing stands in the way. */
  ready: boolean
  problems: ({
    /** `not_scanned`: no scan has come to its end yet. `not_quiet`: others changed something too lately, or nobody has looked for long enough. `scan_held`: the last scan is held. `missing`: objects are marked as missing, and not as many as `without_missing` leaves out. `weak`: the engine gives no ETags. `not_removable`: the credentials may not delete. `unreachable`: the engine does not answer as it should. */
    code: 'not_scanned' | 'not_quiet' | 'scan_held' | 'missing' | 'weak' | 'not_removable' | 'unreachable'
    /** What is wrong, in one sentence. */
    detail: string
  })[]
  /** Since when others have changed nothing, as far as is known. Null before the first scan. */
  quiet_since: string | null
  objects: number
  /** Bytes that stay where they are. */
  bytes: number
  /** Objects whose type, metadata, tags and version the engine is asked for first: one request each, and one more for those with tags. */
  unread: number
  /** Objects that are marked as missing. They are in the way, unless `without_missing` leaves them out. */
  missing: number
  /** The keys of the first 100 of them. */
  missing_keys: string[]
  /** Where new bytes go. */
  storage: string
  /** The scan that takes the bucket over at its end. Null: only asked. */
  scan: Scan | null
}

export interface UsagePoint {
  /** Start of the hour or day (UTC). */
  time: string
  /** Bytes of live objects at the last measurement in that period; null if there was none. */
  used_bytes: number | null
  object_count: number | null
  /** Bytes of contents received, including uploads that failed later. */
  uploaded_bytes: number
  /** Bytes of contents, images and archives sent. */
  downloaded_bytes: number
  requests: number
}

export interface DeleteResult {
  /** Keys that succeeded; for a copy or move, the new keys. */
  succeeded: string[]
  errors: {
    /** The key as given. */
    key: string
    code: string
    detail: string
  }[]
  /** Ids of the trashed objects; empty if the trash is off. */
  trash_ids: string[]
  /** In a bucket that keeps versions: the delete markers. Delete one, and its key has its object again. */
  markers: {
    key: string
    /** A version id; `null` is the version written while the bucket kept none. */
    version_id: string
  }[]
}

export interface StoredObject {
  /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
  bucket: string
  /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
  key: string
  /** In a bucket that keeps versions. `null` is the version written while it kept none; lists leave it out. */
  version_id?: string
  /** Bytes. */
  size: number
  /** MD5 of the contents, hex (multipart upload: `md5-of-md5s-N`). Not their MD5 where they are encrypted with `aws:kms` or `SSE-C`. */
  etag: string
  content_type: string
  /** SHA-256 of the contents, hex, if it was computed. */
  sha256?: string
  checksums?: Checksum[]
  /** As they were sent; a download sends of them what cannot weaken its own. */
  headers?: {
    'cache-control'?: string
    'content-disposition'?: string
    'content-encoding'?: string
    'content-language'?: string
    expires?: string
    /** Where the website of the bucket sends those who ask for the object: a path, or a URL of http or https. */
    'x-amz-website-redirect-location'?: string
  }
  metadata: Record<string, string>
  tags?: Record<string, string>
  /** How its contents are encrypted, if they are. */
  encryption?: {
    /** `AES256`: with a key of the service. `aws:kms`: with a key of a key service. `SSE-C`: with a key that only its S3 client has, without which nobody can read it. */
    algorithm: 'AES256' | 'aws:kms' | 'SSE-C'
    /** Of `aws:kms`: the registered key. */
    key?: string
  }
  /** Of a version that is or was locked. */
  lock?: {
    mode: 'governance' | 'compliance' | null
    /** When the lock ends, or ended. */
    until: string | null
    /** Locked until it is released, which needs `manage`. */
    legal_hold: boolean
  }
  /** Its ACL at the S3 endpoint, unless that is its owner’s alone. Only `READ` of `everyone` and `authenticated` has an effect, in buckets with `public_access.object_acls`. */
  acl?: ({
    to: 'owner' | 'bucket_owner' | 'everyone' | 'authenticated'
    permission: 'FULL_CONTROL' | 'WRITE' | 'WRITE_ACP' | 'READ' | 'READ_ACP'
  })[]
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  /** ISO 8601, UTC, milliseconds. */
  last_modified: string
  created_by: string | null
  /** Of what was at a moment: its contents were purged or erased since. */
  erased?: true
}

export interface ForkChange {
  /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
  key: string
  /** Both have changed it, and it is not the same in both. */
  conflict: boolean
  /** As it was when the fork started; null: it was not there. */
  before: {
    /** Bytes. */
    size: number
    etag: string
    content_type: string
  } | null
  /** Null: the fork has not changed it, or not since it was merged. */
  fork: {
    /** `changed`: other contents, description or tags. */
    change: 'added' | 'changed' | 'deleted'
    /** As it is now; null: deleted. */
    after: {
      /** Bytes. */
      size: number
      etag: string
      content_type: string
    } | null
    /** When its last change was, in microseconds. Null: not known any more. */
    moment: string | null
    /** Who made that change. */
    by: {
      user: string | null
      method: string | null
      credential: string | null
      share: string | null
      job: string | null
    }
  } | null
  /** Null: the origin has not changed it. */
  origin: {
    /** `changed`: other contents, description or tags. */
    change: 'added' | 'changed' | 'deleted'
    /** As it is now; null: deleted. */
    after: {
      /** Bytes. */
      size: number
      etag: string
      content_type: string
    } | null
    /** When its last change was, in microseconds. Null: not known any more. */
    moment: string | null
    /** Who made that change. */
    by: {
      user: string | null
      method: string | null
      credential: string | null
      share: string | null
      job: string | null
    }
  } | null
}

export interface ObjectChange {
  /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
  key: string
  /** `changed`: another content, description, tags, lock or version. */
  change: 'added' | 'changed' | 'deleted'
  before: {
    /** Bytes. */
    size: number
    etag: string
    content_type: string
  } | null
  after: {
    /** Bytes. */
    size: number
    etag: string
    content_type: string
  } | null
  /** When the last change of the key until the second moment was, in microseconds. */
  moment: string
  /** Who made that change. */
  by: {
    user: string | null
    method: string | null
    credential: string | null
    share: string | null
    job: string | null
  }
}

export interface DeletedEntry {
  /** The key, or the folder with its slash. */
  name: string
  folder: boolean
  /** Of a folder: whether nothing in it is left but versions. */
  gone: boolean
  /** The delete marker, without which the key is there again. */
  version_id: string | null
  deleted_at: string | null
  deleted_by: string | null
}

export interface Version {
  /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
  bucket: string
  /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
  key: string
  /** A version id; `null` is the version written while the bucket kept none. */
  version_id: string
  /** Whether it is its key's latest: the object, or the marker that hides it. */
  latest: boolean
  /** A delete marker: from then on the key had no object. */
  marker: boolean
  /** Bytes; 0 for a delete marker. */
  size: number
  etag: string | null
  content_type: string | null
  /** ISO 8601, UTC, milliseconds. */
  last_modified: string
  created_by: string | null
  encryption?: ObjectEncryption
  lock?: Lock
  noncurrent_at: string | null
}

export interface Snapshot {
  /** 1–60 of `a-z 0-9 -`, starting and ending with a letter or digit, and no moment such as `20261127t140500z`. */
  name: string
  /** What the bucket was at this moment is kept: an RFC 3339 time with microseconds. */
  moment: string
  note: string | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
  /** When it ends by itself. Null: never. */
  expires_at: string | null
}

export interface Lock {
  mode: 'governance' | 'compliance' | null
  /** When the lock ends, or ended. */
  until: string | null
  /** Locked until it is released, which needs `manage`. */
  legal_hold: boolean
}

export interface ObjectLock {
  mode: 'governance' | 'compliance' | null
  days: number | null
  years: number | null
}

export interface ObjectLockChange {
  mode?: 'governance' | 'compliance' | null
  days?: number | null
  years?: number | null
}

export interface TransferResult {
  /** Keys that succeeded; for a copy or move, the new keys. */
  succeeded: string[]
  errors: {
    /** The key as given. */
    key: string
    code: string
    detail: string
  }[]
  /** What arrived next to others, and the keys that it got (`keep_both`). */
  kept_both?: {
    source_key: string
    key: string
  }[]
}

export interface Upload {
  /** A UUIDv7. */
  upload_id: string
  /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
  bucket: string
  /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
  key: string
  file_size: number | null
  /** Bytes of every part but the last; 0 if parts may have any size. */
  part_size: number
  num_parts: number | null
  /** What the object is to have. */
  checksum?: {
    algorithm: 'crc32' | 'crc32c' | 'crc64nvme' | 'sha1' | 'sha256' | 'sha512' | 'md5' | 'xxhash64' | 'xxhash3' | 'xxhash128'
    /** `composite`: of the checksums of its parts. */
    type: 'full_object' | 'composite'
  }
  /** How its parts are encrypted, if they are. */
  encryption?: {
    /** `AES256`: with a key of the service. `aws:kms`: with a key of a key service. `SSE-C`: with a key that only its S3 client has, without which nobody can read it. */
    algorithm: 'AES256' | 'aws:kms' | 'SSE-C'
    /** Of `aws:kms`: the registered key. */
    key?: string
  }
  /** ISO 8601, UTC, milliseconds. */
  expires_at: string
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
  received_parts: number
  received_bytes: number
}

export interface LinkToEach {
  /** A UUIDv7. */
  id: string
  key: string
  /** Returns the object itself, or the listing: for programs. */
  url: string
  /** The page of the link: for people. */
  page_url: string
  expires_at: string | null
}

export interface NewShare {
  /** A UUIDv7. */
  id: string
  kind: 'object' | 'folder' | 'selection' | 'upload'
  /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
  bucket: string
  object_key: string | null
  prefix: string | null
  keys: string[] | null
  expires_at: string | null
  has_password: boolean
  /** Whether you can get its URL again: you created it, and it is stored. */
  has_link: boolean
  max_downloads: number | null
  filename: string | null
  disposition: 'inline' | 'attachment' | null
  message: string | null
  /** Whether its creator gets a mail when it is opened for the first time. Needs mail to be set up. */
  notify: boolean
  max_file_bytes: number | null
  max_total_bytes: number | null
  max_files: number | null
  content_types: string[] | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
  created_by_email: string | null
  revoked_at: string | null
  /** `spent`: all its downloads are used up. */
  state: 'active' | 'expired' | 'spent' | 'revoked'
  /** Downloads, or uploaded files. */
  access_count: number
  received_bytes: number
  last_accessed_at: string | null
  /** Replaces an account: whoever has it can open the link. */
  token: string
  /** Returns the object itself, or the listing: for programs. */
  url: string
  /** The page of the link: for people. */
  page_url: string
}

export interface Share {
  /** A UUIDv7. */
  id: string
  kind: 'object' | 'folder' | 'selection' | 'upload'
  /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
  bucket: string
  object_key: string | null
  prefix: string | null
  keys: string[] | null
  expires_at: string | null
  has_password: boolean
  /** Whether you can get its URL again: you created it, and it is stored. */
  has_link: boolean
  max_downloads: number | null
  filename: string | null
  disposition: 'inline' | 'attachment' | null
  message: string | null
  /** Whether its creator gets a mail when it is opened for the first time. Needs mail to be set up. */
  notify: boolean
  max_file_bytes: number | null
  max_total_bytes: number | null
  max_files: number | null
  content_types: string[] | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
  created_by_email: string | null
  revoked_at: string | null
  /** `spent`: all its downloads are used up. */
  state: 'active' | 'expired' | 'spent' | 'revoked'
  /** Downloads, or uploaded files. */
  access_count: number
  received_bytes: number
  last_accessed_at: string | null
}

export interface SharedUpload {
  /** Names the upload in the paths of its requests. Whoever has it can continue the upload: keep it secret. */
  upload: string
  name: string
  size: number
  /** Bytes of every part but the last. */
  part_size: number
  num_parts: number
  /** Numbers of those that have arrived. */
  parts: number[]
  /** ISO 8601, UTC, milliseconds. */
  expires_at: string
}

export interface Comparison {
  /** Keys of the list, each counted once. */
  needed: number
  /** Objects that the list does not have: what is deleted. */
  orphans: {
    objects: number
    bytes: number
  }
  /** Keys of the list that are no object. */
  missing: number
  /** Objects that the list does not have, and that changed after `as_of`. They stay. */
  newer: number
  /** The first 100. */
  orphan_keys: string[]
  /** The first 100. */
  missing_keys: string[]
  /** The objects that have all of these keys, one a line. */
  report: {
    /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
    bucket: string
    /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
    orphans: string
    /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
    missing: string
  } | null
}

export interface Job {
  /** A UUIDv7. */
  id: string
  kind: 'copy' | 'move' | 'delete' | 'empty_bucket' | 'restore' | 'migrate' | 'encrypt' | 'decrypt' | 'rollback' | 'merge' | 'tag' | 'release' | 'fork'
  /** `succeeded`: it reached the end, though some objects may have failed. `failed`: it could not continue. */
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'
  /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
  source_bucket: string
  prefix: string
  search: string | null
  /** What the objects were found by. */
  query: string | null
  dest_bucket: string | null
  dest_prefix: string | null
  if_none_match: '*' | null
  /** Whether what arrives where a key is in use gets a number. */
  keep_both: boolean
  of: string | null
  /** The run of a policy whose deletions it restores. */
  of_run: {
    /** A UUIDv7. */
    policy_id: string
    /** A UUIDv7. */
    run_id: string
  } | null
  dest_storage: string | null
  /** The moment that a rollback goes back to. */
  to: string | null
  keep_new: boolean
  by: {
    /** A UUIDv7. */
    user?: string
    /** The `id` of an access key, not its `access_key_id`. */
    access_key?: string
    /** A UUIDv7. */
    token?: string
    /** A UUIDv7. */
    share?: string
    /** A UUIDv7. */
    agent?: string
  } | null
  /** Whether the job only makes its `plan`, or `merge_plan`. */
  dry_run: boolean
  /** What a rollback is to do, as far as it is listed. */
  plan: RollbackPlan | null
  /** What a merge does with conflicts of which no decision was given. */
  on_conflict: 'fork' | 'origin' | 'both' | null
  /** What a merge is to do, as far as it is listed. */
  merge_plan: MergePlan | null
  /** The list of the keys that are needed: what it does not have is deleted. */
  needed: {
    /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
    bucket: string
    /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
    key: string
    /** ISO 8601, UTC, milliseconds. */
    as_of: string
  } | null
  /** What the list and the bucket have, as far as they are compared. */
  comparison: Comparison | null
  tags: {
    /** Tags to give, in place of those with the same names. */
    add?: Record<string, string>
    /** Names of tags to take away. */
    remove?: string[]
    /** The only tags to have, instead of the others: `{}` for none. */
    replace?: Record<string, string>
  } | null
  /** Whether a `restore` job can restore what this job deleted, moved, tagged or took back. */
  restorable: boolean
  total: number | null
  done: number
  /** Includes those that had changed; in the end `total` is `done` plus `failed`, except in a dry run, which does nothing. */
  failed: number
  /** How many of the failed objects were left alone because they had changed since the job listed them. */
  changed: number
  /** The first 100. */
  errors: {
    key: string
    code: string
    detail: string
  }[]
  detail: string | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
  created_by_email: string | null
  started_at: string | null
  finished_at: string | null
}

export interface MergePlan {
  /** What the origin does not have. */
  added: {
    objects: number
    bytes: number
  }
  /** What becomes something else in the origin, as it is and as it will be. */
  replaced: {
    objects: number
    bytes_before: number
    bytes_after: number
  }
  /** What the fork has deleted. It goes to the trash or becomes a version, as with any deletion. */
  deleted: {
    objects: number
    bytes: number
  }
  /** Conflicts decided for both: what comes under another name. */
  beside: {
    objects: number
    bytes: number
  }
  /** Conflicts decided for the origin: they stay decided until the fork changes them again. */
  kept: number
  /** Conflicts that nobody decided. They are left alone. */
  conflicts: number
  /** Keys that are locked, or that the creator of the job may not change. */
  refused: number
  /** By how much the origin grows; negative if it shrinks. */
  growth_bytes: number
  /** What its quotas leave; null without a quota. */
  room_bytes: number | null
}

export interface RollbackPlan {
  /** What is not there now and comes back. */
  restored: {
    objects: number
    bytes: number
  }
  /** What is something else now, as it is and as it will be. */
  replaced: {
    objects: number
    bytes_before: number
    bytes_after: number
  }
  /** What was not there then. It goes to the trash or becomes a version, as with any deletion. */
  deleted: {
    objects: number
    bytes: number
  }
  /** Keys whose contents of that moment were erased since. They are left alone. */
  erased: number
  /** Keys that others changed as well. They are left alone. */
  by_others: number
  /** Keys that are locked, or that the creator of the job may not change. */
  refused: number
  /** Share links that the agent has created since (`by`), of those that the creator of the job may revoke. They are revoked when the job is created, whatever becomes of it; a dry run only counts them. */
  links: number
  /** By how much the bucket grows, as its quota counts; negative if it shrinks. */
  growth_bytes: number
  /** What its quotas leave; null without a quota. */
  room_bytes: number | null
}

export interface Policy {
  /** A UUIDv7. */
  id: string
  name: string
  bucket_patterns: string[]
  prefix: string
  glob: string | null
  older_than_days: number | null
  min_size: number | null
  max_size: number | null
  tags: Record<string, string> | null
  date: string | null
  keep_newest: number | null
  noncurrent_days: number | null
  keep_versions: number | null
  expired_markers: boolean
  keep_snapshots: number | null
  max_deletes: number | null
  max_delete_percent: number | null
  cron: string | null
  timezone: string
  enabled: boolean
  next_run_at: string | null
  /** The last finished run that was not a dry run. */
  last_run: {
    /** A UUIDv7. */
    id: string
    /** A UUIDv7. */
    policy_id: string
    dry_run: boolean
    of: string | null
    trigger: 'manual' | 'schedule'
    /** `stopped`: a safety limit or a change of the policy ended it. `failed`: it could not continue. See `reason`. */
    status: 'queued' | 'running' | 'succeeded' | 'stopped' | 'failed' | 'cancelled'
    reason: string | null
    /** ISO 8601, UTC, milliseconds. */
    cutoff: string
    scheduled_for: string | null
    /** Objects and versions in scope. */
    examined: number
    matched: number
    matched_bytes: number
    /** Of a policy that takes snapshots: the earlier snapshots that it ended. */
    deleted: number
    /** Bytes deleted; for a dry run, bytes it would delete. */
    bytes: number
    /** Matched, but changed, locked or deleted before their turn, or buckets of which no snapshot could be taken. */
    kept: number
    /** A UUIDv7. */
    author_id: string
    author_email: string | null
    requested_by: string | null
    requested_by_email: string | null
    /** ISO 8601, UTC, milliseconds. */
    created_at: string
    started_at: string | null
    finished_at: string | null
  } | null
  /** The user who last changed it: it runs with their permissions. */
  author_id: string
  author_email: string | null
  created_by: string
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string
  /** The rule of a bucket’s S3 lifecycle configuration that it carries out: it can only be changed there. */
  lifecycle: {
    bucket: string
    rule_id: string
  } | null
}

export interface PolicyRun {
  /** A UUIDv7. */
  id: string
  /** A UUIDv7. */
  policy_id: string
  dry_run: boolean
  of: string | null
  trigger: 'manual' | 'schedule'
  /** `stopped`: a safety limit or a change of the policy ended it. `failed`: it could not continue. See `reason`. */
  status: 'queued' | 'running' | 'succeeded' | 'stopped' | 'failed' | 'cancelled'
  reason: string | null
  /** ISO 8601, UTC, milliseconds. */
  cutoff: string
  scheduled_for: string | null
  /** Objects and versions in scope. */
  examined: number
  matched: number
  matched_bytes: number
  /** Of a policy that takes snapshots: the earlier snapshots that it ended. */
  deleted: number
  /** Bytes deleted; for a dry run, bytes it would delete. */
  bytes: number
  /** Matched, but changed, locked or deleted before their turn, or buckets of which no snapshot could be taken. */
  kept: number
  /** A UUIDv7. */
  author_id: string
  author_email: string | null
  requested_by: string | null
  requested_by_email: string | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  started_at: string | null
  finished_at: string | null
  /** The first 100 kept objects. */
  errors: {
    bucket: string
    key: string
    code: string
    detail: string
  }[]
  /** Keys of the first 100 matches, except those the caller may not list. */
  sample: string[]
  /** Buckets where objects that the run deleted can be restored together. Empty while it is unfinished. */
  restorable: string[]
}

export interface Inventory {
  /** A UUIDv7. */
  id: string
  name: string
  bucket: string | null
  prefix: string
  versions: 'current' | 'all'
  format: 'parquet' | 'csv'
  columns: ('bucket' | 'key' | 'version_id' | 'is_latest' | 'is_delete_marker' | 'size' | 'last_modified_date' | 'e_tag' | 'storage_class' | 'is_multipart_uploaded' | 'replication_status' | 'encryption_status' | 'object_lock_retain_until_date' | 'object_lock_mode' | 'object_lock_legal_hold_status' | 'checksum_algorithm' | 'object_owner' | 'sha256' | 'checksums' | 'content_type' | 'created_at' | 'created_by' | 'created_by_email' | 'changed_at' | 'changed_by' | 'changed_by_email' | 'changed_with' | 'changed_how' | 'encryption_key' | 'storage' | 'tags' | 'metadata')[] | null
  changes: boolean
  rows_per_file: number
  destination: {
    bucket: string
    prefix: string
  }
  schedule: 'daily' | 'weekly' | null
  hour: number
  enabled: boolean
  next_run_at: string | null
  /** The last that was started. */
  last_run: InventoryRun | null
  /** The user who last changed it: it runs with their permissions. */
  author_id: string
  author_email: string | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string
}

export interface InventoryRun {
  /** A UUIDv7. */
  id: string
  /** A UUIDv7. */
  inventory_id: string
  trigger: 'manual' | 'schedule'
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'
  reason: string | null
  /** What the buckets were at this moment is listed, whatever has changed while it was written. */
  moment: string | null
  /** Written so far. */
  rows: number
  /** Of all files. */
  bytes: number
  /** The key of its manifest, in the destination, once it is whole. */
  manifest: string | null
  files: ({
    key: string
    size: number
    rows: number
    of: 'objects' | 'changes'
  })[]
  /** The moment of the inventory that changes are compared with. */
  changes_since: string | null
  /** Why no changes are listed, in a sentence. */
  no_changes: string | null
  author_email: string | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  started_at: string | null
  finished_at: string | null
}

export interface RestoredItem {
  /** A UUIDv7. */
  id: string
  /** Its key now. */
  key: string
  /** Its key before; differs from `key` if both objects were kept. */
  original_key: string
  /** Whether it replaced an object. */
  replaced: boolean
  /** The replaced object in the trash; null if nothing was replaced or the bucket keeps no trash. */
  replaced_trash_id: string | null
}

export interface TrashItem {
  /** A UUIDv7. */
  id: string
  /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
  bucket: string
  /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
  key: string
  /** The version that it was, and will be again where versions are kept. */
  version_id?: string
  size: number
  etag: string
  content_type: string
  encryption?: ObjectEncryption
  lock?: Lock
  reason: 'deleted' | 'overwritten'
  /** ISO 8601, UTC, milliseconds. */
  deleted_at: string
  deleted_by: string | null
  /** ISO 8601, UTC, milliseconds. */
  expires_at: string
}

export interface DirectoryPerson {
  external_id: string
  email: string | null
  display_name: string
  username: string | null
  enabled: boolean
  already_imported: boolean
}

export interface Invitation {
  /** Shown only now. Whoever has it can choose the password of the account, once. */
  url: string
  /** ISO 8601, UTC, milliseconds. */
  expires_at: string
}

export interface User {
  /** A UUIDv7. */
  id: string
  email: string
  display_name: string
  is_active: boolean
  /** Derived: whether they are in a group with `admin`. */
  is_admin: boolean
  /** Whether they can log in with email and password. */
  has_password: boolean
  /** Whether they have one for logins with their password. */
  has_second_factor: boolean
  /** Whether they choose another one at their next login with it. */
  must_change_password: boolean
  /** Until when they can accept an invitation; null: none. */
  invitation_expires_at: string | null
  idp_subject: string | null
  groups: {
    /** A UUIDv7. */
    id: string
    name: string
  }[]
  /** Made by the IAM API: programs act as it, with access keys, and it can never sign in. */
  is_service_account: boolean
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  last_login_at: string | null
}

export interface Group {
  /** A UUIDv7. */
  id: string
  name: string
  description: string
  /** Built in; it cannot be deleted and keeps its permissions. */
  builtin: boolean
  /** The built-in group of everyone: it has no members. While `s3.public_access` is on, its grants of `list`, `read`, `write` and `delete` apply to everyone at the S3 endpoint, without a credential. */
  public: boolean
  global: ('admin' | 'users.manage')[]
  grants: ({
    /** A UUIDv7. */
    id: string
    /** A bucket name; `*` matches any characters, at most three times. */
    bucket_pattern: string
    prefix: string
    actions: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
    preset: 'viewer' | 'uploader' | 'editor' | 'publisher' | 'owner' | null
  })[]
  member_count: number
}

export interface Via {
  /** A UUIDv7. */
  group_id: string
  group: string
  /** Null: the group grants `admin`. */
  grant: {
    /** A UUIDv7. */
    id: string
    /** A bucket name; `*` matches any characters, at most three times. */
    bucket_pattern: string
    prefix: string
    actions: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
    preset: 'viewer' | 'uploader' | 'editor' | 'publisher' | 'owner' | null
  } | null
}

export interface Settings {
  auth: {
    /** Login with email and password. */
    enable_local: boolean
    /** Login through the identity provider, if one is configured. */
    enable_idp: boolean
    /** Who needs a second factor to log in with a password. Those who have none set one up at their next login, and their sessions end. */
    second_factor: 'optional' | 'administrators' | 'everyone'
    /** A first login through the identity provider creates an account that is in no group. */
    auto_create_users: boolean
    /** Each refresh replaces the refresh token. If off, the first one works for its 7 days. */
    refresh_rotation: boolean
    /** A login must finish in the browser that started it. */
    idp_require_browser_cookie: boolean
  }
  idp: {
    /** Name shown on the login button. */
    name: string | null
    /** OpenID Connect issuer. */
    issuer_url: string | null
    client_id: string | null
    /** Claim that identifies the user. Default: `oid` with Entra, else `sub`. */
    subject_claim: string | null
    /** Claim that lists the user’s groups; null: only administrators manage group membership. */
    groups_claim: string | null
    /** What a login asks the provider for: `openid`, and names separated by spaces. Default: `openid profile email`. Some providers send groups only with a scope of their own. */
    scope: string | null
    /** At each login, members of the provider’s group are added to ours and others are removed. Groups not listed here do not change. */
    group_mapping: {
      value: string
      /** A UUIDv7. */
      group_id: string
    }[]
    /** A first login whose id_token says `"email_verified": true` is linked to the account with that email address, if it is active and linked to no identity. Whoever controls an address at the provider gets into its account. Never with Entra. */
    link_verified_email: boolean
    /** Whether it is set. */
    client_secret_set: boolean
  }
  directory: {
    kind: 'msgraph' | 'keycloak' | 'scim2' | null
    /** Graph host, Keycloak base URL, or SCIM base URL (without `/Users`). */
    url: string | null
    /** Token endpoint for directory access. */
    token_url: string | null
    /** Default: the identity provider’s. */
    client_id: string | null
    /** Keycloak. */
    realm: string | null
    /** SCIM attribute that the subject claim contains. */
    subject_attribute: 'id' | 'externalId' | 'userName'
    /** Whether it is set. */
    client_secret_set: boolean
    /** Whether it is set. */
    bearer_token_set: boolean
  }
  mail: {
    /** Mail server (SMTP): a name or an address. Null: no mail is sent. */
    host: string | null
    port: number
    /** `starttls`: refused unless the server offers it. `tls`: from the first byte, usually on port 465. `none`: not encrypted. */
    security: 'starttls' | 'tls' | 'none'
    /** Null: the server asks for no login. */
    username: string | null
    /** The sender of every mail. Required with `host`. */
    from_address: string | null
    /** The sender’s name. Null: the site’s. */
    from_name: string | null
    /** Whether it is set. */
    password_set: boolean
  }
  quotas: {
    /** Default quota of new buckets. Null: none. */
    default_bucket_quota_gb: number | null
    /** Quota for all buckets together; enforced like a bucket’s. */
    total_quota_gb: number | null
  }
  encryption: {
    /** Encryption of new buckets, where whoever creates one says nothing of it. Null: none. Existing buckets do not change. */
    new_buckets: BucketEncryption | null
  }
  trash: {
    /** Default trash days of new buckets. */
    default_days: number
  }
  tokens: {
    /** Maximum lifetime of new personal access tokens; 0: no limit. */
    max_lifetime_days: number
    /** A token created with another token does not outlive it. */
    cap_child_expiry: boolean
  }
  uploads: {
    /** When an unfinished multipart upload is discarded. */
    expire_hours: number
    /** When an unfinished multipart upload of an S3 client is discarded, after its last part. */
    s3_expire_days: number
    /** For how long whoever may write and not manage can lock a version in a bucket with Object Lock. Default: 3653, ten years. Null: no limit. Defaults of buckets and locks that exist are not affected. */
    max_lock_days: number | null
  }
  s3: {
    /** Requests that S3 clients may make with one access key in a minute, to each process. 0: no limit. */
    rate_per_key: number
    /** Whether buckets and objects can be public at the S3 endpoint: by a bucket policy, by an ACL, or by a grant of the group of everyone. Off: every request needs a credential. */
    public_access: boolean
  }
  shares: {
    default_expires_in: string
    /** Maximum lifetime of new links; null: no limit. */
    max_expires_in: string | null
    /** A link ends when its creator is disabled or loses the permission to share or read (upload links: write) its objects. */
    require_creator_access: boolean
    /** New links are stored, encrypted, so that their creators can get them again. Off: only their hashes are stored, and the links stored before are deleted within an hour. */
    keep_links: boolean
  }
  images: {
    /** Maximum size of the source. */
    max_source_mb: number
    /** Maximum of all frames together, as declared in the header. */
    max_source_megapixels: number
    /** Maximum of progressive and interlaced sources. */
    max_progressive_megapixels: number
    max_avif_source_megapixels: number
    /** Maximum of all frames together. */
    max_result_megapixels: number
    max_avif_result_megapixels: number
    /** Further frames are dropped. */
    max_frames: number
    /** Time limit for queueing and rendering. */
    timeout_seconds: number
    /** Concurrent renders per process. Null: one per core. Never more than there are cores. */
    render_slots: number | null
    /** Concurrent renders per user. Null: three quarters of them, at least 2. */
    slots_per_user: number | null
    /** Concurrent renders per share link. Null: half of them. */
    slots_per_link: number | null
    /** When it is full: 503. */
    queue_length: number
    /** Maximum for all renders of a process together. */
    megapixels_in_flight: number
    /** Maximum source size for all renders of a process together. */
    source_mb_in_flight: number
  }
  audit: {
    /** 0: forever. */
    retention_days: number
    /** Whether to record downloads too. */
    log_reads: boolean
    /** Which changes by others in attached buckets are recorded one by one, and sent to webhooks: none, the first 1,000 that a scan finds, or all. Those that the first scan finds never are. */
    external_changes: 'off' | 'first_1000' | 'all'
  }
  branding: {
    /** Shown instead of “Strongroom” on the sign-in page, on the pages of share links and in their previews. */
    name: string | null
  }
  /** Fields set by environment variables, such as `idp.client_id`, with the variable’s name. */
  fixed: Record<string, string>
  /** The redirect URI to register at the identity provider. */
  redirect_uri: string
  /** The logo’s path; null: none is set. */
  logo_url: string | null
}

export interface SettingsChange {
  auth?: {
    /** Login with email and password. */
    enable_local?: boolean
    /** Login through the identity provider, if one is configured. */
    enable_idp?: boolean
    /** Who needs a second factor to log in with a password. Those who have none set one up at their next login, and their sessions end. */
    second_factor?: 'optional' | 'administrators' | 'everyone'
    /** A first login through the identity provider creates an account that is in no group. */
    auto_create_users?: boolean
    /** Each refresh replaces the refresh token. If off, the first one works for its 7 days. */
    refresh_rotation?: boolean
    /** A login must finish in the browser that started it. */
    idp_require_browser_cookie?: boolean
  }
  idp?: {
    /** Name shown on the login button. */
    name?: string | null
    /** OpenID Connect issuer. */
    issuer_url?: string | null
    client_id?: string | null
    client_secret?: string | null
    /** Claim that identifies the user. Default: `oid` with Entra, else `sub`. */
    subject_claim?: string | null
    /** Claim that lists the user’s groups; null: only administrators manage group membership. */
    groups_claim?: string | null
    /** What a login asks the provider for: `openid`, and names separated by spaces. Default: `openid profile email`. Some providers send groups only with a scope of their own. */
    scope?: string | null
    /** At each login, members of the provider’s group are added to ours and others are removed. Groups not listed here do not change. */
    group_mapping?: {
      value: string
      /** A UUIDv7. */
      group_id: string
    }[]
    /** A first login whose id_token says `"email_verified": true` is linked to the account with that email address, if it is active and linked to no identity. Whoever controls an address at the provider gets into its account. Never with Entra. */
    link_verified_email?: boolean
  }
  directory?: {
    kind?: 'msgraph' | 'keycloak' | 'scim2' | null
    /** Graph host, Keycloak base URL, or SCIM base URL (without `/Users`). */
    url?: string | null
    /** Token endpoint for directory access. */
    token_url?: string | null
    /** Default: the identity provider’s. */
    client_id?: string | null
    client_secret?: string | null
    /** Keycloak. */
    realm?: string | null
    bearer_token?: string | null
    /** SCIM attribute that the subject claim contains. */
    subject_attribute?: 'id' | 'externalId' | 'userName'
  }
  mail?: {
    /** Mail server (SMTP): a name or an address. Null: no mail is sent. */
    host?: string | null
    port?: number
    /** `starttls`: refused unless the server offers it. `tls`: from the first byte, usually on port 465. `none`: not encrypted. */
    security?: 'starttls' | 'tls' | 'none'
    /** Null: the server asks for no login. */
    username?: string | null
    password?: string | null
    /** The sender of every mail. Required with `host`. */
    from_address?: string | null
    /** The sender’s name. Null: the site’s. */
    from_name?: string | null
  }
  quotas?: {
    /** Default quota of new buckets. Null: none. */
    default_bucket_quota_gb?: number | null
    /** Quota for all buckets together; enforced like a bucket’s. */
    total_quota_gb?: number | null
  }
  encryption?: {
    /** Encryption of new buckets, where whoever creates one says nothing of it. Null: none. Existing buckets do not change. */
    new_buckets?: BucketEncryption | null
  }
  trash?: {
    /** Default trash days of new buckets. */
    default_days?: number
  }
  tokens?: {
    /** Maximum lifetime of new personal access tokens; 0: no limit. */
    max_lifetime_days?: number
    /** A token created with another token does not outlive it. */
    cap_child_expiry?: boolean
  }
  uploads?: {
    /** When an unfinished multipart upload is discarded. */
    expire_hours?: number
    /** When an unfinished multipart upload of an S3 client is discarded, after its last part. */
    s3_expire_days?: number
    /** For how long whoever may write and not manage can lock a version in a bucket with Object Lock. Default: 3653, ten years. Null: no limit. Defaults of buckets and locks that exist are not affected. */
    max_lock_days?: number | null
  }
  s3?: {
    /** Requests that S3 clients may make with one access key in a minute, to each process. 0: no limit. */
    rate_per_key?: number
    /** Whether buckets and objects can be public at the S3 endpoint: by a bucket policy, by an ACL, or by a grant of the group of everyone. Off: every request needs a credential. */
    public_access?: boolean
  }
  shares?: {
    default_expires_in?: string
    /** Maximum lifetime of new links; null: no limit. */
    max_expires_in?: string | null
    /** A link ends when its creator is disabled or loses the permission to share or read (upload links: write) its objects. */
    require_creator_access?: boolean
    /** New links are stored, encrypted, so that their creators can get them again. Off: only their hashes are stored, and the links stored before are deleted within an hour. */
    keep_links?: boolean
  }
  images?: {
    /** Maximum size of the source. */
    max_source_mb?: number
    /** Maximum of all frames together, as declared in the header. */
    max_source_megapixels?: number
    /** Maximum of progressive and interlaced sources. */
    max_progressive_megapixels?: number
    max_avif_source_megapixels?: number
    /** Maximum of all frames together. */
    max_result_megapixels?: number
    max_avif_result_megapixels?: number
    /** Further frames are dropped. */
    max_frames?: number
    /** Time limit for queueing and rendering. */
    timeout_seconds?: number
    /** Concurrent renders per process. Null: one per core. Never more than there are cores. */
    render_slots?: number | null
    /** Concurrent renders per user. Null: three quarters of them, at least 2. */
    slots_per_user?: number | null
    /** Concurrent renders per share link. Null: half of them. */
    slots_per_link?: number | null
    /** When it is full: 503. */
    queue_length?: number
    /** Maximum for all renders of a process together. */
    megapixels_in_flight?: number
    /** Maximum source size for all renders of a process together. */
    source_mb_in_flight?: number
  }
  audit?: {
    /** 0: forever. */
    retention_days?: number
    /** Whether to record downloads too. */
    log_reads?: boolean
    /** Which changes by others in attached buckets are recorded one by one, and sent to webhooks: none, the first 1,000 that a scan finds, or all. Those that the first scan finds never are. */
    external_changes?: 'off' | 'first_1000' | 'all'
  }
  branding?: {
    /** Shown instead of “Strongroom” on the sign-in page, on the pages of share links and in their previews. */
    name?: string | null
  }
}

export interface Mail {
  /** A UUIDv7. */
  id: string
  kind: 'token_expiring' | 'access_key_expiring' | 'share_opened' | 'quota_warning' | 'invitation' | 'password_reset' | 'sign_in_changed' | 'approval'
  recipient: string
  subject: string
  /** `unknown`: all of it was sent and the mail server did not answer; it is not sent again. */
  status: 'queued' | 'sending' | 'sent' | 'failed' | 'unknown'
  attempts: number
  last_error: string | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  next_attempt_at: string | null
  sent_at: string | null
}

export interface ConfigurationChange {
  kind: 'storages' | 'identity_policies' | 'groups' | 'users' | 'roles' | 'buckets' | 'access_keys' | 'webhooks' | 'policies' | 'settings'
  /** What names it in the configuration; of settings, the section. */
  name: string
  action: 'create' | 'update' | 'delete'
  /** The fields that differ, or that something new has. */
  fields: {
    field: string
    /** Any JSON value. */
    before: unknown
    /** Any JSON value. */
    after: unknown
    /** Its values are not shown. */
    secret: boolean
  }[]
  /** What follows from it, a sentence each. */
  effects: string[]
  result: 'planned' | 'done' | 'failed' | 'not_reached'
  invitation?: Invitation
  problem?: {
    /** An error code of the API. */
    code: string
    detail: string
  }
}

export interface Mirror {
  /** 1–63 of `a-z 0-9 -`, starting and ending with a letter or digit. It cannot be changed. */
  storage: string
  /** When an upload is acknowledged: when one copy is durable, and the other follows, usually within seconds; or when both are. */
  acknowledge: 'one' | 'both'
  /** What becomes of uploads with `both` while one place is down: they are answered with 503, or acknowledged with one copy and counted in `copies_due`. */
  when_down: 'refuse' | 'continue'
  /** How many days the second copy of what was removed is kept. */
  keep_removed_days: number
  /** How many copies it lacks, as far as they are queued. */
  copies_due: number
  /** Since when the one that has waited longest is queued. */
  due_since: string | null
  /** Whether everything has a copy there, including what was there before. */
  complete: boolean
  /** Whether its engine locks the copies (Object Lock), so that nobody can destroy them before `keep_removed_days` are over. */
  locked: boolean
}

export interface Storage {
  /** 1–63 of `a-z 0-9 -`, starting and ending with a letter or digit. It cannot be changed. */
  name: string
  kind: 's3' | 'file'
  endpoint: string | null
  region: string | null
  bucket: string | null
  /** Empty, or ends with a slash. */
  prefix: string
  path_style: boolean | null
  folder: string | null
  access_key_id: string | null
  /** While false, it is not used: requests for what lies on it are answered with 503. */
  enabled: boolean
  /** What the process that answers found when it last looked, at most half a minute ago; null before that, and while it is off. */
  health: StorageHealth | null
  /** Buckets that are on it, or attached to it. */
  bucket_count: number
  /** Bytes of these buckets: of objects, versions and the trash. */
  used_bytes: number
  /** The storage whose place has its bytes since a failover; null where that is its own. */
  served_by: string | null
  /** Where the second copy of all its bytes is. */
  mirror: Mirror | null
  /** The last reading of everything at its place; null before the first. */
  scrub: {
    /** ISO 8601, UTC, milliseconds. */
    started_at: string
    /** Null while it runs. */
    finished_at: string | null
    /** Copies that were read and compared. */
    checked: number
    /** Those that were missing or not what was written. */
    damaged: number
    /** Those of before, which got their checksums. */
    summed: number
  } | null
  /** Whether it has a token with which the engine can report changes. */
  events: boolean
  created_at: string | null
  created_by: string | null
}

export interface StorageCheck {
  name: 'reach' | 'list' | 'order' | 'head' | 'read' | 'if_match' | 'clock' | 'versioning' | 'write'
  status: 'passed' | 'warning' | 'failed' | 'skipped'
  /** One sentence about what was found. */
  detail: string
}

export interface StorageHealth {
  ok: boolean
  detail: string | null
  /** Since when it has been so, as far as this process knows. */
  since: string
  latency_ms: number
  free_bytes: number | null
  /** ISO 8601, UTC, milliseconds. */
  checked_at: string
}

export interface StorageTest {
  /** Whether no check has failed. */
  ok: boolean
  /** `reach`: it answers. `list`: its objects can be listed; `order`: in byte order. `head`, `read`: the first object’s properties and one byte of it. `if_match`: a wrong If-Match is refused. `clock`: its clock agrees with ours. `versioning`: whether it keeps versions. `write`: for own buckets, bytes can be written and deleted; for `read_only`, they cannot. */
  checks: StorageCheck[]
  /** The first 20 objects under the prefix; none of a storage of files. */
  preview: ({
    key: string
    size: number
    last_modified: string | null
  })[]
}

export interface Replication {
  /** A storage of the kind `s3`, in whose bucket the replica is. */
  storage: string
  /** Under which prefix there. A slash is added at its end. */
  prefix: string
  rules: ReplicationRule[]
  /** What becomes of encrypted objects: they fail (`refuse`); they are sent decrypted (`plain`), or with the demand that the engine encrypts them (`engine`). The last two need an endpoint with TLS. What a client’s own key encrypts always fails. */
  encrypted: 'refuse' | 'plain' | 'engine'
  /** Whether objects are replicated that are there already. */
  existing: boolean
  /** ISO 8601, UTC, milliseconds. */
  configured_at: string
  paused: boolean
  /** Whether all objects are queued that were there before. */
  filled: boolean
  /** Since when the oldest change is waiting; 0 if none is. */
  lag_seconds: number
  /** What is waiting. */
  backlog: {
    objects: number
    bytes: number
  }
  /** Keys and versions that are not tried again by themselves. */
  failed: number
  error: string | null
}

export interface ReplicationDifferences {
  /** Objects of this page that have to be there. */
  checked: number
  /** Of these, how many are queued or have failed: they were not compared. */
  waiting: number
  differences: ({
    key: string
    /** `missing`: it is not there. `different`: other bytes are. `extra`: only there. `unreadable`: the bytes of one side cannot be read. */
    kind: 'missing' | 'different' | 'extra' | 'unreadable'
    detail: string
  })[]
  next_cursor: string | null
}

export interface ReplicationFailure {
  key: string
  version_id: string | null
  size: number
  /** One sentence. */
  reason: string
  /** ISO 8601, UTC, milliseconds. */
  since: string
}

export interface ReplicationRule {
  /** What S3 clients call it. */
  id?: string
  /** Of the rules that an object matches, the one with the highest decides; of equal ones, the first. Default: 0. */
  priority?: number
  enabled?: boolean
  /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
  prefix?: string
  tags?: Record<string, string>
  /** Whether a key that is deleted is deleted there as well. Not possible together with `tags`. */
  deletes?: boolean
}

export interface AskedEncryption {
  /** `AES256`: with a key of the service. `aws:kms`: with a key of a key service, which `key` names. */
  algorithm: 'AES256' | 'aws:kms'
  /** As S3 clients name it (`x-amz-server-side-encryption-aws-kms-key-id`). It cannot be changed. */
  key?: string
}

export interface BucketEncryption {
  /** `AES256`: with a key of the service. `aws:kms`: with a key of a key service, which `key` names. */
  algorithm: 'AES256' | 'aws:kms'
  /** As S3 clients name it (`x-amz-server-side-encryption-aws-kms-key-id`). It cannot be changed. */
  key?: string
}

export interface KmsKey {
  /** As S3 clients name it (`x-amz-server-side-encryption-aws-kms-key-id`). It cannot be changed. */
  name: string
  /** `aws`: the AWS KMS API. `transit`: the Transit secrets engine of Vault or OpenBao. */
  kind: 'aws' | 'transit'
  endpoint: string | null
  region: string | null
  /** What the key service calls the key: an id, an ARN or an alias; with `transit`, a name. */
  key_id: string
  /** Of `transit`: where the engine is mounted. */
  mount: string | null
  access_key_id: string | null
  /** While false, nothing can be read or written that is encrypted with it. */
  enabled: boolean
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
}

export interface ObjectEncryption {
  /** `AES256`: with a key of the service. `aws:kms`: with a key of a key service. `SSE-C`: with a key that only its S3 client has, without which nobody can read it. */
  algorithm: 'AES256' | 'aws:kms' | 'SSE-C'
  /** Of `aws:kms`: the registered key. */
  key?: string
}

export interface Absence {
  key: string
  size: number
  /** ISO 8601, UTC, milliseconds. */
  last_modified: string
  missing_since: string | null
}

export interface Scan {
  /** A UUIDv7. */
  id: string
  /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
  bucket: string
  /** `held`: it ended without marking anything as missing; `held_reason` says why. `superseded`: it was held, and a later scan has ended since. */
  status: 'queued' | 'running' | 'succeeded' | 'held' | 'superseded'
  /** `reading`: before a bucket is taken over, each object is asked for. `listing`: the engine’s list is compared. `marking`: what it lacked is marked as missing, or removed. */
  phase: 'reading' | 'listing' | 'marking'
  /** `take_over`: if it finds nothing changed, the bucket is taken over at its end. */
  trigger: 'attach' | 'request' | 'schedule' | 'take_over'
  /** The last key that was compared, or asked for. */
  position: string | null
  /** Objects that the engine listed. */
  seen: number
  added: number
  changed: number
  /** Objects that the list lacked, of those that were not marked as missing before. */
  absent: number
  /** Objects that were marked as missing. */
  missing: number
  /** Objects that were removed: missing in two scans, for a day, and by a last look. */
  removed: number
  /** Objects that cannot be shown. */
  refused: number
  /** The first 100 of them. */
  refused_keys: {
    key: string
    reason: string
  }[]
  /** `many_missing`: it would mark more than 100 objects and more than 5 %. `empty`: the list was empty. `listing_failed`: the engine did not list to the end. `disordered`: the list was neither in byte order nor folder by folder. `changed`: others changed something, so the bucket was not taken over. `unreadable`: nor was it, because the engine does not give an object away. The first two can be confirmed. */
  held_reason: 'many_missing' | 'empty' | 'listing_failed' | 'disordered' | 'changed' | 'unreadable' | null
  detail: string | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
  started_at: string | null
  finished_at: string | null
  confirmed_by: string | null
}

export interface Attempt {
  number: number
  /** `interrupted`: the sending process ended; whether the receiver got it is unknown. */
  trigger: 'scheduled' | 'manual' | 'interrupted'
  /** ISO 8601, UTC, milliseconds. */
  started_at: string
  duration_ms: number
  url: string
  ip: string | null
  request_headers: Record<string, string>
  status_code: number | null
  response_headers: Record<string, string> | null
  /** The first 16 KiB. */
  response_body: string | null
  response_encoding: 'utf-8' | 'base64' | null
  response_truncated: boolean
  /** `dns`, `blocked`, `connect`, `tls`, `timeout_headers`, `timeout_body`, `reset`, `protocol`, `http_status`, `proxy`, `secret`, `interrupted`. */
  error_class: string | null
  error: string | null
}

export interface Delivery {
  /** A UUIDv7. */
  id: string
  event: string
  /** Where the event happened; null if it concerns no bucket, or once its audit record has been removed. */
  bucket: string | null
  /** The object that the event concerns; null likewise. */
  object_key: string | null
  status: 'queued' | 'acknowledged' | 'failed'
  attempts: number
  last_status_code: number | null
  last_error: string | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  next_attempt_at: string | null
  acknowledged_at: string | null
}

export interface ListedWebhook {
  /** A UUIDv7. */
  id: string
  name: string
  url: string
  events: string[]
  /** Only events of this bucket; for moves, the source or the destination. */
  bucket: string | null
  /** Only events of keys with this prefix; requires `bucket`. */
  prefix: string | null
  /** `s3`: the bodies of S3’s event notifications, and only events that S3 has, about objects. `ping` is then `s3:TestEvent`. */
  format: 'strongroom' | 's3'
  enabled: boolean
  disabled_at: string | null
  /** Null if an administrator paused it. */
  disabled_reason: string | null
  /** Maximum deliveries in flight, across all replicas. */
  max_in_flight: number
  /** When the new secret takes over; until then the old one signs `X-Strongroom-Signature`. */
  rotation: {
    /** ISO 8601, UTC, milliseconds. */
    promotes_at: string
  } | null
  /** Since when all attempts have failed. */
  failing_since: string | null
  /** After four consecutive failures, new deliveries wait until then; retries continue. */
  cooling_until: string | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
  /** The latest delivery; null if there is none (any more). */
  last_delivery: {
    /** A UUIDv7. */
    id: string
    event: string
    status: 'queued' | 'acknowledged' | 'failed'
    attempts: number
    /** ISO 8601, UTC, milliseconds. */
    at: string
  } | null
  /** Outcomes of the deliveries that finished in the last 24 hours; at most the latest 500. */
  recent: {
    acknowledged: number
    failed: number
  }
}

export interface NewWebhook {
  /** A UUIDv7. */
  id: string
  name: string
  url: string
  events: string[]
  /** Only events of this bucket; for moves, the source or the destination. */
  bucket: string | null
  /** Only events of keys with this prefix; requires `bucket`. */
  prefix: string | null
  /** `s3`: the bodies of S3’s event notifications, and only events that S3 has, about objects. `ping` is then `s3:TestEvent`. */
  format: 'strongroom' | 's3'
  enabled: boolean
  disabled_at: string | null
  /** Null if an administrator paused it. */
  disabled_reason: string | null
  /** Maximum deliveries in flight, across all replicas. */
  max_in_flight: number
  /** When the new secret takes over; until then the old one signs `X-Strongroom-Signature`. */
  rotation: {
    /** ISO 8601, UTC, milliseconds. */
    promotes_at: string
  } | null
  /** Since when all attempts have failed. */
  failing_since: string | null
  /** After four consecutive failures, new deliveries wait until then; retries continue. */
  cooling_until: string | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
  /** Signs every delivery. Returned only once; stored encrypted. */
  secret: string
}

export interface Webhook {
  /** A UUIDv7. */
  id: string
  name: string
  url: string
  events: string[]
  /** Only events of this bucket; for moves, the source or the destination. */
  bucket: string | null
  /** Only events of keys with this prefix; requires `bucket`. */
  prefix: string | null
  /** `s3`: the bodies of S3’s event notifications, and only events that S3 has, about objects. `ping` is then `s3:TestEvent`. */
  format: 'strongroom' | 's3'
  enabled: boolean
  disabled_at: string | null
  /** Null if an administrator paused it. */
  disabled_reason: string | null
  /** Maximum deliveries in flight, across all replicas. */
  max_in_flight: number
  /** When the new secret takes over; until then the old one signs `X-Strongroom-Signature`. */
  rotation: {
    /** ISO 8601, UTC, milliseconds. */
    promotes_at: string
  } | null
  /** Since when all attempts have failed. */
  failing_since: string | null
  /** After four consecutive failures, new deliveries wait until then; retries continue. */
  cooling_until: string | null
  /** ISO 8601, UTC, milliseconds. */
  created_at: string
  created_by: string | null
}

export interface AuditFault {
  /** edited: the record differs from what was sealed. missing: the record of a link is gone. swapped: a genuine record is in another record’s place. forged: not written by this service. tail: the end of the chain is gone. gap: links are gone, or a record was kept out of the chain. checkpoint: a checkpoint or the head does not match the chain, or is not signed by this service. retention: records were removed before their recorded time, or the settings ask for that without a record. */
  kind: 'edited' | 'missing' | 'swapped' | 'forged' | 'tail' | 'gap' | 'checkpoint' | 'retention'
  seq: number | null
  audit_id: string | null
  message: string
}

export interface AuditRecord {
  /** A UUIDv7. */
  id: string
  /** ISO 8601, UTC, milliseconds. */
  time: string
  action: string
  result: 'success' | 'denied' | 'failure'
  status_code: number | null
  error_code: string | null
  actor: {
    user_id: string | null
    email: string | null
    type: 'user' | 'role' | 'public' | 'system' | 'cli' | 'engine'
  }
  auth_method: string | null
  /** The personal access token, access key or agent. */
  token_id: string | null
  session_id: string | null
  actor_ip: string | null
  user_agent: string | null
  request_id: string | null
  method: string | null
  route: string | null
  bucket: string | null
  object_key: string | null
  resource_type: string | null
  resource_id: string | null
  details: Record<string, unknown>
}

export interface AuditVerification {
  /** True if no fault was found in the checked range. */
  ok: boolean
  /** True if the check reached the end; otherwise continue with `from=<next_seq>`. */
  complete: boolean
  first_seq: number
  last_seq: number
  next_seq: number | null
  /** Records whose hash and MAC were recomputed. */
  checked: number
  /** Checkpoints whose signature was checked, including those in the file. */
  checkpoints: number
  /** Records not sealed yet. */
  pending: number
  /** The last link removed by retention. */
  anchor: {
    seq: number
    /** SHA-256 in hex. */
    chain_hash: string
  } | null
  /** The last link when the check started. */
  head: {
    seq: number
    /** SHA-256 in hex. */
    chain_hash: string
  } | null
  fault_count: number
  first_fault: AuditFault | null
  /** The first hundred. */
  faults: AuditFault[]
  /** Ed25519 public keys (base64url) for verifying the checkpoints elsewhere. */
  keys: {
    id: string
    public_key: string
  }[]
}

export interface Attention {
  /** The caller’s tokens that expire within seven days. */
  tokens: {
    /** A UUIDv7. */
    id: string
    name: string
    /** ISO 8601, UTC, milliseconds. */
    expires_at: string
  }[]
  /** The caller’s access keys that do, without inactive ones. */
  access_keys: {
    /** A UUIDv7. */
    id: string
    name: string
    /** ISO 8601, UTC, milliseconds. */
    expires_at: string
  }[]
  /** Scans of attached buckets that wait for confirmation, where the caller has `manage`; 20 at most. */
  held_scans: ({
    /** A UUIDv7. */
    id: string
    /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
    bucket: string
    held_reason: 'many_missing' | 'empty' | 'listing_failed' | 'disordered' | 'changed' | 'unreadable' | null
  })[]
  /** Null for those who are no administrators. */
  administration: {
    /** Those that are nearly full or short of space. */
    disks: Disk[]
    /** Those in use that could not be reached when the process that answers last looked. */
    storages: {
      /** 1–63 of `a-z 0-9 -`, starting and ending with a letter or digit. It cannot be changed. */
      name: string
      health: StorageHealth
    }[]
    /** Endpoints that fail, did, or were disabled for it. */
    webhooks: ({
      /** A UUIDv7. */
      id: string
      name: string
      url: string
      /** Why the service disabled it; null unless it did. */
      disabled_reason: string | null
      /** Since when all attempts have failed. */
      failing_since: string | null
      /** Deliveries that failed in the last 24 hours, among the latest 5,000 that did of all endpoints. */
      failed: number
    })[]
    /** What administrators of a new service do first, and whether it is done. */
    first_steps: {
      /** Whether there is another user than the first one. */
      users: boolean
      /** Whether users can sign in through an identity provider. */
      sso: boolean
      /** Whether the caller has made an access key. */
      access_key: boolean
      /** Whether there is a webhook endpoint. */
      webhook: boolean
    }
  } | null
}

export interface Backup {
  /** `off`: no backup place is configured. `copying`: the first copy is not whole yet. `failing`: the place cannot be written. `fenced`: another instance has taken over. */
  state: 'off' | 'copying' | 'following' | 'failing' | 'fenced'
  place: string | null
  moment: string | null
  lag_seconds: number | null
  error: string | null
  base: {
    /** ISO 8601, UTC, milliseconds. */
    moment: string
    bytes: number
  } | null
  /** Bytes of the database’s log that are not at the place yet. */
  waiting_bytes: number
  standby: {
    /** `copying`: a whole copy is being fetched. `waiting`: what comes next is damaged or missing, and a new copy is awaited. `failing`: the place cannot be read. */
    state: 'copying' | 'following' | 'waiting' | 'failing' | 'promoting' | 'promoted'
    /** The place that is followed. */
    from: string
    moment: string | null
    lag_seconds: number | null
    error: string | null
  } | null
}

export interface Disk {
  /** `database`: that of a SQLite database. `storage`: that of the default storage’s files. */
  of: 'database' | 'storage'
  /** `nearly_full`: less than a tenth is free. `short`: less than `kept_bytes` is, so uploads are refused with 507 until there is room. */
  state: 'room' | 'nearly_full' | 'short'
  free_bytes: number
  size_bytes: number
  /** What is kept free for signing in and deleting (`DISK_RESERVE_BYTES`). */
  kept_bytes: number
}

/** Every operation: the arguments of its call, and its result. */
export interface Operations {
  /** POST /auth/token: Log in with email and password. Users with a second factor get a 401 `second_factor_required`, with a `challenge` for `POST /auth/token/second-factor`; a code of an authenticator app can come with the password instead. Users who must set one up first get `second_factor_enrollment_required`, with a `challenge` for `POST /auth/token/enrollment`. Users who must choose another password get `password_change_required`, with a `challenge` for `POST /auth/token/password`. */
  login: {
    call: {
      query?: {
        /** For browsers: returns the refresh token as an HttpOnly, SameSite=Strict cookie that scripts cannot read. */
        session?: 'cookie'
      }
      body: {
        /** The email address. */
        username: string
        password: string
        /** A code of an authenticator app, if you have one. */
        otp?: string
        /** Must be `password` if present. */
        grant_type?: string
        /** Ignored. */
        scope?: string
        /** Ignored. */
        client_id?: string
        /** Ignored. */
        client_secret?: string
      }
    }
    reply: TokenPair
  }
  /** POST /auth/refresh: Exchange a refresh token for new tokens. Each exchange replaces the refresh token. Reusing a replaced one ends the whole session, except within 30 seconds while its successor is unused: then it returns the same successor. */
  refresh: {
    call: {
      query?: {
        /** For browsers: returns the refresh token as an HttpOnly, SameSite=Strict cookie that scripts cannot read. */
        session?: 'cookie'
      }
      body: {
        /** Omit with `session=cookie`. */
        refresh_token?: string
      }
    }
    reply: TokenPair
  }
  /** POST /auth/logout: Log out: end this session with all its tokens. */
  logout: {
    call: object
    reply: undefined
  }
  /** GET /auth/me: Get your account and permissions. */
  me: {
    call: object
    reply: Me
  }
  /** PATCH /auth/me: Change your own preferences. */
  updateMe: {
    call: {
      body: {
        /** The language of the console for this account, and of mail to it; null: the browser’s, and English in mail. */
        language: 'en' | 'de' | 'es' | 'fr' | 'ja' | 'zh-CN' | null
      }
    }
    reply: Me
  }
  /** GET /auth/config: List the enabled login methods. */
  authConfig: {
    call: object
    reply: {
      local: boolean
      idp: boolean
      idp_name: string | null
      /** Whether a passkey alone signs in: browsers have them at this address. */
      passkeys: boolean
      /** Whether a link to replace a forgotten password can be sent: mail is set up. */
      password_reset: boolean
      /** True if there is no administrator yet: create one with the setup link that the service printed at startup. */
      setup_required: boolean
      /** True until someone has signed in, with the credentials that the service printed for example. */
      first_sign_in: boolean
    }
  }
  /** POST /auth/setup: Create the first administrator with the token of the setup link. The link stops working as soon as there is an administrator. Each start without one prints a new link and invalidates the previous one. Returns the tokens of the administrator’s first session. */
  setUp: {
    call: {
      query?: {
        /** For browsers: returns the refresh token as an HttpOnly, SameSite=Strict cookie that scripts cannot read. */
        session?: 'cookie'
      }
      body: {
        /** The part after `#` in the link. */
        token: string
        email: string
        display_name?: string
        /** 8–72 bytes of UTF-8 after NFKC. */
        password: string
      }
    }
    reply: TokenPair
  }
  /** GET /auth/login: Start a login through the identity provider. Redirect the browser to `auth_url`. The response also sets a cookie that binds the login to this browser for ten minutes. */
  idpLogin: {
    call: {
      query?: {
        /** Path on this site to return to, with a one-time code in the fragment. */
        return_to?: string
      }
    }
    reply: {
      auth_url: string
    }
  }
  /** GET /auth/callback: Redirect URI of the identity provider. Returns tokens; a browser whose login has a `return_to` is redirected there instead, with `#code=…` for `POST /auth/handoff`. */
  idpCallback: {
    call: {
      query?: {
        code?: string
        state?: string
        iss?: string
        error?: string
        error_description?: string
      }
    }
    reply: TokenPair
  }
  /** POST /auth/callback: Redirect URI for providers that respond with a form. The form comes from another site, so the browser does not send our cookie with it; it is redirected to the GET route. */
  idpCallbackPost: {
    call: {
      body: {
        code?: string
        state?: string
        iss?: string
        error?: string
        error_description?: string
      }
    }
    reply: TokenPair
  }
  /** POST /auth/handoff: Exchange the code of a finished browser login for tokens. Works once, within 60 seconds, and only in the browser that started the login, which has its cookie. */
  redeemHandoff: {
    call: {
      query?: {
        /** For browsers: returns the refresh token as an HttpOnly, SameSite=Strict cookie that scripts cannot read. */
        session?: 'cookie'
      }
      body: {
        code: string
      }
    }
    reply: TokenPair
  }
  /** POST /auth/password: Change your password. Ends all your sessions, including this one, and returns the tokens of a new one. Personal access tokens stay valid. */
  changePassword: {
    call: {
      query?: {
        /** For browsers: returns the refresh token as an HttpOnly, SameSite=Strict cookie that scripts cannot read. */
        session?: 'cookie'
      }
      body: {
        current_password: string
        /** 8–72 bytes of UTF-8 after NFKC. */
        new_password: string
      }
    }
    reply: TokenPair
  }
  /** GET /auth/sessions: List your sessions, latest first. */
  listSessions: {
    call: {
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<{
      /** A UUIDv7. */
      id: string
      auth_method: 'local' | 'idp'
      /** What opened it. `link`: an invitation, or another link with which a password was chosen. Null: not known. */
      signed_in_with: 'password' | 'passkey' | 'identity_provider' | 'link' | null
      /** Whether a second factor was given; a passkey that signed in alone counts as both. */
      second_factor: boolean
      ip: string | null
      user_agent: string | null
      /** ISO 8601, UTC, milliseconds. */
      created_at: string
      /** ISO 8601, UTC, milliseconds. */
      last_used_at: string
      /** ISO 8601, UTC, milliseconds. */
      expires_at: string
      /** True for the session making this request. */
      current: boolean
    }>
  }
  /** DELETE /auth/sessions/{id}: Sign out one of your sessions. */
  endSession: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: undefined
  }
  /** POST /auth/passkey/challenge: Get a challenge, to sign in with a passkey alone. The options name no passkey: the browser finds those of this site by itself, also in the autofill of a sign-in form (`mediation: "conditional"`). Nothing is stored until the challenge is used. */
  beginPasskeyLogin: {
    call: object
    reply: {
      challenge: string
      /** Seconds. */
      expires_in: number
      /** Options for `navigator.credentials.get`, by `PublicKeyCredential.parseRequestOptionsFromJSON`. */
      passkey: PasskeyRequest
    }
  }
  /** POST /auth/passkey: Sign in with a passkey alone. With the `challenge` of `POST /auth/passkey/challenge`, which works once. The authenticator must have verified its user, by a PIN or a fingerprint for example; then the passkey stands for the password and the second factor. For users who have a password too. All refusals are alike. */
  passkeyLogin: {
    call: {
      query?: {
        /** For browsers: returns the refresh token as an HttpOnly, SameSite=Strict cookie that scripts cannot read. */
        session?: 'cookie'
      }
      body: {
        challenge: string
        /** The signed challenge: these members of `PublicKeyCredential.toJSON`. `userHandle` is there if the passkey can be found without a list of passkeys. */
        passkey: PasskeyLogin
      }
    }
    reply: TokenPair
  }
  /** POST /auth/password-reset/request: Have a link sent with which a forgotten password is replaced. The answer and its time are the same whether or not there is such an account. The link goes to users who sign in with a password, at most three times an hour. Only where mail is set up: `password_reset` of `GET /auth/config`. */
  requestPasswordReset: {
    call: {
      body: {
        email: string
        /** Of the mail, if the account has chosen none. */
        language?: 'en' | 'de' | 'es' | 'fr' | 'ja' | 'zh-CN'
      }
    }
    reply: {
      /** How long the link works, in seconds. */
      expires_in: number
    }
  }
  /** POST /auth/password-reset: See whose password a link replaces. */
  readPasswordReset: {
    call: {
      body: {
        /** The part after `#` in the link. */
        token: string
      }
    }
    reply: {
      email: string
      /** ISO 8601, UTC, milliseconds. */
      expires_at: string
    }
  }
  /** POST /auth/password-reset/finish: Replace a forgotten password and log in. Works once, and ends all sessions of the user. Users with a second factor get `second_factor_required`, those who must set one up `second_factor_enrollment_required`, with a `challenge`: their password is replaced then. Access tokens and access keys stay. */
  resetPassword: {
    call: {
      query?: {
        /** For browsers: returns the refresh token as an HttpOnly, SameSite=Strict cookie that scripts cannot read. */
        session?: 'cookie'
      }
      body: {
        /** The part after `#` in the link. */
        token: string
        /** 8–72 bytes of UTF-8 after NFKC. */
        password: string
      }
    }
    reply: TokenPair
  }
  /** POST /auth/token/second-factor: Finish a login with a second factor. With the `challenge` of a 401 `second_factor_required`, and exactly one of the others. A challenge works once, for five minutes and five tries. */
  verifyLogin: {
    call: {
      query?: {
        /** For browsers: returns the refresh token as an HttpOnly, SameSite=Strict cookie that scripts cannot read. */
        session?: 'cookie'
      }
      body: {
        challenge: string
        /** A code of an authenticator app. Each works once. */
        otp?: string
        /** A recovery code; case, spaces and hyphens do not matter. Each works once. */
        recovery_code?: string
        /** The signed challenge: these members of `PublicKeyCredential.toJSON`. */
        passkey?: PasskeyAssertion
      }
    }
    reply: TokenPair
  }
  /** POST /auth/token/enrollment: Start setting up the second factor that a login needs. With the `challenge` of a 401 `second_factor_enrollment_required`. It can be called again, with another kind too. */
  beginLoginEnrollment: {
    call: {
      body: {
        challenge: string
        kind: 'totp' | 'passkey'
      }
    }
    reply: {
      totp: {
        /** Base32, to be typed into the app. SHA-1, 6 digits, 30 seconds. */
        secret: string
        /** The same as an `otpauth:` URI, for a QR code. */
        uri: string
      } | null
      passkey: PasskeyCreation | null
    }
  }
  /** POST /auth/token/enrollment/verify: Finish a login by setting up a second factor. With the same `challenge`, and either `otp` or `passkey`. Returns tokens like `POST /auth/token`, and the recovery codes. */
  finishLoginEnrollment: {
    call: {
      query?: {
        /** For browsers: returns the refresh token as an HttpOnly, SameSite=Strict cookie that scripts cannot read. */
        session?: 'cookie'
      }
      body: {
        challenge: string
        name?: string
        /** A code of an authenticator app. Each works once. */
        otp?: string
        /** The new credential: these members of `PublicKeyCredential.toJSON`. */
        passkey?: PasskeyRegistration
      }
    }
    reply: {
      /** A JWT (HS256), valid 30 minutes. */
      access_token: string
      token_type: 'bearer'
      /** Lifetime of the access token in seconds. */
      expires_in: number
      /** Valid for one exchange within 7 days. With `session=cookie` it is only in the cookie. */
      refresh_token?: string
      /** Ten recovery codes, shown only now; they replace all earlier ones. */
      recovery_codes: string[]
    }
  }
  /** POST /auth/token/password: Finish a login by choosing another password. With the `challenge` of a 401 `password_change_required`, and, where it lists `methods`, with one of these second factors. Ends all earlier sessions. Users who must set up a second factor then get `second_factor_enrollment_required`. */
  replaceExpiredPassword: {
    call: {
      query?: {
        /** For browsers: returns the refresh token as an HttpOnly, SameSite=Strict cookie that scripts cannot read. */
        session?: 'cookie'
      }
      body: {
        challenge: string
        /** 8–72 bytes of UTF-8 after NFKC. */
        new_password: string
        /** A code of an authenticator app. Each works once. */
        otp?: string
        /** A recovery code; case, spaces and hyphens do not matter. Each works once. */
        recovery_code?: string
        /** The signed challenge: these members of `PublicKeyCredential.toJSON`. */
        passkey?: PasskeyAssertion
      }
    }
    reply: TokenPair
  }
  /** GET /auth/second-factors: List your second factors. They protect logins with a password; the identity provider looks after its own. */
  listSecondFactors: {
    call: object
    reply: {
      items: SecondFactor[]
      recovery_codes_left: number
      /** Whether the settings require you to have one. */
      required: boolean
      /** Whether this session was opened with one. */
      verified: boolean
      /** Whether this session would end if the settings came to require one of you. */
      session_ends: boolean
      /** Whether you can log in with a password, and so can add one. */
      has_password: boolean
      /** Whether passkeys can be used: browsers need https, or localhost, and a host name. */
      passkeys: boolean
    }
  }
  /** POST /auth/second-factors/challenge: Get a challenge, to prove who you are with a passkey. */
  challengeSecondFactor: {
    call: object
    reply: {
      challenge: string
      /** Options for `navigator.credentials.get`, by `PublicKeyCredential.parseRequestOptionsFromJSON`. */
      passkey: PasskeyRequest
    }
  }
  /** POST /auth/second-factors/setup: Start setting up a second factor. Changes nothing yet. The `challenge` is valid for five minutes. */
  beginSecondFactor: {
    call: {
      body: {
        kind: 'totp' | 'passkey'
      }
    }
    reply: {
      challenge: string
      totp: {
        /** Base32, to be typed into the app. SHA-1, 6 digits, 30 seconds. */
        secret: string
        /** The same as an `otpauth:` URI, for a QR code. */
        uri: string
      } | null
      passkey: PasskeyCreation | null
    }
  }
  /** POST /auth/second-factors: Add a second factor. With the `challenge` of `POST /auth/second-factors/setup`, and either `otp` or `passkey`. Ends no session. The session that adds the first one counts as opened with it. */
  addSecondFactor: {
    call: {
      body: {
        challenge: string
        name?: string
        /** A code of an authenticator app. Each works once. */
        otp?: string
        /** The new credential: these members of `PublicKeyCredential.toJSON`. */
        passkey?: PasskeyRegistration
        /** Your current password or a second factor: exactly one of these. Once you have a second factor, the password counts only in a session that was opened with one. */
        proof: {
          current_password?: string
          /** A code of an authenticator app. Each works once. */
          otp?: string
          /** A recovery code; case, spaces and hyphens do not matter. Each works once. */
          recovery_code?: string
          /** With a challenge of `POST /auth/second-factors/challenge`. */
          passkey?: {
            challenge: string
            /** The signed challenge: these members of `PublicKeyCredential.toJSON`. */
            credential: PasskeyAssertion
          }
        }
      }
    }
    reply: {
      factor: SecondFactor
      /** With your first factor: ten recovery codes, shown only now. */
      recovery_codes: string[] | null
    }
  }
  /** PATCH /auth/second-factors/{id}: Rename a second factor. */
  renameSecondFactor: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        name: string
      }
    }
    reply: SecondFactor
  }
  /** POST /auth/second-factors/{id}/remove: Remove a second factor. Ends no session. With the last one the recovery codes are deleted too; it cannot be removed while the settings require one. */
  removeSecondFactor: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        /** Your current password or a second factor: exactly one of these. Once you have a second factor, the password counts only in a session that was opened with one. */
        proof: {
          current_password?: string
          /** A code of an authenticator app. Each works once. */
          otp?: string
          /** A recovery code; case, spaces and hyphens do not matter. Each works once. */
          recovery_code?: string
          /** With a challenge of `POST /auth/second-factors/challenge`. */
          passkey?: {
            challenge: string
            /** The signed challenge: these members of `PublicKeyCredential.toJSON`. */
            credential: PasskeyAssertion
          }
        }
      }
    }
    reply: undefined
  }
  /** POST /auth/second-factors/recovery-codes: Replace your recovery codes. */
  createRecoveryCodes: {
    call: {
      body: {
        /** Your current password or a second factor: exactly one of these. Once you have a second factor, the password counts only in a session that was opened with one. */
        proof: {
          current_password?: string
          /** A code of an authenticator app. Each works once. */
          otp?: string
          /** A recovery code; case, spaces and hyphens do not matter. Each works once. */
          recovery_code?: string
          /** With a challenge of `POST /auth/second-factors/challenge`. */
          passkey?: {
            challenge: string
            /** The signed challenge: these members of `PublicKeyCredential.toJSON`. */
            credential: PasskeyAssertion
          }
        }
      }
    }
    reply: {
      /** Ten recovery codes, shown only now; they replace all earlier ones. */
      recovery_codes: string[]
    }
  }
  /** DELETE /users/{id}/second-factors: Remove all second factors of a user. For someone who has lost theirs, with their recovery codes. Ends no session. Your own need your password: use `POST /auth/second-factors/{id}/remove`. */
  resetSecondFactors: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: undefined
  }
  /** POST /tokens: Create a personal access token. It acts as you, with the permissions you have at each request, within its scope. With a scope it has none of the permissions that are not about buckets, and is refused by operations on your account: its profile, sessions, second factors, tokens and access keys. At most 50 valid tokens per user. */
  createToken: {
    call: {
      body: {
        name: string
        scope?: ({
          /** A bucket’s name, or its start followed by `*`. */
          bucket: string
          actions: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
          /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
          prefix?: string
        })[] | null
        /** `30d`, `90d`, `365d`, seconds (a number, or a text of digits; at most ten years) or `never`. */
        expires_in?: '30d' | '90d' | '365d' | 'never' | number | string
      }
    }
    reply: NewToken
  }
  /** GET /tokens: List your personal access tokens, latest first. */
  listTokens: {
    call: {
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<Token>
  }
  /** DELETE /tokens/{id}: Revoke a personal access token. Takes effect on the next request. With `cascade`, tokens and access keys created with it, directly or indirectly, are revoked too. Administrators may revoke anyone’s. */
  revokeToken: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      query?: {
        cascade?: boolean
      }
    }
    reply: undefined
  }
  /** POST /tokens/{id}/rotate: Rotate a personal access token. Gives it a new value; name, scope, expiry and lineage stay. The old value stops working at once, or after a grace period of up to a day. */
  rotateToken: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        /** Seconds that the old value still works. */
        grace_seconds?: number
      }
    }
    reply: NewToken
  }
  /** GET /users/{id}/tokens: List a user’s personal access tokens, latest first. */
  listUserTokens: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<Token>
  }
  /** POST /access-keys: Create an access key. A key pair that signs S3 requests. It acts as you, with the permissions you have at each request, within its scope. At most 50 valid keys per user. */
  createAccessKey: {
    call: {
      body: {
        name: string
        scope?: ({
          /** A bucket’s name, or its start followed by `*`. */
          bucket: string
          actions: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
          /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
          prefix?: string
        })[] | null
        /** `30d`, `90d`, `365d`, seconds (a number, or a text of digits; at most ten years) or `never`. */
        expires_in?: '30d' | '90d' | '365d' | 'never' | number | string
      }
    }
    reply: NewAccessKey
  }
  /** GET /access-keys: List your access keys, latest first. */
  listAccessKeys: {
    call: {
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<AccessKey>
  }
  /** DELETE /access-keys/{id}: Revoke an access key. Takes effect on the next request. Administrators may revoke anyone’s. */
  revokeAccessKey: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: undefined
  }
  /** POST /access-keys/{id}/rotate: Rotate an access key. Gives it a new secret; its access key ID, name, scope and expiry stay. The old secret stops working at once, or after a grace period of up to a day. */
  rotateAccessKey: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        /** Seconds that the old secret still works. */
        grace_seconds?: number
      }
    }
    reply: NewAccessKey
  }
  /** GET /users/{id}/access-keys: List a user’s access keys, latest first. */
  listUserAccessKeys: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<AccessKey>
  }
  /** GET /sessions/machines: List the sessions of temporary credentials, latest first. Those that have neither expired nor been ended. */
  listMachineSessions: {
    call: {
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<MachineSession>
  }
  /** DELETE /sessions/machines: End sessions of temporary credentials. Those that match everything that is given, with `before` only those that were opened until then; all of them without any, and those that were opened with their credentials. Takes effect on the next request. */
  endMachineSessions: {
    call: {
      query?: {
        /** A UUIDv7. */
        id?: string
        /** The name of a role. */
        role?: string
        /** A UUIDv7. */
        user_id?: string
        /** An identity provider, without `https://`. */
        provider?: string
        /** ISO 8601, UTC, milliseconds. */
        before?: string
      }
    }
    reply: {
      /** How many were ended. */
      sessions: number
    }
  }
  /** GET /buckets/{bucket}/policy: Get the policy of a bucket, and what it says. Needs `manage`. */
  getBucketPolicy: {
    call: {
      params: {
        bucket: string
      }
    }
    reply: BucketPolicy
  }
  /** PUT /buckets/{bucket}/policy: Set the policy of a bucket. Needs `manage`. Takes effect on the next request, at every endpoint. What is unknown in it is refused, with its place in the text. */
  putBucketPolicy: {
    call: {
      params: {
        bucket: string
      }
      body: {
        /** A policy in AWS’ language, as JSON. */
        document: string
      }
    }
    reply: DescribedPolicy
  }
  /** DELETE /buckets/{bucket}/policy: Delete the policy of a bucket. Needs `manage`; administrators can always delete it, whatever it says. */
  deleteBucketPolicy: {
    call: {
      params: {
        bucket: string
      }
    }
    reply: undefined
  }
  /** POST /permissions/describe: Say what a policy would allow and deny, before it is saved. A sentence for each statement, as parts from which every language makes its own, and in English; and what to look at: what it opens to whom, what has no effect. The policy of a bucket needs `manage` there, all others an administrator. */
  describePolicy: {
    call: {
      body: {
        /** Whose: a bucket’s, one of a user, group or role, or the one that says who may take on a role. */
        kind: 'bucket' | 'identity' | 'role'
        /** Of the kind `bucket`, required. */
        bucket?: string
        /** A policy in AWS’ language, as JSON. */
        document: string
      }
    }
    reply: DescribedPolicy
  }
  /** POST /permissions/simulate: Say how a request would be decided, and by what. By the same decision that requests are judged by, as at the S3 endpoint. Nothing is done. Needs `users.manage`. */
  simulatePermission: {
    call: {
      body: {
        /** The caller: a user, members of a group, a session of a role, or someone without a credential. */
        who: {
          /** A UUIDv7. */
          user_id: string
        } | {
          /** A UUIDv7. */
          group_id: string
        } | {
          /** The name of a role. */
          role: string
        } | {
          anonymous: true
        }
        /** An action of S3, IAM or STS. */
        action: string
        bucket?: string
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        key?: string
        /** Of actions that are about no bucket: an ARN. */
        resource?: string
        /** What conditions are to know of the request. */
        context?: {
          key: string
          values: string[]
        }[]
      }
    }
    reply: {
      allowed: boolean
      /** What decided. */
      reason: 'statement' | 'policy' | 'grant' | 'administrator' | 'user_disabled' | 'outside_session' | 'action_unknown' | 'nothing'
      statement: {
        policy_of: 'bucket' | 'caller' | 'session'
        sid: string | null
        index: number
        effect: 'Allow' | 'Deny'
        sentence: {
          /** Which of the policy’s statements it is, from 0. */
          statement: number
          sid: string | null
          effect: 'Allow' | 'Deny'
          /** Null in policies of users, groups and roles: whom they belong to. */
          who: {
            all_but: boolean
            of: ({
              kind: 'anyone' | 'account' | 'other_account' | 'user' | 'role' | 'session' | 'provider' | 'service' | 'gone'
              name: string
            })[]
          } | null
          what: {
            /** Everything but this. */
            all_but: boolean
            kinds: ('everything' | 'list_buckets' | 'list' | 'read' | 'read_versions' | 'write' | 'delete' | 'delete_versions' | 'tag' | 'lock' | 'bypass_lock' | 'change_acls' | 'change_policy' | 'change_settings' | 'see_settings' | 'create_bucket' | 'delete_bucket' | 'see_identities' | 'change_identities' | 'assume' | 'assume_with_token' | 'others')[]
            /** Names of actions that are in none of the kinds. */
            others: string[]
          }
          /** Null in policies that say who may take on a role. */
          where: {
            all_but: boolean
            of: ({
              kind: 'everywhere' | 'whole' | 'bucket' | 'objects' | 'below' | 'object' | 'pattern'
              name: string
            })[]
          } | null
          /** All of which have to hold. */
          when: ({
            /** The condition’s key, as the policy writes it. */
            key: string
            relation: 'is' | 'is_not' | 'is_ignoring_case' | 'is_not_ignoring_case' | 'like' | 'not_like' | 'equals' | 'not_equals' | 'less' | 'at_most' | 'more' | 'at_least' | 'in_network' | 'not_in_network' | 'bytes' | 'absent' | 'present'
            values: string[]
            /** Of keys with several values: whether one of them, or all, have to be so. */
            of: 'one' | 'any' | 'all'
            /** Holds as well where a request does not have the key. */
            if_exists: boolean
          })[]
          /** The sentence in English. */
          text: string
        }
      } | null
      via: Via | null
    }
  }
  /** GET /roles: List roles by name. Needs an administrator, or a policy that allows `iam:ListRoles`. */
  listRoles: {
    call: {
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<Role>
  }
  /** POST /roles: Create a role, which programs take on with the token that they have. Its trust policy says who may; its policies, which it is given next, what it may. Needs an administrator, or a policy that allows `iam:CreateRole`. */
  createRole: {
    call: {
      body: {
        /** The name of a role. */
        name: string
        path?: string
        description?: string
        /** A policy in AWS’ language, as JSON. */
        trust: string
        /** How long a session lasts at most, and by default if that is less than an hour. */
        max_session_seconds?: number
        tags?: Record<string, string>
      }
    }
    reply: Role
  }
  /** GET /roles/{role}: Get a role. Needs an administrator, or a policy that allows `iam:GetRole`. */
  getRole: {
    call: {
      params: {
        /** The name of a role. */
        role: string
      }
    }
    reply: Role
  }
  /** PATCH /roles/{role}: Change a role. Takes effect on the next request. Needs an administrator, or a policy that allows `iam:UpdateRole`. The trust policy needs `iam:UpdateAssumeRolePolicy`, tags `iam:TagRole` and `iam:UntagRole`. */
  updateRole: {
    call: {
      params: {
        /** The name of a role. */
        role: string
      }
      body: {
        description?: string
        /** A policy in AWS’ language, as JSON. */
        trust?: string
        /** How long a session lasts at most, and by default if that is less than an hour. */
        max_session_seconds?: number
        tags?: Record<string, string>
      }
    }
    reply: Role
  }
  /** DELETE /roles/{role}: Delete a role with its policies, and end its sessions. Needs an administrator, or a policy that allows `iam:DeleteRole`, `iam:DeleteRolePolicy`, `iam:DetachRolePolicy`. */
  deleteRole: {
    call: {
      params: {
        /** The name of a role. */
        role: string
      }
    }
    reply: undefined
  }
  /** GET /oidc-providers: List the identity providers whose tokens open sessions. There are 100 at most. Needs an administrator, or a policy that allows `iam:ListOpenIDConnectProviders`, `iam:GetOpenIDConnectProvider`. */
  listOidcProviders: {
    call: object
    reply: {
      items: OidcProvider[]
    }
  }
  /** POST /oidc-providers: Register an identity provider: of a cluster, GitHub, GitLab. Its keys are found by discovery. Needs an administrator, or a policy that allows `iam:CreateOpenIDConnectProvider`. */
  createOidcProvider: {
    call: {
      body: {
        issuer: string
        audiences?: string[]
      }
    }
    reply: OidcProvider
  }
  /** PATCH /oidc-providers: Set for which clients tokens of an identity provider count. Needs an administrator, or a policy that allows `iam:AddClientIDToOpenIDConnectProvider`, `iam:RemoveClientIDFromOpenIDConnectProvider`. */
  updateOidcProvider: {
    call: {
      body: {
        issuer: string
        audiences: string[]
      }
    }
    reply: OidcProvider
  }
  /** DELETE /oidc-providers: Remove an identity provider, and end the sessions that its tokens opened. Needs an administrator, or a policy that allows `iam:DeleteOpenIDConnectProvider`. */
  deleteOidcProvider: {
    call: {
      query: {
        issuer: string
      }
    }
    reply: undefined
  }
  /** GET /identity-policies: List the policies that can be attached, the built-in ones first. Needs an administrator, or a policy that allows `iam:ListPolicies`. */
  listIdentityPolicies: {
    call: {
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<IdentityPolicy>
  }
  /** POST /identity-policies: Create a policy that can be attached to users, groups and roles. Needs an administrator, or a policy that allows `iam:CreatePolicy`. */
  createIdentityPolicy: {
    call: {
      body: {
        name: string
        path?: string
        description?: string
        /** A policy in AWS’ language, as JSON. */
        document: string
      }
    }
    reply: IdentityPolicy
  }
  /** GET /identity-policies/{policy}: Get a policy with its versions, and to whom it is attached. Needs an administrator, or a policy that allows `iam:GetPolicy`, `iam:GetPolicyVersion`, `iam:ListEntitiesForPolicy`. */
  getIdentityPolicy: {
    call: {
      params: {
        /** Its `id`. */
        policy: string
      }
    }
    reply: IdentityPolicyDetail
  }
  /** PATCH /identity-policies/{policy}: Change a policy: to a new document, or back to one of its versions. Takes effect on the next request of everyone whom it is attached to. A new document is a new version; of five, the oldest that is not in force goes. Needs an administrator, or a policy that allows `iam:CreatePolicyVersion`, `iam:SetDefaultPolicyVersion`. */
  updateIdentityPolicy: {
    call: {
      params: {
        /** Its `id`. */
        policy: string
      }
      body: {
        /** A policy in AWS’ language, as JSON. */
        document: string
      } | {
        version: number
      }
    }
    reply: IdentityPolicy
  }
  /** DELETE /identity-policies/{policy}: Delete a policy that is attached to nobody, with all its versions. Needs an administrator, or a policy that allows `iam:DeletePolicy`, `iam:DeletePolicyVersion`. */
  deleteIdentityPolicy: {
    call: {
      params: {
        /** Its `id`. */
        policy: string
      }
    }
    reply: undefined
  }
  /** GET /policies-of/{kind}/{owner}: Get the policies of a user, a group or a role: their own, and those that are attached. Needs an administrator, or a policy that allows `iam:ListUserPolicies`, `iam:ListAttachedUserPolicies`. */
  getPoliciesOf: {
    call: {
      params: {
        kind: 'user' | 'group' | 'role'
        /** The id of the user or group, or the name of the role. */
        owner: string
      }
    }
    reply: {
      /** Whose they are. */
      name: string
      /** The names of their own. */
      inline: string[]
      attached: ({
        /** A UUIDv7; of a built-in one, `aws:` and its name. */
        id: string
        name: string
        path: string
        arn: string
        description: string
        /** Built in: it can be attached, but neither changed nor deleted. */
        builtin: boolean
        /** Which of its versions is in force. */
        version: number
        updated_at: string | null
      })[]
    }
  }
  /** GET /policies-of/{kind}/{owner}/inline/{name}: Get a policy of a user’s, a group’s or a role’s own. Needs an administrator, or a policy that allows `iam:GetUserPolicy`. */
  getInlinePolicy: {
    call: {
      params: {
        kind: 'user' | 'group' | 'role'
        /** The id of the user or group, or the name of the role. */
        owner: string
        name: string
      }
    }
    reply: {
      document: string
    }
  }
  /** PUT /policies-of/{kind}/{owner}/inline/{name}: Give a user, a group or a role a policy of their own. In place of one of the same name. Takes effect on the next request. Needs an administrator, or a policy that allows `iam:PutUserPolicy`. */
  putInlinePolicy: {
    call: {
      params: {
        kind: 'user' | 'group' | 'role'
        /** The id of the user or group, or the name of the role. */
        owner: string
        name: string
      }
      body: {
        /** A policy in AWS’ language, as JSON. */
        document: string
      }
    }
    reply: {
      document: string
    }
  }
  /** DELETE /policies-of/{kind}/{owner}/inline/{name}: Delete a policy of a user’s, a group’s or a role’s own. Needs an administrator, or a policy that allows `iam:DeleteUserPolicy`. */
  deleteInlinePolicy: {
    call: {
      params: {
        kind: 'user' | 'group' | 'role'
        /** The id of the user or group, or the name of the role. */
        owner: string
        name: string
      }
    }
    reply: undefined
  }
  /** PUT /policies-of/{kind}/{owner}/attached/{policy}: Attach a policy to a user, a group or a role. Needs an administrator, or a policy that allows `iam:AttachUserPolicy`. */
  attachPolicy: {
    call: {
      params: {
        kind: 'user' | 'group' | 'role'
        /** The id of the user or group, or the name of the role. */
        owner: string
        /** Its `id`. */
        policy: string
      }
    }
    reply: undefined
  }
  /** DELETE /policies-of/{kind}/{owner}/attached/{policy}: Detach a policy from a user, a group or a role. Needs an administrator, or a policy that allows `iam:DetachUserPolicy`. */
  detachPolicy: {
    call: {
      params: {
        kind: 'user' | 'group' | 'role'
        /** The id of the user or group, or the name of the role. */
        owner: string
        /** Its `id`. */
        policy: string
      }
    }
    reply: undefined
  }
  /** POST /agents: Create an agent. A credential for a program that decides by itself what it does. It acts as you within its scope, by the API with its token and by S3 with its key pair, until it expires. What it changes, deletes and reads counts against its budget, and what its `approval` names waits until a user has approved it. It deletes nothing permanently: what it deletes or overwrites goes to the trash, or becomes a version. With `fork`, a fork of a bucket is made, which is the only bucket that it can reach; you need what creating a fork needs. At most 50 valid agents per user. */
  createAgent: {
    call: {
      body: {
        name: string
        /** What the agent may do, and where. It never may more than whoever made it. */
        scope: ({
          /** A bucket’s name, or its start followed by `*`. */
          bucket: string
          actions: ('list' | 'read' | 'write' | 'delete' | 'share')[]
          /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
          prefix?: string
        })[]
        budget?: {
          /** Objects written, copied, moved, restored or given other metadata, and links created, in an hour; null for no limit. 1000 by default. */
          change_objects_per_hour?: number | null
          /** Bytes of objects written, copied, moved or restored in an hour; null for no limit. No limit by default. */
          change_bytes_per_hour?: number | null
          /** Objects deleted in an hour; null for no limit. 100 by default. */
          delete_objects_per_hour?: number | null
          /** Bytes of objects deleted in an hour; null for no limit. No limit by default. */
          delete_bytes_per_hour?: number | null
          /** Bytes of contents read in an hour; null for no limit. No limit by default. */
          read_bytes_per_hour?: number | null
          /** Objects written, copied, moved, restored or given other metadata, and links created, in all; null for no limit. No limit by default. */
          change_objects?: number | null
          /** Bytes of objects written, copied, moved or restored in all; null for no limit. No limit by default. */
          change_bytes?: number | null
          /** Objects deleted in all; null for no limit. No limit by default. */
          delete_objects?: number | null
          /** Bytes of objects deleted in all; null for no limit. No limit by default. */
          delete_bytes?: number | null
          /** Bytes of contents read in all; null for no limit. No limit by default. */
          read_bytes?: number | null
        }
        /** What a user has to approve first; by default, everything that shares. */
        approval?: {
          /** `share` is also asked before a download can be given to others by a signed URL. */
          actions?: ('write' | 'delete' | 'share')[]
          /** Requests that change or delete more objects than this, and every job; null for none. */
          above_objects?: number | null
          /** The same for their bytes. */
          above_bytes?: number | null
        }
        expires_at?: string | null
        /** Each entry of the scope has to name this bucket; it is about the fork then. */
        fork?: {
          /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
          bucket: string
        }
      }
    }
    reply: NewAgent
  }
  /** GET /agents: List agents, latest first. Yours, or as an administrator everyone’s. */
  listAgents: {
    call: {
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<Agent>
  }
  /** GET /agent: Get the agent that asks. For agents: what they may do, and what is left of their budget. */
  getOwnAgent: {
    call: object
    reply: Agent
  }
  /** GET /agents/{id}: Get an agent. */
  getAgent: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Agent
  }
  /** PATCH /agents/{id}: Change an agent. Counts from the next request on. What is not named of `budget` and `approval` stays. The scope of one that works on a fork cannot be changed; its fork ends when it does. */
  updateAgent: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        name?: string
        /** What the agent may do, and where. It never may more than whoever made it. */
        scope?: ({
          /** A bucket’s name, or its start followed by `*`. */
          bucket: string
          actions: ('list' | 'read' | 'write' | 'delete' | 'share')[]
          /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
          prefix?: string
        })[]
        budget?: {
          /** Objects written, copied, moved, restored or given other metadata, and links created, in an hour; null for no limit. 1000 by default. */
          change_objects_per_hour?: number | null
          /** Bytes of objects written, copied, moved or restored in an hour; null for no limit. No limit by default. */
          change_bytes_per_hour?: number | null
          /** Objects deleted in an hour; null for no limit. 100 by default. */
          delete_objects_per_hour?: number | null
          /** Bytes of objects deleted in an hour; null for no limit. No limit by default. */
          delete_bytes_per_hour?: number | null
          /** Bytes of contents read in an hour; null for no limit. No limit by default. */
          read_bytes_per_hour?: number | null
          /** Objects written, copied, moved, restored or given other metadata, and links created, in all; null for no limit. No limit by default. */
          change_objects?: number | null
          /** Bytes of objects written, copied, moved or restored in all; null for no limit. No limit by default. */
          change_bytes?: number | null
          /** Objects deleted in all; null for no limit. No limit by default. */
          delete_objects?: number | null
          /** Bytes of objects deleted in all; null for no limit. No limit by default. */
          delete_bytes?: number | null
          /** Bytes of contents read in all; null for no limit. No limit by default. */
          read_bytes?: number | null
        }
        /** What a user has to approve first; by default, everything that shares. */
        approval?: {
          /** `share` is also asked before a download can be given to others by a signed URL. */
          actions?: ('write' | 'delete' | 'share')[]
          /** Requests that change or delete more objects than this, and every job; null for none. */
          above_objects?: number | null
          /** The same for their bytes. */
          above_bytes?: number | null
        }
        expires_at?: string | null
      }
    }
    reply: Agent
  }
  /** DELETE /agents/{id}: Revoke an agent. Takes effect on the next request; its jobs stop at their next step, and its links and signed URLs with it. */
  revokeAgent: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: undefined
  }
  /** GET /approvals: List the requests of agents that need approval, latest first. Those of your agents, as an administrator of everyone’s, and for an agent its own. */
  listApprovals: {
    call: {
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
        /** A UUIDv7. */
        agent_id?: string
        status?: 'waiting' | 'approved' | 'rejected' | 'done' | 'expired'
      }
    }
    reply: Page<Approval>
  }
  /** GET /approvals/{id}: Get a request of an agent that needs approval. */
  getApproval: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Approval
  }
  /** POST /approvals/{id}/approve: Approve a request of an agent. By whoever made the agent, or an administrator. The agent may then make the same request once, within a day, if none of the objects that it is about has changed since it asked. */
  approve: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Approval
  }
  /** POST /approvals/{id}/reject: Reject a request of an agent. The same request is refused for a day. */
  reject: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Approval
  }
  /** POST /mcp: Call the MCP server. The Model Context Protocol over Streamable HTTP: one JSON-RPC message, answered by itself. Needs the token of an agent, one with a scope, or an access token of OAuth. Its tools do what the operations of this API do, within the same limits; docs/mcp.md lists them. */
  callMcp: {
    call: {
      body: unknown
    }
    reply: Response
  }
  /** GET /.well-known/oauth-protected-resource/mcp: Find out where clients of the MCP server sign in. */
  getMcpResource: {
    call: object
    reply: {
      resource: string
      authorization_servers: string[]
      scopes_supported: string[]
      bearer_methods_supported: string[]
      resource_name: string
    }
  }
  /** GET /.well-known/oauth-protected-resource: Find out where clients of the MCP server sign in. */
  getMcpResourceAtRoot: {
    call: object
    reply: {
      resource: string
      authorization_servers: string[]
      scopes_supported: string[]
      bearer_methods_supported: string[]
      resource_name: string
    }
  }
  /** GET /.well-known/oauth-authorization-server: Find out how clients of the MCP server sign in. */
  getAuthorizationServer: {
    call: object
    reply: {
      issuer: string
      authorization_endpoint: string
      token_endpoint: string
      registration_endpoint: string
      revocation_endpoint: string
      scopes_supported: string[]
      response_types_supported: string[]
      response_modes_supported: string[]
      grant_types_supported: string[]
      token_endpoint_auth_methods_supported: string[]
      revocation_endpoint_auth_methods_supported: string[]
      code_challenge_methods_supported: string[]
      authorization_response_iss_parameter_supported: boolean
      client_id_metadata_document_supported: boolean
    }
  }
  /** POST /oauth/register: Register a client. RFC 7591. For clients that have no document of their own to name as `client_id`. It lasts for a day, and for as long as an agent made with it is valid. At most ten a minute from one address. */
  registerClient: {
    call: {
      body: {
        redirect_uris: string[]
        client_name?: string
        grant_types?: string[]
        response_types?: string[]
      }
    }
    reply: {
      client_id: string
      /** Seconds since 1970. */
      client_id_issued_at: number
      client_name: string
      redirect_uris: string[]
      token_endpoint_auth_method: 'none'
      grant_types: string[]
      response_types: string[]
    }
  }
  /** GET /oauth/authorize: Ask a user for access to the MCP server. Where clients send the browser. It goes on to the console, where the user signs in and makes an agent. Errors are shown there, and never sent to the redirect URI: anyone can register one. */
  beginAuthorization: {
    call: {
      query?: {
        /** Must be `code`. */
        response_type?: string
        /** Of a registration, or the URL of the client’s document. */
        client_id?: string
        redirect_uri?: string
        state?: string
        code_challenge?: string
        /** Must be `S256`. */
        code_challenge_method?: string
        /** Must be the URL of the MCP server if present. */
        resource?: string
      }
    }
    reply: Response
  }
  /** POST /oauth/authorization: Get what a client asks for. */
  readAuthorization: {
    call: {
      body: {
        /** What the consent page was opened with. */
        request: string
      }
    }
    reply: Authorization
  }
  /** POST /oauth/authorization/approve: Make an agent for a client. Makes an agent as `POST /agents` does, whose token the client gets: the URL returned has a code for it that works once, within 60 seconds. Needs a session: tokens cannot give themselves away. */
  approveAuthorization: {
    call: {
      body: {
        /** What the consent page was opened with. */
        request: string
        name: string
        /** What the agent may do, and where. It never may more than whoever made it. */
        scope: ({
          /** A bucket’s name, or its start followed by `*`. */
          bucket: string
          actions: ('list' | 'read' | 'write' | 'delete' | 'share')[]
          /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
          prefix?: string
        })[]
        budget?: {
          /** Objects written, copied, moved, restored or given other metadata, and links created, in an hour; null for no limit. 1000 by default. */
          change_objects_per_hour?: number | null
          /** Bytes of objects written, copied, moved or restored in an hour; null for no limit. No limit by default. */
          change_bytes_per_hour?: number | null
          /** Objects deleted in an hour; null for no limit. 100 by default. */
          delete_objects_per_hour?: number | null
          /** Bytes of objects deleted in an hour; null for no limit. No limit by default. */
          delete_bytes_per_hour?: number | null
          /** Bytes of contents read in an hour; null for no limit. No limit by default. */
          read_bytes_per_hour?: number | null
          /** Objects written, copied, moved, restored or given other metadata, and links created, in all; null for no limit. No limit by default. */
          change_objects?: number | null
          /** Bytes of objects written, copied, moved or restored in all; null for no limit. No limit by default. */
          change_bytes?: number | null
          /** Objects deleted in all; null for no limit. No limit by default. */
          delete_objects?: number | null
          /** Bytes of objects deleted in all; null for no limit. No limit by default. */
          delete_bytes?: number | null
          /** Bytes of contents read in all; null for no limit. No limit by default. */
          read_bytes?: number | null
        }
        /** What a user has to approve first; by default, everything that shares. */
        approval?: {
          /** `share` is also asked before a download can be given to others by a signed URL. */
          actions?: ('write' | 'delete' | 'share')[]
          /** Requests that change or delete more objects than this, and every job; null for none. */
          above_objects?: number | null
          /** The same for their bytes. */
          above_bytes?: number | null
        }
        expires_at?: string | null
        /** Each entry of the scope has to name this bucket; it is about the fork then. */
        fork?: {
          /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
          bucket: string
        }
      }
    }
    reply: {
      /** Where to send the browser. */
      redirect_to: string
    }
  }
  /** POST /oauth/token: Exchange a code or a refresh token for tokens. Access tokens are valid for 30 minutes, at the MCP server alone. Each exchange replaces the refresh token; a replaced one that is used again revokes the agent, except within 30 seconds while its successor is unused: then it returns the same successor. So does a code that is used again. */
  exchangeToken: {
    call: {
      body: {
        /** `authorization_code` or `refresh_token`. */
        grant_type?: string
        /** Required. */
        client_id?: string
        /** Ignored: clients have no secret. */
        client_secret?: string
        code?: string
        code_verifier?: string
        /** As when the code was asked for. */
        redirect_uri?: string
        refresh_token?: string
        /** Must be the URL of the MCP server if present. */
        resource?: string
      }
    }
    reply: {
      access_token: string
      token_type: 'Bearer'
      /** Seconds. */
      expires_in: number
      refresh_token: string
      scope: string
    }
  }
  /** POST /oauth/revoke: Revoke the agent that a token is of. RFC 7009. Takes either token, and answers unknown ones with success. */
  revokeOauthToken: {
    call: {
      body: {
        /** Required. */
        token?: string
        /** Required. */
        client_id?: string
        /** Ignored: clients have no secret. */
        client_secret?: string
      }
    }
    reply: {
      
    }
  }
  /** POST /buckets: Create a bucket. */
  createBucket: {
    call: {
      body: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        name: string
        quota_gb?: number | null
        history_quota_gb?: number | null
        /** Whether what snapshots alone keep takes room of the quota. Then none is taken either while the quota is exceeded. */
        quota_includes_history?: boolean
        /** Days that deleted and overwritten objects stay restorable; 0 disables the trash. */
        trash_days?: number
        /** `enabled`: what is replaced or deleted stays as a version. `suspended`: the versions stay, but no more are made. It cannot be turned off again. */
        versioning?: 'enabled' | 'suspended'
        /** Turns Object Lock on in a bucket that keeps versions. It cannot be turned off again. With `mode` and either `days` or `years`, each new version is locked that long. `{}` locks none by itself. */
        object_lock?: ObjectLockChange
        /** Of new objects whose upload says nothing of it; existing objects do not change. Null: none. A new bucket of which nothing is said is encrypted as the setting `encryption.new_buckets` says. */
        encryption?: BucketEncryption | null
        /** Only administrators may choose another than the default. `read_only` needs one of the kind `s3`. */
        storage?: string
        /** With `read_only`, the bucket is attached: it shows what is on the storage, without quota, trash, versions or locks. For administrators. A scan starts, which finds the objects. */
        mode?: 'owned' | 'read_only'
        /** Only for `read_only`: what to show of the engine’s bucket; by default, what is under the storage’s prefix. It must not overlap with another attached bucket or with bytes of Strongroom’s own (409). */
        prefix?: string
        /** Forks this bucket: the new one starts with its objects, or those under the prefix, as they are or were. Only rows are written: the bytes are shared, and neither sees what changes in the other. Versions, locks and ACLs are not taken. Needs `read` on all of it. Of many objects, a job takes them: see `fork`. */
        from?: {
          /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
          bucket: string
          /** What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot. */
          at?: string
          /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
          prefix?: string
        }
        /** Only of a fork: when it is deleted, with all that is in it. By default, never. */
        expires_at?: string
      }
    }
    reply: Bucket
  }
  /** GET /buckets: List the buckets you have a grant on. */
  listBuckets: {
    call: {
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<Bucket>
  }
  /** GET /buckets/{bucket}: Get a bucket. */
  getBucket: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
    }
    reply: Bucket
  }
  /** PATCH /buckets/{bucket}: Change a bucket's quotas, trash days, versioning, Object Lock or public access. A quota below current usage is allowed: nothing is deleted, only growth is refused. `null` removes the quota. Object Lock needs `versioning` `enabled`, and keeps it so (409). */
  updateBucket: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        quota_gb?: number | null
        history_quota_gb?: number | null
        /** Whether what snapshots alone keep takes room of the quota. Then none is taken either while the quota is exceeded. */
        quota_includes_history?: boolean
        /** Days that deleted and overwritten objects stay restorable; 0 disables the trash. */
        trash_days?: number
        /** `enabled`: what is replaced or deleted stays as a version. `suspended`: the versions stay, but no more are made. It cannot be turned off again. */
        versioning?: 'enabled' | 'suspended'
        /** Turns Object Lock on in a bucket that keeps versions. It cannot be turned off again. With `mode` and either `days` or `years`, each new version is locked that long. `{}` locks none by itself. */
        object_lock?: ObjectLockChange
        /** Of new objects whose upload says nothing of it; existing objects do not change. Null: none. A new bucket of which nothing is said is encrypted as the setting `encryption.new_buckets` says. */
        encryption?: BucketEncryption | null
        /** Whether nothing of it can be public. False only while `s3.public_access` is on (409). */
        public_access_blocked?: boolean
      }
    }
    reply: Bucket
  }
  /** DELETE /buckets/{bucket}: Delete an empty bucket. Its trash is deleted too; while anything in that is locked, this is refused (423). */
  deleteBucket: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
    }
    reply: undefined
  }
  /** GET /buckets/{bucket}/access: List who has access to a bucket, folder or object, by email. Of one `key`, or of the keys under a `prefix`; without either, of the whole bucket. By the decision that requests are judged by: grants of groups, and all policies. Administrators are listed, disabled users are not; what anyone may do is in the list of others. A page may have fewer users than `limit`, or none, and be followed by more. Needs `manage` on the bucket, or `users.manage` and any permission in it. */
  listBucketAccess: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<UserAccess>
  }
  /** GET /buckets/{bucket}/access/others: List who but users has access to a bucket, folder or object: anyone, and roles. As the list of users: what anyone may do at the S3 endpoint, with a credential and without, and roles by name. A page may have fewer than `limit`, or none, and be followed by more. Needs `manage` on the bucket, or `users.manage` and any permission in it. */
  listOtherBucketAccess: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<OtherAccess>
  }
  /** POST /buckets/{bucket}/take-over: Take over a read-only bucket without copying its bytes. Afterwards it works like an owned one: its objects can be renamed, overwritten and deleted. New bytes go to `storage`; those there are stay where they are, and are deleted there when nothing needs them any more. Nobody else may write there from then on: what others change is shown as a finding and never merged. Each object is asked for once, then a last scan compares the list; only if both find nothing changed, the bucket is taken over. Anything in the way is answered with 409. */
  takeOverBucket: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body?: {
        /** Only say what would happen. */
        dry_run?: boolean
        /** For how many hours scans must have found no change by others. */
        quiet_hours?: number
        /** The storage for new bytes. */
        storage?: string
        /** Leaves out the objects that are marked as missing: this is how many, as a dry run says. If there are more or fewer by now, that is answered with 409. Each is looked for again; the bucket then has it no more, and its links end. */
        without_missing?: number
      }
    }
    reply: TakeOver
  }
  /** GET /buckets/{bucket}/findings: List what others did where a bucket was taken over, in key order. At most 1,000 are kept; the last scan has the numbers. A finding ends when a scan does not find it any more. Needs `manage`. */
  listFindings: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<Finding>
  }
  /** POST /buckets/{bucket}/release: Give a bucket back to an engine. A read-only bucket is forgotten with what is known of its objects, and its links end; nothing on the engine changes. Of one that was taken over, a job first writes every object under its own key to `storage`, reads it again and compares; meanwhile the bucket cannot be changed. Then it is a read-only bucket that shows them there. What was taken over stays where it was. This is refused while it has versions, locks or a trash that is not empty, and unless the destination is empty (409). */
  releaseBucket: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body?: {
        /** Only say what would happen. */
        dry_run?: boolean
        /** Where the objects are written: a storage of the kind `s3`. Required for a bucket that was taken over. */
        storage?: string
        /** Under which prefix there; by default, the storage’s. */
        prefix?: string
      }
    }
    reply: Release
  }
  /** GET /usage: Get current usage of the buckets you can list as a whole, in total and each. Those you manage are included. Buckets of which you can list only folders are left out. */
  usage: {
    call: object
    reply: {
      used_bytes: number
      object_count: number
      trash_bytes: number
      /** The part of `used_bytes` that is encrypted. */
      encrypted_bytes: number
      /** The part of `object_count` that is encrypted. */
      encrypted_objects: number
      buckets: ({
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        name: string
        quota_gb: number | null
        used_bytes: number
        object_count: number
        trash_bytes: number
        /** The part of `used_bytes` that is encrypted. */
        encrypted_bytes: number
        /** The part of `object_count` that is encrypted. */
        encrypted_objects: number
      })[]
    }
  }
  /** GET /usage/history: Get usage over time, by hour or day, of the buckets you can list as a whole. Daily values are kept for 400 days, hourly ones for 35; a request may span at most as much. Traffic is counted in memory and written every minute. A `bucket` of which you can list only folders is refused (403). */
  usageHistory: {
    call: {
      query?: {
        /** ISO 8601, UTC, milliseconds. */
        from?: string
        /** Exclusive. Default: now. */
        to?: string
        /** Instead of `from`: this many days before `to`. */
        days?: number
        step?: 'hour' | 'day'
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket?: string
        /** How many buckets to list separately, largest first. The rest are added up. */
        top?: number
      }
    }
    reply: {
      /** ISO 8601, UTC, milliseconds. */
      from: string
      /** ISO 8601, UTC, milliseconds. */
      to: string
      step: 'hour' | 'day'
      /** Largest bucket first. */
      series: ({
        /** Null: requests that concern no bucket. Only for administrators. */
        bucket: string | null
        /** The bucket no longer exists. Only for administrators. */
        deleted: boolean
        /** In chronological order. Periods when the service was not running are missing. */
        points: UsagePoint[]
      })[]
      /** All other buckets together. */
      others: {
        buckets: number
        /** In chronological order. Periods when the service was not running are missing. */
        points: UsagePoint[]
      } | null
      totals: {
        uploaded_bytes: number
        downloaded_bytes: number
        requests: number
      }
      /** Webhook deliveries of that period that failed permanently. Null unless you are an administrator. */
      failed_deliveries: number | null
    }
  }
  /** GET /usage/types: Get usage by content type, in the buckets you can list as a whole. Counted in the background: hourly for buckets that changed in size or object count, else daily. A `bucket` of which you can list only folders is refused (403). */
  usageTypes: {
    call: {
      query?: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket?: string
      }
    }
    reply: {
      /** Largest first. */
      items: ({
        /** In lower case, without parameters; null for all less common ones together. */
        content_type: string | null
        used_bytes: number
        object_count: number
      })[]
      /** The time of the least recently counted bucket; null if none was counted yet. */
      counted_at: string | null
    }
  }
  /** GET /buckets/{bucket}/browse: Browse a folder. Folders (`common_prefixes`) and objects directly under `prefix`. By name, both are sorted together in byte order, and a page’s cost does not grow with the bucket. By `natural`, folders come first, numbers in names are in order of their size (`img-2` before `img-10`), and capitals and accents do not count; a folder with more than 10,000 entries is in byte order. By size or time, folders come first, and objects of one size or time are in order of their keys. `offset` jumps; `cursor` continues. A page’s cost does not grow with the folder either, unless `offset` is given: then all of the folder is counted. `total` counts folders and objects; it is exact when `total_exact` says so (always with `offset`, or when the folder fits the page). */
  browse: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot. */
        at?: string
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
        offset?: number
        /** Maximum items per page. */
        limit?: number
        sort?: 'name' | 'natural' | 'size' | 'modified'
        order?: 'asc' | 'desc'
        /** `first`: as file managers show a folder: folders before objects also when sorted by name, and without the empty object that only marks the folder itself. */
        folders?: 'mixed' | 'first'
      }
    }
    reply: {
      prefix: string
      common_prefixes: string[]
      objects: StoredObject[]
      next_cursor: string | null
      total: number
      total_exact: boolean
      total_folders: number | null
    }
  }
  /** GET /buckets/{bucket}/objects: List all objects under a prefix, ignoring folders. */
  listObjects: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot. */
        at?: string
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        /** Only keys that contain this text after the prefix, ignoring case. A short page may not be the last one: check `next_cursor`. */
        search?: string
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
        /** Maximum items per page. */
        limit?: number
      }
    }
    reply: Page<StoredObject>
  }
  /** GET /buckets/{bucket}/count: Count the objects under a prefix, and their bytes. Those that the caller may list, without the empty objects that only mark folders. A response covers at most 20,000 objects: add up those of all pages. */
  countObjects: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot. */
        at?: string
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: {
      objects: number
      bytes: number
      next_cursor: string | null
    }
  }
  /** POST /buckets/{bucket}/folder-sizes: Count what is in up to 100 folders, as far as that is quick. Of each prefix, the objects that the caller may list and their bytes, without the empty objects that only mark folders. A response looks at 20,000 objects at most, shared fairly: small folders are counted whole, and of large ones it says `complete: false`, with what was counted. `GET /buckets/{bucket}/count` counts them whole. */
  sizeFolders: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot. */
        at?: string
      }
      body: {
        prefixes: string[]
      }
    }
    reply: {
      /** In the order of the prefixes. */
      items: {
        prefix: string
        objects: number
        bytes: number
        /** False: there is more in it than that. */
        complete: boolean
      }[]
    }
  }
  /** POST /buckets/{bucket}/objects: Upload files as a form. One or more file parts; each is stored as `prefix` + its file name. Either all are stored or none. */
  uploadForm: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
      }
      body: Bytes
    }
    reply: {
      items: StoredObject[]
    }
  }
  /** PUT /buckets/{bucket}/objects/{+key}: Store an object. The body is the contents. `If-None-Match: *` only creates a new key, `If-Match` only replaces that version. `x-meta-*` headers become metadata, `x-tags` tags. A replaced object goes to the trash. */
  putObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      body: Bytes
    }
    reply: StoredObject
  }
  /** GET /buckets/{bucket}/objects/{+key}: Download an object. Supports Range (single and multiple) and the conditional headers of RFC 9110. `X-Encryption` says how it is encrypted. What is encrypted with a key of its S3 client (SSE-C) can only be read at the S3 endpoint (`encryption_key_required`). */
  getObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        /** What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot. */
        at?: string
        /** This version instead of the current one; a delete marker is not found. */
        version_id?: string
        /** `1`: send as an attachment. */
        download?: '0' | '1'
      }
    }
    reply: Response
  }
  /** HEAD /buckets/{bucket}/objects/{+key}: Get an object's headers. The headers of a download, without the body. */
  headObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        /** What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot. */
        at?: string
        /** This version instead of the current one; a delete marker is not found. */
        version_id?: string
        /** `1`: send as an attachment. */
        download?: '0' | '1'
      }
    }
    reply: Response
  }
  /** DELETE /buckets/{bucket}/objects/{+key}: Delete an object. Moves it to the trash; where versions are kept, it stays as one behind a delete marker. With `version_id`, moves this version to the trash. `permanent=true` deletes permanently and needs `manage`, and `version_id` where versions are kept. A version that is locked stays (423); `bypass_lock=true` removes one of mode `governance`. */
  deleteObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        permanent?: boolean
        /** A version id; `null` is the version written while the bucket kept none. */
        version_id?: string
        /** Needs `bypass_lock`: what is locked in mode `governance` does not count as locked. Legal holds do. */
        bypass_lock?: boolean
      }
    }
    reply: undefined
  }
  /** PUT /buckets/{bucket}/object: Store an object (key in the query). The body is the contents. `If-None-Match: *` only creates a new key, `If-Match` only replaces that version. `x-meta-*` headers become metadata, `x-tags` tags. A replaced object goes to the trash. */
  putObjectByQuery: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      body: Bytes
    }
    reply: StoredObject
  }
  /** GET /buckets/{bucket}/object: Download an object (key in the query). Supports Range (single and multiple) and the conditional headers of RFC 9110. `X-Encryption` says how it is encrypted. What is encrypted with a key of its S3 client (SSE-C) can only be read at the S3 endpoint (`encryption_key_required`). */
  getObjectByQuery: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        /** What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot. */
        at?: string
        /** This version instead of the current one; a delete marker is not found. */
        version_id?: string
        /** `1`: send as an attachment. */
        download?: '0' | '1'
      }
    }
    reply: Response
  }
  /** HEAD /buckets/{bucket}/object: Get an object's headers (key in the query). The headers of a download, without the body. */
  headObjectByQuery: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        /** What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot. */
        at?: string
        /** This version instead of the current one; a delete marker is not found. */
        version_id?: string
        /** `1`: send as an attachment. */
        download?: '0' | '1'
      }
    }
    reply: Response
  }
  /** DELETE /buckets/{bucket}/object: Delete an object (key in the query). Moves it to the trash; where versions are kept, it stays as one behind a delete marker. With `version_id`, moves this version to the trash. `permanent=true` deletes permanently and needs `manage`, and `version_id` where versions are kept. A version that is locked stays (423); `bypass_lock=true` removes one of mode `governance`. */
  deleteObjectByQuery: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        permanent?: boolean
        /** A version id; `null` is the version written while the bucket kept none. */
        version_id?: string
        /** Needs `bypass_lock`: what is locked in mode `governance` does not count as locked. Legal holds do. */
        bypass_lock?: boolean
      }
    }
    reply: undefined
  }
  /** POST /buckets/{bucket}/objects/bulk-delete: Delete up to 1,000 objects. Moves them to the trash; restore them with `trash_ids`. In a bucket that keeps versions, they stay as versions behind `markers`. */
  bulkDelete: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        keys: string[]
      }
    }
    reply: DeleteResult
  }
  /** POST /buckets/{bucket}/objects/exists: Check which of up to 1,000 keys exist. For example before an upload. Covers keys that the caller may list or read. */
  objectsExist: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        keys: string[]
      }
    }
    reply: {
      items: ({
        key: string
        exists: boolean
        size: number | null
        etag: string | null
        last_modified: string | null
      })[]
    }
  }
  /** PATCH /buckets/{bucket}/objects/{+key}: Change the content type, headers, metadata or tags of an object. */
  updateObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      body: {
        content_type?: string
        /** Replaces all of them. */
        headers?: {
          'cache-control'?: string
          'content-disposition'?: string
          'content-encoding'?: string
          'content-language'?: string
          expires?: string
          /** Where the website of the bucket sends those who ask for the object: a path, or a URL of http or https. */
          'x-amz-website-redirect-location'?: string
        }
        /** Replaces all metadata. At most 8 KiB. */
        metadata?: Record<string, string>
        /** Replaces all tags. At most 10. */
        tags?: Record<string, string>
      }
    }
    reply: StoredObject
  }
  /** PATCH /buckets/{bucket}/object: Change the content type, headers, metadata or tags of an object (key in the query). */
  updateObjectByQuery: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      body: {
        content_type?: string
        /** Replaces all of them. */
        headers?: {
          'cache-control'?: string
          'content-disposition'?: string
          'content-encoding'?: string
          'content-language'?: string
          expires?: string
          /** Where the website of the bucket sends those who ask for the object: a path, or a URL of http or https. */
          'x-amz-website-redirect-location'?: string
        }
        /** Replaces all metadata. At most 8 KiB. */
        metadata?: Record<string, string>
        /** Replaces all tags. At most 10. */
        tags?: Record<string, string>
      }
    }
    reply: StoredObject
  }
  /** GET /buckets/{bucket}/changes: List what changed between two moments. Keys that the caller may list and that are not the same at both moments, in order. What was changed and changed back is left out. The first page has the totals. */
  listChanges: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot. */
        from: string
        /** The later moment. Default: now. */
        to?: string
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        /** Only these; the totals are of all. */
        change?: 'added' | 'changed' | 'deleted'
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: {
      items: ObjectChange[]
      next_cursor: string | null
      /** ISO 8601, UTC, milliseconds. */
      from: string
      /** ISO 8601, UTC, milliseconds. */
      to: string
      /** Of all pages; on the first one. */
      totals?: {
        added: {
          objects: number
          bytes: number
        }
        changed: {
          objects: number
          bytes_before: number
          bytes_after: number
        }
        deleted: {
          objects: number
          bytes: number
        }
      }
    }
  }
  /** GET /buckets/{bucket}/fork/changes: List what a fork and its origin have changed since the fork. Keys that the caller may list in both buckets and that the fork, its origin or both have changed, in order, with what each has made of it. A merge takes what only the fork has changed; where both have, and it is not the same, it is a conflict. Locks, ACLs and versions are not compared. The first page has the totals. */
  listForkChanges: {
    call: {
      params: {
        /** The fork. */
        bucket: string
      }
      query?: {
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        /** Only what the fork has changed, its origin, or both to something else. */
        only?: 'fork' | 'origin' | 'conflicts'
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: {
      items: ForkChange[]
      next_cursor: string | null
      /** The bucket that it was forked from. */
      origin: string
      /** As that was at this moment. */
      moment: string
      /** Of all pages, whatever `only` says; on the first one. */
      totals?: {
        /** Keys that only the fork has changed, which a merge takes. */
        fork: number
        /** Keys that only the origin has changed. */
        origin: number
        conflicts: number
        /** Keys that both have made the same of. */
        same: number
      }
    }
  }
  /** GET /buckets/{bucket}/search: Search a bucket for folders and objects, sorted and filtered. With `q`, objects for which all of its terms hold: words of the name, and `name:`, `key:`, `prefix:`, `ext:`, `type:`, `kind:`, `size:`, `modified:`, `created:`, `tag:`, `meta:`, `by:`, `encrypted:`, `storage:` and `bucket:`; `-` before a term negates it. A query that is not understood is refused with `invalid_query`, which says where and often what is meant (`reason`, `position`, `length`, `suggestion`). Objects under `prefix` whose keys contain the text after it, ignoring case; with the first page also folders whose own name contains it, unless there are filters. By name, pages lead through all matches. By size, type or time, up to 10,000 matches are sorted, from the index or the first 20,000 keys; `sorted_first` says so if there may be more. A short page may not be the last one: check `next_cursor`. */
  searchObjects: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot. */
        at?: string
        /** What to search for. Required unless `search` is given. */
        q?: string
        /** A text that keys contain. */
        search?: string
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        sort?: 'name' | 'size' | 'type' | 'modified'
        order?: 'asc' | 'desc'
        /** Only objects of this kind, which follows from the content type. */
        kind?: 'picture' | 'video' | 'audio' | 'document' | 'archive' | 'other'
        /** Only objects of at least this size, in bytes. */
        min_size?: number
        /** Only objects that changed at this time or later. */
        modified_since?: string
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
        /** Maximum items per page. */
        limit?: number
      }
    }
    reply: {
      /** Their prefixes. Only with the first page, and at most 100. */
      folders: string[]
      /** Whether these are all. If not, a longer text finds the others. */
      folders_complete: boolean
      items: StoredObject[]
      next_cursor: string | null
      sorted_first: number | null
      /** With `q`: how many objects were found, at least. */
      total?: number
      /** Whether these are all. */
      total_exact?: boolean
      /** With `q`: what could not be asked; null if there is nothing. */
      unread?: {
        /** Objects of an attached bucket that were listed, but not read yet: they cannot be found by tags, metadata, type or encryption. */
        objects: number
        /** Whether there are no more than that. */
        exact: boolean
      } | null
    }
  }
  /** GET /search: Search all buckets that you may list. Objects for which all terms of `q` hold, by bucket and key. A short page may not be the last one: check `next_cursor`. */
  searchEverywhere: {
    call: {
      query: {
        q: string
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
        /** Maximum items per page. */
        limit?: number
      }
    }
    reply: {
      items: StoredObject[]
      next_cursor: string | null
      /** How many objects were found, at least. */
      total: number
      /** Whether these are all. */
      total_exact: boolean
      /** Buckets of which this page could not ask all objects. */
      unread: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** Objects of an attached bucket that were listed, but not read yet: they cannot be found by tags, metadata, type or encryption. */
        objects: number
        /** Whether there are no more than that. */
        exact: boolean
      }[]
    }
  }
  /** GET /search/export: Export the list of what a search finds. All objects for which the terms of `q` hold, in one bucket or in all that you may list, by bucket and key. Streamed, without a limit: `csv` has a header, and tags and metadata as JSON in the last columns; cells that a spreadsheet would read as a formula start with an apostrophe. `ndjson` has one object a line, as the search shows it, with its exact key. Your permissions are checked again every 2,000 objects; if they end, so does the connection, before the list does. What is added or deleted meanwhile may be in it or not. The export itself is recorded as `list_export`. */
  exportSearch: {
    call: {
      query: {
        q: string
        /** Without it, all buckets that you may list. */
        bucket?: string
        /** Only keys that start with this; needs `bucket`. */
        prefix?: string
        format?: 'csv' | 'ndjson'
      }
    }
    reply: Response
  }
  /** GET /search/suggestions: Suggest tags, metadata or types to search for. Names of tags or metadata that objects have which you may find; with `name`, the values of that one; or content types. */
  suggestSearch: {
    call: {
      query: {
        field: 'tag' | 'meta' | 'type'
        /** The tag or metadata whose values are asked for. */
        name?: string
        starts_with?: string
        /** Without it, of all buckets that you may list. */
        bucket?: string
        limit?: number
      }
    }
    reply: {
      items: {
        /** The name of a tag or of metadata, its value, or a content type. */
        value: string
        /** The term that asks for it. */
        query: string
      }[]
      /** Whether these are all; otherwise a longer text finds the others. */
      complete: boolean
    }
  }
  /** GET /buckets/{bucket}/versions: List versions and delete markers. Of one `key`, or of all keys under a `prefix`, in the order of keys and of each key the latest first. In a bucket that never kept versions, every object is the only version of its key, `null`. With `at`, the versions that there were, and which was the latest; those that were permanently deleted since are left out. */
  listVersions: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot. */
        at?: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<Version>
  }
  /** GET /buckets/{bucket}/deleted: List what is deleted in a folder. Keys directly below `prefix` whose latest version is a delete marker, and the folders there that have versions, by name. A short page may not be the last one: check `next_cursor`. */
  listDeleted: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<DeletedEntry>
  }
  /** POST /buckets/{bucket}/versions/restore: Make an earlier version current again. As a new version with the same contents; no bytes are copied, and the earlier version stays. */
  restoreVersion: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        /** A version id; `null` is the version written while the bucket kept none. */
        version_id: string
      }
    }
    reply: StoredObject
  }
  /** POST /buckets/{bucket}/snapshots: Name a moment of a bucket, and keep what it was then. By default, the present: every change that was answered before is in it, none that is made later. As long as the snapshot exists, neither the end of the days in the trash nor a purge deletes what it needs. Needs `manage` on the bucket. Refused (`quota_exceeded`) while what snapshots alone keep is more than `history_quota_gb` of the bucket, or has exceeded its quota with `quota_includes_history`. */
  createSnapshot: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** 1–60 of `a-z 0-9 -`, starting and ending with a letter or digit, and no moment such as `20261127t140500z`. */
        name: string
        /** What it is for. */
        note?: string
        /** A moment that has been, or that of another snapshot. What was purged or erased of it since cannot be kept any more. */
        at?: string
        /** When it ends by itself; by default, never. */
        expires_at?: string
      }
    }
    reply: Snapshot
  }
  /** GET /buckets/{bucket}/snapshots: List the snapshots of a bucket, the latest moment first. */
  listSnapshots: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<Snapshot>
  }
  /** GET /buckets/{bucket}/snapshots/{name}: Get a snapshot. */
  getSnapshot: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–60 of `a-z 0-9 -`, starting and ending with a letter or digit, and no moment such as `20261127t140500z`. */
        name: string
      }
    }
    reply: Snapshot
  }
  /** DELETE /buckets/{bucket}/snapshots/{name}: Delete a snapshot. What only it kept is deleted afterwards. Needs `manage` on the bucket. */
  deleteSnapshot: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–60 of `a-z 0-9 -`, starting and ending with a letter or digit, and no moment such as `20261127t140500z`. */
        name: string
      }
    }
    reply: undefined
  }
  /** PUT /buckets/{bucket}/objects/lock: Lock a version, extend its lock, or put it on legal hold. Of the current version unless `version_id` names another. `mode` and `until` go together; both null end a lock. Needs `write`, and `manage` for `legal_hold`. A lock can always be extended. To shorten, change or end one of mode `governance`, pass `bypass_lock`; one of mode `compliance` cannot be (423). Locked versions can be replaced and marked as deleted, and then stay as versions. (An object with the key `lock` is uploaded with `PUT /buckets/{bucket}/object?key=lock`.) */
  lockObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        /** A version id; `null` is the version written while the bucket kept none. */
        version_id?: string
        mode?: 'governance' | 'compliance' | null
        until?: string | null
        legal_hold?: boolean
        /** Needs `bypass_lock`: what is locked in mode `governance` does not count as locked. Legal holds do. */
        bypass_lock?: boolean
      }
    }
    reply: {
      /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
      bucket: string
      /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
      key: string
      version_id: string
      lock: Lock
    }
  }
  /** POST /buckets/{bucket}/objects/copy: Copy an object into this bucket. Needs `read` on the source and `write` on the new key. No bytes are copied: both share the contents, unless the copy is to be encrypted otherwise, which may be a copy onto its own key. A replaced object goes to the trash. */
  copyObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        source_bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        source_key: string
        /** Default: the same key. */
        dest_key?: string
        /** Only if the key is not in use. */
        if_none_match?: '*'
        /** Where the key is in use, arrive next to it, under the first number that is free: `report (1).pdf`. Needs `write` on that key too. Two folders of one name are one: the empty object that marks a folder replaces that of the other. A copy onto its own key is one next to it. The reply has the key. */
        keep_both?: boolean
        /** How to encrypt it. Default: as the bucket says. A key that cannot be used is refused (409). */
        encryption?: AskedEncryption
      }
    }
    reply: StoredObject
  }
  /** POST /buckets/{bucket}/objects/move: Move or rename an object into this bucket. Needs `read` and `delete` on the source and `write` on the new key. */
  moveObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        source_bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        source_key: string
        /** Default: the same key. */
        dest_key?: string
        /** Only if the key is not in use. */
        if_none_match?: '*'
        /** Where the key is in use, arrive next to it, under the first number that is free: `report (1).pdf`. Needs `write` on that key too. Two folders of one name are one: the empty object that marks a folder replaces that of the other. A copy onto its own key is one next to it. The reply has the key. */
        keep_both?: boolean
      }
    }
    reply: StoredObject
  }
  /** POST /buckets/{bucket}/objects/bulk-copy: Copy up to 1,000 objects into this bucket. */
  bulkCopy: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        source_bucket: string
        keys: string[]
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        dest_prefix?: string
        /** Removed from the keys before `dest_prefix` is added. Default: all but the last segment. */
        source_prefix?: string
        /** Only if the key is not in use. */
        if_none_match?: '*'
        /** Where the key is in use, arrive next to it, under the first number that is free: `report (1).pdf`. Needs `write` on that key too. Two folders of one name are one: the empty object that marks a folder replaces that of the other. `kept_both` has the keys. */
        keep_both?: boolean
        /** How to encrypt it. Default: as the bucket says. A key that cannot be used is refused (409). */
        encryption?: AskedEncryption
      }
    }
    reply: TransferResult
  }
  /** POST /buckets/{bucket}/objects/bulk-move: Move up to 1,000 objects into this bucket. */
  bulkMove: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        source_bucket: string
        keys: string[]
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        dest_prefix?: string
        /** Removed from the keys before `dest_prefix` is added. Default: all but the last segment. */
        source_prefix?: string
        /** Only if the key is not in use. */
        if_none_match?: '*'
        /** Where the key is in use, arrive next to it, under the first number that is free: `report (1).pdf`. Needs `write` on that key too. Two folders of one name are one: the empty object that marks a folder replaces that of the other. `kept_both` has the keys. */
        keep_both?: boolean
      }
    }
    reply: TransferResult
  }
  /** GET /buckets/{bucket}/objects/archive: Download a folder or a selection as a zip. Streamed while it is read. Objects the caller may not read are left out. With `at`, what was purged or erased since is an empty file with `.erased` added to its name. Without `prefix` and `keys` this returns the object with the key `archive`. */
  archiveObjects: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot. */
        at?: string
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        keys?: string[]
        download?: '0' | '1'
      }
    }
    reply: Response
  }
  /** POST /buckets/{bucket}/objects/archive: Download a zip of a selection too long for a URL. */
  archiveSelection: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        keys: string[]
        /** What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot. */
        at?: string
      }
    }
    reply: Response
  }
  /** POST /buckets/{bucket}/objects/presign: Create a URL that needs no credential. For one method on one key, within these limits, until it expires. It stops working when its creator loses the permission or the account. */
  presignObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        /** GET: this version instead of the current one. */
        version_id?: string
        /** GET allows HEAD too. */
        method?: 'GET' | 'PUT'
        /** `15m`, `1h`, `7d` or seconds; at most seven days. */
        expires_in?: string | number
        /** GET: always send as an attachment. */
        download?: boolean
        /** GET: the file name to save as. */
        filename?: string
        /** GET: pages of this origin may show it in a frame; never redirects to the storage. */
        embed?: boolean
        /** GET: the object as an image with exactly these parameters, of which `w`, `h`, `format` or `q` must be given. Never redirects to the storage. */
        image?: {
          /** Width of the box in CSS pixels; with only one, the aspect ratio is kept. */
          w?: number
          /** Height of the box in CSS pixels; with only one, the aspect ratio is kept. */
          h?: number
          /** `auto` picks the best format that `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: the source’s format if we can write it, else WebP. */
          format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
          /** Quality. Default: JPEG 80, WebP 80, AVIF 50. Ignored for PNG. */
          q?: number
          /** How the image fits the box of `w` and `h`: entirely inside (`contain`, `inside`), filling it with the overflow cropped (`cover`), stretched (`fill`), or entirely inside with margins (`pad`). */
          fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
          /** Multiplies `w` and `h`. */
          dpr?: number
          /** `1`: may be enlarged beyond the source. */
          enlarge?: '0' | '1'
          /** `1`: all frames of a GIF or WebP, as WebP. Otherwise, and in other formats, only the first. */
          animated?: '0' | '1'
        }
        /** PUT: the only Content-Type accepted. */
        content_type?: string
        /** PUT: maximum size in bytes. */
        max_bytes?: number
      }
    }
    reply: {
      url: string
      method: 'GET' | 'PUT'
      expires_at: string
    }
  }
  /** GET /signed/{token}: Download with a presigned URL. */
  getSigned: {
    call: {
      params: {
        token: string
      }
    }
    reply: Response
  }
  /** GET /signed/{token}/{name}: Download with a presigned URL (file name in the path). Append a slash and any name: browsers show the end of an address as the title of a PDF, and offer it when it is saved. */
  getSignedFile: {
    call: {
      params: {
        token: string
        name: string
      }
    }
    reply: Response
  }
  /** HEAD /signed/{token}: Get headers with a presigned URL. */
  headSigned: {
    call: {
      params: {
        token: string
      }
    }
    reply: Response
  }
  /** PUT /signed/{token}: Upload with a presigned URL. */
  putSigned: {
    call: {
      params: {
        token: string
      }
      body: Bytes
    }
    reply: StoredObject
  }
  /** GET /images/{bucket}/{+key}: Get an image in another size or format. Reads JPEG, PNG, WebP, AVIF, GIF and TIFF by content, whatever their name. The result is upright, in sRGB and without metadata. Without `w`, `h`, `format` and `q` the object itself is returned. */
  getImage: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        /** What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot. */
        at?: string
        /** Width of the box in CSS pixels; with only one, the aspect ratio is kept. */
        w?: number
        /** Height of the box in CSS pixels; with only one, the aspect ratio is kept. */
        h?: number
        /** `auto` picks the best format that `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: the source’s format if we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. Ignored for PNG. */
        q?: number
        /** How the image fits the box of `w` and `h`: entirely inside (`contain`, `inside`), filling it with the overflow cropped (`cover`), stretched (`fill`), or entirely inside with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may be enlarged beyond the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise, and in other formats, only the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** HEAD /images/{bucket}/{+key}: Get an image's headers. Renders nothing: Content-Length is present only if the image was rendered before. */
  headImage: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        /** What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot. */
        at?: string
        /** Width of the box in CSS pixels; with only one, the aspect ratio is kept. */
        w?: number
        /** Height of the box in CSS pixels; with only one, the aspect ratio is kept. */
        h?: number
        /** `auto` picks the best format that `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: the source’s format if we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. Ignored for PNG. */
        q?: number
        /** How the image fits the box of `w` and `h`: entirely inside (`contain`, `inside`), filling it with the overflow cropped (`cover`), stretched (`fill`), or entirely inside with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may be enlarged beyond the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise, and in other formats, only the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** GET /images/{bucket}: Get an image in another size or format (key in the query). Reads JPEG, PNG, WebP, AVIF, GIF and TIFF by content, whatever their name. The result is upright, in sRGB and without metadata. Without `w`, `h`, `format` and `q` the object itself is returned. */
  getImageByQuery: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        /** What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot. */
        at?: string
        /** Width of the box in CSS pixels; with only one, the aspect ratio is kept. */
        w?: number
        /** Height of the box in CSS pixels; with only one, the aspect ratio is kept. */
        h?: number
        /** `auto` picks the best format that `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: the source’s format if we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. Ignored for PNG. */
        q?: number
        /** How the image fits the box of `w` and `h`: entirely inside (`contain`, `inside`), filling it with the overflow cropped (`cover`), stretched (`fill`), or entirely inside with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may be enlarged beyond the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise, and in other formats, only the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** HEAD /images/{bucket}: Get an image's headers (key in the query). Renders nothing: Content-Length is present only if the image was rendered before. */
  headImageByQuery: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        /** What the bucket was at this moment: an RFC 3339 time, which means the last change at or before it, as `x-strongroom-moment` of a change says it; or the name of a snapshot. */
        at?: string
        /** Width of the box in CSS pixels; with only one, the aspect ratio is kept. */
        w?: number
        /** Height of the box in CSS pixels; with only one, the aspect ratio is kept. */
        h?: number
        /** `auto` picks the best format that `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: the source’s format if we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. Ignored for PNG. */
        q?: number
        /** How the image fits the box of `w` and `h`: entirely inside (`contain`, `inside`), filling it with the overflow cropped (`cover`), stretched (`fill`), or entirely inside with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may be enlarged beyond the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise, and in other formats, only the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** POST /buckets/{bucket}/upload/init: Start a multipart upload. Reserves the size, if given, in the quota; after an hour without a part, only what has arrived, and then each further part. PUT each part to its URL, in any order and several at a time; unfinished uploads expire after a day (setting `uploads.expire_hours`).
  
  With `checksum`, one is computed of every part, and of the object: of all its bytes (`full_object`, the default of CRCs), or of the checksums of its parts (`composite`). All but CRCs are always composite, CRC-64/NVME never is. */
  initUpload: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        file_size?: number
        content_type?: string
        headers?: ObjectHeaders
        metadata?: Record<string, string>
        tags?: Record<string, string>
        checksum?: {
          algorithm: 'crc32' | 'crc32c' | 'crc64nvme' | 'sha1' | 'sha256' | 'sha512' | 'md5' | 'xxhash64' | 'xxhash3' | 'xxhash128'
          /** `composite`: of the checksums of its parts. */
          type?: 'full_object' | 'composite'
        }
        /** How to encrypt it. Default: as the bucket says. A key that cannot be used is refused (409). */
        encryption?: AskedEncryption
        part_size?: number
      }
    }
    reply: {
      /** A UUIDv7. */
      upload_id: string
      /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
      bucket: string
      /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
      key: string
      file_size: number | null
      /** Bytes of every part but the last; 0 if parts may have any size. */
      part_size: number
      num_parts: number | null
      /** What the object is to have. */
      checksum?: {
        algorithm: 'crc32' | 'crc32c' | 'crc64nvme' | 'sha1' | 'sha256' | 'sha512' | 'md5' | 'xxhash64' | 'xxhash3' | 'xxhash128'
        /** `composite`: of the checksums of its parts. */
        type: 'full_object' | 'composite'
      }
      /** How its parts are encrypted, if they are. */
      encryption?: {
        /** `AES256`: with a key of the service. `aws:kms`: with a key of a key service. `SSE-C`: with a key that only its S3 client has, without which nobody can read it. */
        algorithm: 'AES256' | 'aws:kms' | 'SSE-C'
        /** Of `aws:kms`: the registered key. */
        key?: string
      }
      /** ISO 8601, UTC, milliseconds. */
      expires_at: string
      /** In order of part number; at most 1,000. Get the rest, and renewed ones, from `GET …/upload/{upload_id}`. */
      urls: string[]
    }
  }
  /** GET /buckets/{bucket}/upload/{upload_id}: Get the parts that have arrived, and new URLs for the rest. For resuming after a reload, or from another machine. */
  getUpload: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** A UUIDv7. */
        upload_id: string
      }
      query?: {
        /** First part number. */
        from?: number
        /** Part numbers. */
        limit?: number
      }
    }
    reply: {
      /** A UUIDv7. */
      upload_id: string
      /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
      bucket: string
      /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
      key: string
      file_size: number | null
      /** Bytes of every part but the last; 0 if parts may have any size. */
      part_size: number
      num_parts: number | null
      /** What the object is to have. */
      checksum?: {
        algorithm: 'crc32' | 'crc32c' | 'crc64nvme' | 'sha1' | 'sha256' | 'sha512' | 'md5' | 'xxhash64' | 'xxhash3' | 'xxhash128'
        /** `composite`: of the checksums of its parts. */
        type: 'full_object' | 'composite'
      }
      /** How its parts are encrypted, if they are. */
      encryption?: {
        /** `AES256`: with a key of the service. `aws:kms`: with a key of a key service. `SSE-C`: with a key that only its S3 client has, without which nobody can read it. */
        algorithm: 'AES256' | 'aws:kms' | 'SSE-C'
        /** Of `aws:kms`: the registered key. */
        key?: string
      }
      /** ISO 8601, UTC, milliseconds. */
      expires_at: string
      /** ISO 8601, UTC, milliseconds. */
      created_at: string
      created_by: string | null
      received_parts: number
      received_bytes: number
      parts: {
        part_number: number
        size: number
        etag: string
        /** Base64, by the upload’s algorithm. */
        checksum?: string
      }[]
      /** URLs of the missing parts. */
      urls: {
        part_number: number
        /** PUT the part here, without a credential, and keep the `ETag`. */
        url: string
      }[]
    }
  }
  /** GET /buckets/{bucket}/upload: List unfinished uploads, latest first. */
  listUploads: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<Upload>
  }
  /** POST /buckets/{bucket}/upload/complete: Complete a multipart upload. The cost depends on the number of parts, not of bytes. Repeating the request returns the same result. 409 names parts that are missing or different. */
  completeUpload: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** A UUIDv7. */
        upload_id: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        parts: {
          part_number: number
          etag: string
          checksum?: string
        }[]
        /** What the object’s checksum must be. */
        checksum?: string
        if_none_match?: '*'
      }
    }
    reply: StoredObject
  }
  /** POST /buckets/{bucket}/upload/abort: Abort an upload and remove its parts. */
  abortUpload: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** A UUIDv7. */
        upload_id: string
      }
    }
    reply: undefined
  }
  /** PUT /parts/{token}: Upload one part to its URL. Needs `Content-Length`. Uploading a part again replaces it. */
  putPart: {
    call: {
      params: {
        token: string
      }
      body: Bytes
    }
    reply: {
      part_number: number
      size: number
      etag: string
      /** Base64, by the upload’s algorithm. */
      checksum?: string
    }
  }
  /** POST /share/{bucket}/{+key}: Create a link to an object. Needs `share` and `read`. The limits may be in the body or in the query. */
  shareObject: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        /** `15m`, `12h`, `7d`, seconds, or `never`; the default and the maximum are settings. */
        expires_in?: string | number | string
        /** Required from everyone who opens the link; at most 72 bytes. */
        password?: string
        max_downloads?: number
        filename?: string
        disposition?: 'inline' | 'attachment'
        /** Plain text for the visitors, shown on the page of the link. */
        message?: string
        /** Whether its creator gets a mail when it is opened for the first time. Needs mail to be set up. */
        notify?: boolean
      }
      body?: {
        /** `15m`, `12h`, `7d`, seconds, or `never`; the default and the maximum are settings. */
        expires_in?: string | number | string
        /** Required from everyone who opens the link; at most 72 bytes. */
        password?: string
        max_downloads?: number
        filename?: string
        disposition?: 'inline' | 'attachment'
        /** Plain text for the visitors, shown on the page of the link. */
        message?: string
        /** Whether its creator gets a mail when it is opened for the first time. Needs mail to be set up. */
        notify?: boolean
      }
    }
    reply: NewShare
  }
  /** POST /share/{bucket}: Create a link to an object (key in the query). */
  shareObjectByQuery: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
        /** `15m`, `12h`, `7d`, seconds, or `never`; the default and the maximum are settings. */
        expires_in?: string | number | string
        /** Required from everyone who opens the link; at most 72 bytes. */
        password?: string
        max_downloads?: number
        filename?: string
        disposition?: 'inline' | 'attachment'
        /** Plain text for the visitors, shown on the page of the link. */
        message?: string
        /** Whether its creator gets a mail when it is opened for the first time. Needs mail to be set up. */
        notify?: boolean
      }
      body?: {
        /** `15m`, `12h`, `7d`, seconds, or `never`; the default and the maximum are settings. */
        expires_in?: string | number | string
        /** Required from everyone who opens the link; at most 72 bytes. */
        password?: string
        max_downloads?: number
        filename?: string
        disposition?: 'inline' | 'attachment'
        /** Plain text for the visitors, shown on the page of the link. */
        message?: string
        /** Whether its creator gets a mail when it is opened for the first time. Needs mail to be set up. */
        notify?: boolean
      }
    }
    reply: NewShare
  }
  /** POST /share: Create a link to an object, a folder or a selection, or an upload link. `upload` needs `share` and `write` under the prefix: strangers can upload files there, but see nothing of its contents and never overwrite anything. */
  createShare: {
    call: {
      body: {
        kind: 'object' | 'folder' | 'selection' | 'upload'
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        keys?: string[]
        /** `15m`, `12h`, `7d`, seconds, or `never`; the default and the maximum are settings. */
        expires_in?: string | number | string
        /** Required from everyone who opens the link; at most 72 bytes. */
        password?: string
        max_downloads?: number
        filename?: string
        disposition?: 'inline' | 'attachment'
        /** Plain text for the visitors, shown on the page of the link. */
        message?: string
        /** Whether its creator gets a mail when it is opened for the first time. Needs mail to be set up. */
        notify?: boolean
        max_file_bytes?: number
        max_total_bytes?: number
        max_files?: number
        /** For example `image/*`. Compared with the Content-Type that the file is sent with. */
        content_types?: string[]
      }
    }
    reply: NewShare
  }
  /** POST /buckets/{bucket}/objects/bulk-share: Create a link to each of up to 1,000 objects. One link for each of `keys`, or for all that is under `prefix` or that `query` finds there, which needs `list`; `limit_reached` if that is more than 1,000, or too many objects have to be looked at, before any is created. Needs `share` and `read` on each object. Links that cannot be created are in `errors`; the others are created all at once, each as `POST /share` would. Their URLs are in this response, and later only if links are stored. With `dry_run` nothing is created, and `total` says how many links there would be. */
  bulkShare: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        keys?: string[]
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        /** What to search for, in the language of `searchObjects`. */
        query?: string
        /** Keys to leave out; a key that ends with a slash leaves out the whole folder. */
        exclude?: string[]
        /** `15m`, `12h`, `7d`, seconds, or `never`; the default and the maximum are settings. */
        expires_in?: string | number | string
        /** Required from everyone who opens the link; at most 72 bytes. */
        password?: string
        max_downloads?: number
        disposition?: 'inline' | 'attachment'
        /** Plain text for the visitors, shown on the page of the link. */
        message?: string
        /** Whether its creator gets a mail when it is opened for the first time. Needs mail to be set up. */
        notify?: boolean
        /** Only say what would be done. */
        dry_run?: boolean
      }
    }
    reply: {
      items: LinkToEach[]
      errors: {
        /** The key as given. */
        key: string
        code: string
        detail: string
      }[]
      /** How many links were created, or would be. */
      total: number
    }
  }
  /** POST /buckets/{bucket}/objects/bulk-unshare: Revoke up to 1,000 links of a bucket. Each like `DELETE /share/{id}`. Links that cannot be revoked are in `errors`. */
  bulkUnshare: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        ids: string[]
      }
    }
    reply: {
      revoked: string[]
      errors: {
        /** A UUIDv7. */
        id: string
        code: string
        detail: string
      }[]
    }
  }
  /** GET /share: List your links, latest first; administrators see all. */
  listShares: {
    call: {
      query?: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket?: string
        /** Only links to this object. */
        key?: string
        /** `expired` includes links whose downloads are used up. */
        state?: 'active' | 'expired' | 'revoked'
        /** Part of the key, prefix, file name or creator’s email. */
        q?: string
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<Share>
  }
  /** PATCH /share/{id}: Change the limits, the message or the notice of a link. */
  updateShare: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        /** `15m`, `12h`, `7d`, seconds, or `never`; the default and the maximum are settings. */
        expires_in?: string | number | string
        password?: string | null
        max_downloads?: number | null
        filename?: string | null
        disposition?: 'inline' | 'attachment' | null
        message?: string | null
        /** Whether its creator gets a mail when it is opened for the first time. Needs mail to be set up. */
        notify?: boolean
        /** Only of upload links: for files sent from now on; null for all. */
        content_types?: string[] | null
      }
    }
    reply: Share
  }
  /** GET /share/{id}/link: Get the URL of a link that you created again. Links are stored, encrypted, unless the setting `shares.keep_links` is off. Only the creator of a link can get it. Each time is recorded as `share_link_read`. */
  getShareLink: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: {
      /** A UUIDv7. */
      id: string
      /** Replaces an account: whoever has it can open the link. */
      token: string
      /** Returns the object itself, or the listing: for programs. */
      url: string
      /** The page of the link: for people. */
      page_url: string
    }
  }
  /** DELETE /share/{id}: Revoke a link. Takes effect on the next request. Users with `manage` on its object may revoke it too. */
  revokeShare: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: undefined
  }
  /** GET /share/{id}/accesses: List a link’s accesses, latest first. */
  listShareAccesses: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      query?: {
        page?: number
        page_size?: number
      }
    }
    reply: NumberedPage<{
      /** A UUIDv7. */
      id: string
      /** ISO 8601, UTC, milliseconds. */
      time: string
      /** `opened`: someone saw what the link holds, on its page or by the API; at most once an hour for each address and browser. */
      outcome: 'opened' | 'served' | 'previewed' | 'continued' | 'uploaded' | 'wrong_password' | 'limit_spent'
      object_key: string | null
      ip: string | null
      user_agent: string | null
      sender_name: string | null
      sender_message: string | null
    }>
  }
  /** POST /public/s/{token}: Exchange the password of a link for a ticket. Put the ticket into the query of the link’s URLs, so that a browser can open and save the link’s objects. It expires with the link and when the password changes. */
  unlockShare: {
    call: {
      params: {
        token: string
      }
      body: {
        password: string
      }
    }
    reply: {
      ticket: string
      /** Seconds. */
      expires_in: number
    }
  }
  /** GET /public/s/{token}: Open a link. Returns the object, or the JSON listing of a folder or selection. Expired, revoked, spent and unknown links all return 410. Send the password in `X-Share-Password` or by HTTP Basic. Images take the parameters of the image proxy, with `w` and `h` rounded up to one of fifty sizes and `q` to tens. `key` names an object of a folder or selection, as the path does. */
  openShare: {
    call: {
      params: {
        token: string
      }
      query?: {
        /** Replaces the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** Download a folder or selection as a zip. */
        archive?: '1'
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
        /** Maximum items per page. */
        limit?: number
        download?: '0' | '1'
        /** For showing it on the page of the link, sandboxed by its CSP. Recorded as a preview, unless downloads are limited. */
        embed?: '1'
        /** Lists only what is directly in this folder of a shared folder: its objects in `items`, its folders in `folders`. With `info`, the first page of it is part of the description. */
        folder?: string
        /** Returns a description of the link as JSON; does not count as a download. */
        info?: '1'
        /** Width of the box in CSS pixels; with only one, the aspect ratio is kept. */
        w?: number
        /** Height of the box in CSS pixels; with only one, the aspect ratio is kept. */
        h?: number
        /** `auto` picks the best format that `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: the source’s format if we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. Ignored for PNG. */
        q?: number
        /** How the image fits the box of `w` and `h`: entirely inside (`contain`, `inside`), filling it with the overflow cropped (`cover`), stretched (`fill`), or entirely inside with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may be enlarged beyond the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise, and in other formats, only the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** HEAD /public/s/{token}: Get a link’s headers without counting a download. Returns the object, or the JSON listing of a folder or selection. Expired, revoked, spent and unknown links all return 410. Send the password in `X-Share-Password` or by HTTP Basic. Images take the parameters of the image proxy, with `w` and `h` rounded up to one of fifty sizes and `q` to tens. `key` names an object of a folder or selection, as the path does. */
  headShare: {
    call: {
      params: {
        token: string
      }
      query?: {
        /** Replaces the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** Download a folder or selection as a zip. */
        archive?: '1'
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
        /** Maximum items per page. */
        limit?: number
        download?: '0' | '1'
        /** For showing it on the page of the link, sandboxed by its CSP. Recorded as a preview, unless downloads are limited. */
        embed?: '1'
        /** Lists only what is directly in this folder of a shared folder: its objects in `items`, its folders in `folders`. With `info`, the first page of it is part of the description. */
        folder?: string
        /** Returns a description of the link as JSON; does not count as a download. */
        info?: '1'
        /** Width of the box in CSS pixels; with only one, the aspect ratio is kept. */
        w?: number
        /** Height of the box in CSS pixels; with only one, the aspect ratio is kept. */
        h?: number
        /** `auto` picks the best format that `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: the source’s format if we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. Ignored for PNG. */
        q?: number
        /** How the image fits the box of `w` and `h`: entirely inside (`contain`, `inside`), filling it with the overflow cropped (`cover`), stretched (`fill`), or entirely inside with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may be enlarged beyond the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise, and in other formats, only the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** GET /public/s/{token}/{+key}: Open an object of a folder or selection. Returns the object, or the JSON listing of a folder or selection. Expired, revoked, spent and unknown links all return 410. Send the password in `X-Share-Password` or by HTTP Basic. Images take the parameters of the image proxy, with `w` and `h` rounded up to one of fifty sizes and `q` to tens. `key` names an object of a folder or selection, as the path does. */
  openShareEntry: {
    call: {
      params: {
        token: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        /** Replaces the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** Download a folder or selection as a zip. */
        archive?: '1'
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
        /** Maximum items per page. */
        limit?: number
        download?: '0' | '1'
        /** For showing it on the page of the link, sandboxed by its CSP. Recorded as a preview, unless downloads are limited. */
        embed?: '1'
        /** Lists only what is directly in this folder of a shared folder: its objects in `items`, its folders in `folders`. With `info`, the first page of it is part of the description. */
        folder?: string
        /** Returns a description of the link as JSON; does not count as a download. */
        info?: '1'
        /** Width of the box in CSS pixels; with only one, the aspect ratio is kept. */
        w?: number
        /** Height of the box in CSS pixels; with only one, the aspect ratio is kept. */
        h?: number
        /** `auto` picks the best format that `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: the source’s format if we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. Ignored for PNG. */
        q?: number
        /** How the image fits the box of `w` and `h`: entirely inside (`contain`, `inside`), filling it with the overflow cropped (`cover`), stretched (`fill`), or entirely inside with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may be enlarged beyond the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise, and in other formats, only the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** HEAD /public/s/{token}/{+key}: Open an object of a folder or selection. Returns the object, or the JSON listing of a folder or selection. Expired, revoked, spent and unknown links all return 410. Send the password in `X-Share-Password` or by HTTP Basic. Images take the parameters of the image proxy, with `w` and `h` rounded up to one of fifty sizes and `q` to tens. `key` names an object of a folder or selection, as the path does. */
  headShareEntry: {
    call: {
      params: {
        token: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        /** Replaces the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** Download a folder or selection as a zip. */
        archive?: '1'
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
        /** Maximum items per page. */
        limit?: number
        download?: '0' | '1'
        /** For showing it on the page of the link, sandboxed by its CSP. Recorded as a preview, unless downloads are limited. */
        embed?: '1'
        /** Lists only what is directly in this folder of a shared folder: its objects in `items`, its folders in `folders`. With `info`, the first page of it is part of the description. */
        folder?: string
        /** Returns a description of the link as JSON; does not count as a download. */
        info?: '1'
        /** Width of the box in CSS pixels; with only one, the aspect ratio is kept. */
        w?: number
        /** Height of the box in CSS pixels; with only one, the aspect ratio is kept. */
        h?: number
        /** `auto` picks the best format that `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: the source’s format if we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. Ignored for PNG. */
        q?: number
        /** How the image fits the box of `w` and `h`: entirely inside (`contain`, `inside`), filling it with the overflow cropped (`cover`), stretched (`fill`), or entirely inside with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may be enlarged beyond the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise, and in other formats, only the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** POST /public/s/{token}/archive: Download some files of a folder or selection as a zip. Counts as one download. Streamed while it is read. What does not exist is left out; 404 if that is everything. A form, so that a page can have the browser save it: `path` repeated for each. */
  archiveShare: {
    call: {
      params: {
        token: string
      }
      query?: {
        /** Replaces the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
      }
      body: {
        /** Names of files as the listing has them, and of folders, which end with `/` and stand for all below. */
        path: string | string[]
      }
    }
    reply: Response
  }
  /** POST /public/s/{token}/archive: Download some files of a folder or selection as a zip. Counts as one download. Streamed while it is read. What does not exist is left out; 404 if that is everything. A form, so that a page can have the browser save it: `path` repeated for each. */
  archiveShareAtRoot: {
    call: {
      params: {
        token: string
      }
      query?: {
        /** Replaces the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
      }
      body: {
        /** Names of files as the listing has them, and of folders, which end with `/` and stand for all below. */
        path: string | string[]
      }
    }
    reply: Response
  }
  /** PUT /public/s/{token}/{+key}: Upload a file through an upload link. If the name is already in use, the file is stored with a number after it; nothing is ever overwritten. Visitors are not told what there is: the response has the name that was sent. */
  receiveThroughShare: {
    call: {
      params: {
        token: string
        /** The name of the file: 1–1024 bytes of UTF-8 without control characters. */
        key: string
      }
      query?: {
        /** Replaces the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
      }
      body: Bytes
    }
    reply: {
      name: string
      /** Bytes. */
      size: number
    }
  }
  /** PUT /public/s/{token}/{+key}: Upload a file through an upload link. If the name is already in use, the file is stored with a number after it; nothing is ever overwritten. Visitors are not told what there is: the response has the name that was sent. */
  receiveThroughShareAtRoot: {
    call: {
      params: {
        token: string
        /** The name of the file: 1–1024 bytes of UTF-8 without control characters. */
        key: string
      }
      query?: {
        /** Replaces the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
      }
      body: Bytes
    }
    reply: {
      name: string
      /** Bytes. */
      size: number
    }
  }
  /** POST /public/s/{token}/uploads: Start a multipart upload through an upload link. For large files over connections that break. The limits of the link hold now, with everything that is under way, and when the upload is completed. Send the parts, several at a time and in any order; after an interruption, get those that have arrived. Unfinished uploads expire like those of users, and end with the link, or when its password changes. */
  beginSharedUpload: {
    call: {
      params: {
        token: string
      }
      query?: {
        /** Replaces the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
      }
      body: {
        /** The name of the file: 1–1024 bytes of UTF-8 without control characters. */
        name: string
        size: number
        content_type?: string
        sender?: {
          name: string | null
          message: string | null
        }
        /** A secret chosen at random. Repeating a request whose response was lost returns the same upload. */
        attempt?: string
      }
    }
    reply: SharedUpload
  }
  /** GET /public/uploads/{upload}: Get which parts of an upload have arrived. */
  getSharedUpload: {
    call: {
      params: {
        upload: string
      }
    }
    reply: SharedUpload
  }
  /** PUT /public/uploads/{upload}/parts/{part_number}: Upload one part. Needs `Content-Length`. Uploading a part again replaces it. */
  putSharedPart: {
    call: {
      params: {
        upload: string
        part_number: number
      }
      body: Bytes
    }
    reply: {
      part_number: number
      size: number
    }
  }
  /** POST /public/uploads/{upload}/complete: Complete a multipart upload through a link. If the name is already in use, the file is stored with a number after it; nothing is ever overwritten. The response has the name that was sent. Repeating the request returns the same result. 409 names parts that are missing. */
  completeSharedUpload: {
    call: {
      params: {
        upload: string
      }
    }
    reply: {
      name: string
      /** Bytes. */
      size: number
    }
  }
  /** DELETE /public/uploads/{upload}: Abort a multipart upload through a link. */
  abortSharedUpload: {
    call: {
      params: {
        upload: string
      }
    }
    reply: undefined
  }
  /** GET /public/s/{token}: Open a link. Returns the object, or the JSON listing of a folder or selection. Expired, revoked, spent and unknown links all return 410. Send the password in `X-Share-Password` or by HTTP Basic. Images take the parameters of the image proxy, with `w` and `h` rounded up to one of fifty sizes and `q` to tens. `key` names an object of a folder or selection, as the path does. */
  openShareAtRoot: {
    call: {
      params: {
        token: string
      }
      query?: {
        /** Replaces the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** Download a folder or selection as a zip. */
        archive?: '1'
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
        /** Maximum items per page. */
        limit?: number
        download?: '0' | '1'
        /** For showing it on the page of the link, sandboxed by its CSP. Recorded as a preview, unless downloads are limited. */
        embed?: '1'
        /** Lists only what is directly in this folder of a shared folder: its objects in `items`, its folders in `folders`. With `info`, the first page of it is part of the description. */
        folder?: string
        /** Returns a description of the link as JSON; does not count as a download. */
        info?: '1'
        /** Width of the box in CSS pixels; with only one, the aspect ratio is kept. */
        w?: number
        /** Height of the box in CSS pixels; with only one, the aspect ratio is kept. */
        h?: number
        /** `auto` picks the best format that `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: the source’s format if we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. Ignored for PNG. */
        q?: number
        /** How the image fits the box of `w` and `h`: entirely inside (`contain`, `inside`), filling it with the overflow cropped (`cover`), stretched (`fill`), or entirely inside with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may be enlarged beyond the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise, and in other formats, only the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** HEAD /public/s/{token}: Get a link’s headers without counting a download. Returns the object, or the JSON listing of a folder or selection. Expired, revoked, spent and unknown links all return 410. Send the password in `X-Share-Password` or by HTTP Basic. Images take the parameters of the image proxy, with `w` and `h` rounded up to one of fifty sizes and `q` to tens. `key` names an object of a folder or selection, as the path does. */
  headShareAtRoot: {
    call: {
      params: {
        token: string
      }
      query?: {
        /** Replaces the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** Download a folder or selection as a zip. */
        archive?: '1'
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
        /** Maximum items per page. */
        limit?: number
        download?: '0' | '1'
        /** For showing it on the page of the link, sandboxed by its CSP. Recorded as a preview, unless downloads are limited. */
        embed?: '1'
        /** Lists only what is directly in this folder of a shared folder: its objects in `items`, its folders in `folders`. With `info`, the first page of it is part of the description. */
        folder?: string
        /** Returns a description of the link as JSON; does not count as a download. */
        info?: '1'
        /** Width of the box in CSS pixels; with only one, the aspect ratio is kept. */
        w?: number
        /** Height of the box in CSS pixels; with only one, the aspect ratio is kept. */
        h?: number
        /** `auto` picks the best format that `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: the source’s format if we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. Ignored for PNG. */
        q?: number
        /** How the image fits the box of `w` and `h`: entirely inside (`contain`, `inside`), filling it with the overflow cropped (`cover`), stretched (`fill`), or entirely inside with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may be enlarged beyond the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise, and in other formats, only the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** GET /public/s/{token}/{+key}: Open an object of a folder or selection. Returns the object, or the JSON listing of a folder or selection. Expired, revoked, spent and unknown links all return 410. Send the password in `X-Share-Password` or by HTTP Basic. Images take the parameters of the image proxy, with `w` and `h` rounded up to one of fifty sizes and `q` to tens. `key` names an object of a folder or selection, as the path does. */
  openShareEntryAtRoot: {
    call: {
      params: {
        token: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        /** Replaces the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** Download a folder or selection as a zip. */
        archive?: '1'
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
        /** Maximum items per page. */
        limit?: number
        download?: '0' | '1'
        /** For showing it on the page of the link, sandboxed by its CSP. Recorded as a preview, unless downloads are limited. */
        embed?: '1'
        /** Lists only what is directly in this folder of a shared folder: its objects in `items`, its folders in `folders`. With `info`, the first page of it is part of the description. */
        folder?: string
        /** Returns a description of the link as JSON; does not count as a download. */
        info?: '1'
        /** Width of the box in CSS pixels; with only one, the aspect ratio is kept. */
        w?: number
        /** Height of the box in CSS pixels; with only one, the aspect ratio is kept. */
        h?: number
        /** `auto` picks the best format that `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: the source’s format if we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. Ignored for PNG. */
        q?: number
        /** How the image fits the box of `w` and `h`: entirely inside (`contain`, `inside`), filling it with the overflow cropped (`cover`), stretched (`fill`), or entirely inside with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may be enlarged beyond the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise, and in other formats, only the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** HEAD /public/s/{token}/{+key}: Open an object of a folder or selection. Returns the object, or the JSON listing of a folder or selection. Expired, revoked, spent and unknown links all return 410. Send the password in `X-Share-Password` or by HTTP Basic. Images take the parameters of the image proxy, with `w` and `h` rounded up to one of fifty sizes and `q` to tens. `key` names an object of a folder or selection, as the path does. */
  headShareEntryAtRoot: {
    call: {
      params: {
        token: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
      query?: {
        /** Replaces the password for an hour: see `POST /public/s/{token}`. */
        ticket?: string
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key?: string
        /** Download a folder or selection as a zip. */
        archive?: '1'
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
        /** Maximum items per page. */
        limit?: number
        download?: '0' | '1'
        /** For showing it on the page of the link, sandboxed by its CSP. Recorded as a preview, unless downloads are limited. */
        embed?: '1'
        /** Lists only what is directly in this folder of a shared folder: its objects in `items`, its folders in `folders`. With `info`, the first page of it is part of the description. */
        folder?: string
        /** Returns a description of the link as JSON; does not count as a download. */
        info?: '1'
        /** Width of the box in CSS pixels; with only one, the aspect ratio is kept. */
        w?: number
        /** Height of the box in CSS pixels; with only one, the aspect ratio is kept. */
        h?: number
        /** `auto` picks the best format that `Accept` names: AVIF, else WebP, else JPEG or (with transparency) PNG. Default: the source’s format if we can write it, else WebP. */
        format?: 'jpeg' | 'jpg' | 'png' | 'webp' | 'avif' | 'auto'
        /** Quality. Default: JPEG 80, WebP 80, AVIF 50. Ignored for PNG. */
        q?: number
        /** How the image fits the box of `w` and `h`: entirely inside (`contain`, `inside`), filling it with the overflow cropped (`cover`), stretched (`fill`), or entirely inside with margins (`pad`). */
        fit?: 'contain' | 'cover' | 'inside' | 'fill' | 'pad'
        /** Multiplies `w` and `h`. */
        dpr?: number
        /** `1`: may be enlarged beyond the source. */
        enlarge?: '0' | '1'
        /** `1`: all frames of a GIF or WebP, as WebP. Otherwise, and in other formats, only the first. */
        animated?: '0' | '1'
      }
    }
    reply: Response
  }
  /** POST /jobs: Copy, move, delete or tag a folder or a large selection, take it back, undo a job, merge a fork, or move or encrypt a bucket. Runs in the background on the objects that exist when it starts, with its creator’s permissions, which are rechecked while it runs. Objects that were overwritten, created or had their metadata changed since are left alone and reported as the error `changed`. Every object has its own audit record and event. `tag` changes the tags of objects as `tags` says, which needs `write` on each, whatever locks it has; contents, versions and the time of the last change stay. What has these tags already counts as done, and an object that would have more than 10 is left alone. `restore` undoes one of your finished `delete`, `empty_bucket`, `move` or `tag` jobs (`of`) and takes no other parameters. After a deletion it restores what is still in the trash, which needs `write` on each key; after a move, within a week, it moves back what is still at its destination with the same contents, which needs the permissions of a move, and restores what the move overwrote. What cannot be restored stays where it is and is reported as an error: `already_exists` if the key is in use. `migrate` moves a bucket’s bytes to another storage (`dest_storage`) while it is in use, which only administrators may: new bytes go there from its start, each blob is copied, read again and compared with its checksum, and only then takes the place of the old one, which is deleted after the grace period. If it is cancelled, what was copied stays there; another `migrate` continues, in either direction. `encrypt` encrypts what a bucket holds, with its versions and its trash, while it is in use, which needs `manage`; `decrypt` is the way back, for administrators. Each blob is copied, read again and compared before anything points at the copy; what is encrypted with a key of its client stays as it is and is reported. Neither changes how new objects are encrypted. `rollback` makes a bucket, or a folder of it, what it was at a moment (`to`): what was deleted or overwritten since comes back, and what is new goes to the trash, or stays with `keep_new`. No bytes are copied, and where versions are kept, each key gets a new one. With `by`, it takes back only the keys that one user, access key, token, link or agent alone has changed since; keys that others changed as well are reported as `conflict`. Links that the agent has created since are revoked at once; with `planned`, only if they are those that the dry run counted, or else the request is refused. It needs `read` and `write` on each key, and `delete` for what is new. What is locked is left alone; so are keys whose contents were purged since, which are reported as `erased`. `plan` says what it will do once it has listed everything. With `dry_run` it ends there; if the bucket’s quota has no room for it, it fails without having changed anything. `merge` takes what a fork (`source_bucket`) has changed into the bucket it was forked from: each key that the fork has changed since, and its origin has not, becomes there what it is in the fork, or is deleted. Keys that both have changed are conflicts, which `listForkChanges` lists. They are done with as `decisions` say, or else `on_conflict`; without either they are left alone and reported as `conflict`. What was merged is not merged again, and what has changed in the fork since can be. It needs `read` on each key in both buckets, and `write` in the origin, or `delete` for what the fork has deleted. Locks and ACLs stay as they are in the origin. `merge_plan` says what it will do once it has listed everything; with `dry_run` it ends there; if the origin’s quota has no room for it, it fails without having changed anything. `restore` undoes a rollback, a merge or a change of tags: each key that the job changed, and nobody since, becomes what it was just before. At most 100 of your jobs may be queued or running (`limit_reached`). */
  createJob: {
    call: {
      body: {
        kind: 'copy' | 'move' | 'delete' | 'empty_bucket' | 'restore' | 'migrate' | 'encrypt' | 'decrypt' | 'rollback' | 'merge' | 'tag'
        /** Required except for `restore`. */
        source_bucket?: string
        /** The job to undo (restore). */
        of?: string
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        /** Only keys that contain this text, ignoring case. */
        search?: string
        /** Only objects that this finds, in the language of `searchObjects` (copy, move, delete, tag). Lengths of time are counted back from when the job is created. */
        query?: string
        /** Keys to leave out; a key that ends with a slash leaves out the whole folder. */
        exclude?: string[]
        /** Instead of a prefix. */
        keys?: string[]
        /** Instead of a selection: an object that lists the keys that are needed, one a line (a line that starts with a quotation mark is a JSON string). What it does not have is deleted, and `comparison` says what it has and the bucket lacks (delete). Needs `read` on the list, and `list` on all that it is compared with. */
        needed?: {
          /** By default the source. */
          bucket?: string
          /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
          key: string
          /** When the list was made; by default, when its object was written. Objects that changed later stay. */
          as_of?: string
          /** Where to write the keys: `orphans.txt` and `missing.txt` below this prefix. */
          report?: {
            /** By default the source. */
            bucket?: string
            /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
            prefix?: string
          }
        }
        /** Where to copy or move to. With `merge`, the bucket that it was forked from, which it is by default. */
        dest_bucket?: string
        /** Replaces `prefix` in the keys (copy, move). */
        dest_prefix?: string
        /** The storage to move the bucket to (migrate). */
        dest_storage?: string
        /** How the objects are to be encrypted (encrypt), or their copies (copy). By default as the bucket says of new objects; with `encrypt`, if it says nothing, with `AES256`. */
        encryption?: {
          /** `AES256`: with a key of the service. `aws:kms`: with a key of a key service, which `key` names. */
          algorithm: 'AES256' | 'aws:kms'
          /** As S3 clients name it (`x-amz-server-side-encryption-aws-kms-key-id`). It cannot be changed. */
          key?: string
        }
        /** Do not replace existing keys; report them as errors. */
        if_none_match?: '*'
        /** Where a key is in use, arrive next to it, under the first number that is free: `report (1).pdf` (copy, move). Needs `write` on that key too. Nothing is replaced but the empty object that marks a folder, by another. */
        keep_both?: boolean
        /** The moment to go back to, an RFC 3339 time: the last change at or before it (rollback). */
        to?: string
        /** Keep what was not there then (rollback). */
        keep_new?: boolean
        /** Exactly one: whose changes are undone (rollback). */
        by?: {
          /** A UUIDv7. */
          user?: string
          /** The `id` of an access key, not its `access_key_id`. */
          access_key?: string
          /** A UUIDv7. */
          token?: string
          /** A UUIDv7. */
          share?: string
          /** A UUIDv7. */
          agent?: string
        }
        /** What becomes of the tags of each object (tag). */
        tags?: {
          /** Tags to give, in place of those with the same names. */
          add?: Record<string, string>
          /** Names of tags to take away. */
          remove?: string[]
          /** The only tags to have, instead of the others: `{}` for none. */
          replace?: Record<string, string>
        }
        /** What becomes of keys that both have changed, and of which no decision is given (merge). `fork`: what it is in the fork, also if that is nothing. `origin`: nothing changes. `both`: nothing changes, and what the fork has is added next to it under another name. */
        on_conflict?: 'fork' | 'origin' | 'both'
        /** What becomes of single keys that both have changed; of others, it says nothing (merge). */
        decisions?: ({
          /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
          key: string
          /** `fork`: what it is in the fork, also if that is nothing. `origin`: nothing changes. `both`: nothing changes, and what the fork has is added next to it under another name. */
          take: 'fork' | 'origin' | 'both'
          /** The other name, which must be free (both). By default the name of the fork is added to it. */
          dest_key?: string
        })[]
        /** Only say what would be done: `total` of a copy, move, deletion or change of tags, `plan` or `merge_plan` of the others. */
        dry_run?: boolean
        /** A dry run of the same (rollback, merge, a deletion with `needed`). The job fails before it changes anything, and says what differs, unless it would do exactly what that one has planned. */
        planned?: string
      }
    }
    reply: Job
  }
  /** GET /jobs: List your jobs, latest first; administrators see all. */
  listJobs: {
    call: {
      query?: {
        status?: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<Job>
  }
  /** GET /jobs/{id}: Get a job and its progress. */
  getJob: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Job
  }
  /** POST /jobs/{id}/cancel: Cancel a job. Work already done is kept. */
  cancelJob: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Job
  }
  /** POST /policies: Create a cleanup policy. Needs `policy` on everything that the patterns and the prefix cover. At least one condition is required. `glob`, `min_size`, `max_size` and `tags` say what it is about; an object is deleted if it meets these and `older_than_days`, `date` and `keep_newest` as far as they are given. `noncurrent_days` and `keep_versions` delete versions that are not current, `expired_markers` delete markers; where only such conditions of versions are given besides those that say what it is about, objects stay. With `keep_snapshots` it deletes nothing, but takes snapshots. */
  createPolicy: {
    call: {
      body: {
        name: string
        bucket_patterns: string[]
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        glob?: string | null
        older_than_days?: number | null
        min_size?: number | null
        max_size?: number | null
        /** Only objects that have all these tags. */
        tags?: Record<string, string> | null
        date?: string | null
        keep_newest?: number | null
        noncurrent_days?: number | null
        keep_versions?: number | null
        expired_markers?: boolean | null
        keep_snapshots?: number | null
        max_deletes?: number | null
        max_delete_percent?: number | null
        cron?: string | null
        /** An IANA time zone name. */
        timezone?: string
        enabled?: boolean
      }
    }
    reply: Policy
  }
  /** GET /policies: List the policies you may change, latest first. */
  listPolicies: {
    call: {
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<Policy>
  }
  /** POST /policies/preview: Preview what a policy would delete now, without saving it. Examines up to 100,000 objects; `complete` says whether these were all. Needs `policy` and `delete` on everything in scope. */
  previewPolicy: {
    call: {
      body: {
        name?: string
        bucket_patterns: string[]
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        glob?: string | null
        older_than_days?: number | null
        min_size?: number | null
        max_size?: number | null
        /** Only objects that have all these tags. */
        tags?: Record<string, string> | null
        date?: string | null
        keep_newest?: number | null
        noncurrent_days?: number | null
        keep_versions?: number | null
        expired_markers?: boolean | null
        keep_snapshots?: number | null
        max_deletes?: number | null
        max_delete_percent?: number | null
        cron?: string | null
        /** An IANA time zone name. */
        timezone?: string
        enabled?: boolean
      }
    }
    reply: {
      /** ISO 8601, UTC, milliseconds. */
      cutoff: string
      complete: boolean
      examined: number
      matched: number
      bytes: number
      oldest: string | null
      newest: string | null
      /** Objects and versions in scope that are kept, by the first condition that keeps them. */
      excluded: {
        glob: number
        min_size: number
        max_size: number
        tags: number
        keep_newest: number
        older_than_days: number
        date: number
        noncurrent_days: number
        keep_versions: number
        expired_markers: number
        locked: number
      }
      sample: string[]
      /** Details of the objects in the sample. */
      objects: ({
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** Of a policy that takes snapshots: the name of the snapshot. */
        key: string
        size: number
        /** ISO 8601, UTC, milliseconds. */
        last_modified: string
        version_id: string | null
        /** Whether it is a delete marker. */
        marker: boolean
      })[]
      would_stop: string | null
      /** The next five scheduled times. */
      next_runs: string[]
    }
  }
  /** GET /policies/{id}: Get a policy. */
  getPolicy: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Policy
  }
  /** PATCH /policies/{id}: Change a policy. Omitted fields are unchanged; null removes a condition, a limit or the schedule. Whoever changes it becomes its author, and it runs with the author’s permissions. A run in progress stops. Policies of a lifecycle configuration cannot be changed (409). */
  updatePolicy: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        name?: string
        bucket_patterns?: string[]
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        glob?: string | null
        older_than_days?: number | null
        min_size?: number | null
        max_size?: number | null
        /** Only objects that have all these tags. */
        tags?: Record<string, string> | null
        date?: string | null
        keep_newest?: number | null
        noncurrent_days?: number | null
        keep_versions?: number | null
        expired_markers?: boolean | null
        keep_snapshots?: number | null
        max_deletes?: number | null
        max_delete_percent?: number | null
        cron?: string | null
        /** An IANA time zone name. */
        timezone?: string
        enabled?: boolean
      }
    }
    reply: Policy
  }
  /** DELETE /policies/{id}: Delete a policy with its history. A run in progress is cancelled. Deleted objects stay in the trash and in the audit log. Policies of a lifecycle configuration cannot be deleted here (409). */
  deletePolicy: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: undefined
  }
  /** POST /policies/{id}/run: Run a policy now, or do a dry run. Returns 200 with the run if it finishes within two seconds, else 202. With `of` it deletes exactly what that dry run listed, except what has changed since. Runs with the permissions of the policy’s author. A policy has one run at a time (409). The options may be in the query or in the body. */
  runPolicy: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      query?: {
        dry_run?: boolean
        /** A dry run of the policy’s current version. */
        of?: string
      }
      body?: {
        dry_run?: boolean
        /** A dry run of the policy’s current version. */
        of?: string
      }
    }
    reply: PolicyRun
  }
  /** GET /policies/{id}/runs: List a policy’s runs, latest first. */
  listPolicyRuns: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<PolicyRun>
  }
  /** GET /policies/{id}/runs/{run_id}: Get a run of a policy. */
  getPolicyRun: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
        /** A UUIDv7. */
        run_id: string
      }
    }
    reply: PolicyRun
  }
  /** GET /policies/{id}/runs/{run_id}/items: List every object a run matched, with its outcome. Only objects the caller may list. A short page may not be the last one: check `next_cursor`. Kept for 30 days. */
  listPolicyRunItems: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
        /** A UUIDv7. */
        run_id: string
      }
      query?: {
        outcome?: 'matched' | 'pending' | 'deleted' | 'kept_changed' | 'kept_locked' | 'gone' | 'not_reached' | 'taken' | 'not_taken'
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<{
      /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
      bucket: string
      /** Of a policy that takes snapshots: the name of the snapshot. */
      key: string
      size: number
      /** ISO 8601, UTC, milliseconds. */
      last_modified: string
      version_id: string | null
      /** Whether it is a delete marker. */
      marker: boolean
      etag: string
      outcome: 'matched' | 'pending' | 'deleted' | 'kept_changed' | 'kept_locked' | 'gone' | 'not_reached' | 'taken' | 'not_taken'
    }>
  }
  /** POST /policies/{id}/runs/{run_id}/cancel: Cancel a run. Takes effect before its next step. Deleted objects stay in the trash. */
  cancelPolicyRun: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
        /** A UUIDv7. */
        run_id: string
      }
    }
    reply: PolicyRun
  }
  /** POST /policies/{id}/runs/{run_id}/restore: Restore what a run deleted in a bucket. Starts a `restore` job that puts back the objects that are still in the trash, and removes the delete markers that the run left in a bucket that keeps versions. Needs `write` on each key. What cannot be restored stays where it is and is reported as an error: `already_exists` if the key is in use. Earlier versions that the run deleted are not part of it. */
  restorePolicyRun: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
        /** A UUIDv7. */
        run_id: string
      }
      body: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
    }
    reply: Job
  }
  /** GET /buckets/{bucket}/policies: List the policies that will delete an object, with when and why. Policies that match the object now or once it is old enough. Needs `read` on the key. */
  explainPolicies: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query: {
        /** 1–1024 bytes of UTF-8 without NUL. `/` separates folders; every other character is ordinary. */
        key: string
      }
    }
    reply: {
      items: ({
        /** A UUIDv7. */
        policy_id: string
        name: string
        enabled: boolean
        matches_now: boolean
        /** When it starts to match; null while it is kept as one of the folder’s newest. */
        matches_at: string | null
        /** Null: it only runs manually. */
        next_run_at: string | null
        /** The first scheduled time at which it matches. */
        deletes_at: string | null
        reason: string
      })[]
    }
  }
  /** POST /inventories: Have what is in a bucket written as a table, on a schedule or when asked. Needs `list` and `read` on every key that it lists, and `write` where it is written to; without a bucket, it is for administrators. Every run asks again whether its author has these permissions. */
  createInventory: {
    call: {
      body: {
        /** 1–64 letters, digits and `. _ -`. No two of a bucket have the same name. It is part of the keys of the files. */
        name: string
        /** Null: all buckets. */
        bucket: string | null
        /** Where the files are written. `<prefix>/<bucket>/<name>/<time>/manifest.json` is written last. */
        destination: {
          /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
          bucket: string
          /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
          prefix?: string
        }
        /** Only keys that start with this. */
        prefix?: string
        /** `all`: with the versions that are not current, and delete markers. */
        versions?: 'current' | 'all'
        /** `csv`: compressed with gzip, as S3 writes it. */
        format?: 'parquet' | 'csv'
        /** In this order; null: all. `bucket` and `key` are always the first. */
        columns?: ('bucket' | 'key' | 'version_id' | 'is_latest' | 'is_delete_marker' | 'size' | 'last_modified_date' | 'e_tag' | 'storage_class' | 'is_multipart_uploaded' | 'replication_status' | 'encryption_status' | 'object_lock_retain_until_date' | 'object_lock_mode' | 'object_lock_legal_hold_status' | 'checksum_algorithm' | 'object_owner' | 'sha256' | 'checksums' | 'content_type' | 'created_at' | 'created_by' | 'created_by_email' | 'changed_at' | 'changed_by' | 'changed_by_email' | 'changed_with' | 'changed_how' | 'encryption_key' | 'storage' | 'tags' | 'metadata')[] | null
        /** Whether what was added, changed and deleted since the inventory before is written as well, as a table of its own. */
        changes?: boolean
        /** At most. */
        rows_per_file?: number
        /** `weekly` is on Sundays. Null: only when it is asked for. */
        schedule?: 'daily' | 'weekly' | null
        /** Of the schedule, UTC. */
        hour?: number
        /** Whether the schedule counts. */
        enabled?: boolean
      }
    }
    reply: Inventory
  }
  /** GET /inventories: List the inventories that you may change, the latest first. */
  listInventories: {
    call: {
      query?: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket?: string
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<Inventory>
  }
  /** GET /inventories/{id}: Get an inventory, with its last run. */
  getInventory: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Inventory
  }
  /** PATCH /inventories/{id}: Change an inventory; you become its author. Needs `list` and `read` on every key that it lists, and `write` where it is written to; without a bucket, it is for administrators. */
  updateInventory: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        /** Where the files are written. `<prefix>/<bucket>/<name>/<time>/manifest.json` is written last. */
        destination?: {
          /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
          bucket: string
          /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
          prefix?: string
        }
        /** Only keys that start with this. */
        prefix?: string
        /** `all`: with the versions that are not current, and delete markers. */
        versions?: 'current' | 'all'
        /** `csv`: compressed with gzip, as S3 writes it. */
        format?: 'parquet' | 'csv'
        /** In this order; null: all. `bucket` and `key` are always the first. */
        columns?: ('bucket' | 'key' | 'version_id' | 'is_latest' | 'is_delete_marker' | 'size' | 'last_modified_date' | 'e_tag' | 'storage_class' | 'is_multipart_uploaded' | 'replication_status' | 'encryption_status' | 'object_lock_retain_until_date' | 'object_lock_mode' | 'object_lock_legal_hold_status' | 'checksum_algorithm' | 'object_owner' | 'sha256' | 'checksums' | 'content_type' | 'created_at' | 'created_by' | 'created_by_email' | 'changed_at' | 'changed_by' | 'changed_by_email' | 'changed_with' | 'changed_how' | 'encryption_key' | 'storage' | 'tags' | 'metadata')[] | null
        /** Whether what was added, changed and deleted since the inventory before is written as well, as a table of its own. */
        changes?: boolean
        /** At most. */
        rows_per_file?: number
        /** `weekly` is on Sundays. Null: only when it is asked for. */
        schedule?: 'daily' | 'weekly' | null
        /** Of the schedule, UTC. */
        hour?: number
        /** Whether the schedule counts. */
        enabled?: boolean
      }
    }
    reply: Inventory
  }
  /** DELETE /inventories/{id}: Delete an inventory; what it has written stays. */
  deleteInventory: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: undefined
  }
  /** POST /inventories/{id}/run: Have an inventory written now. Returns at once; the run says how far it is. */
  runInventory: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: InventoryRun
  }
  /** GET /inventories/{id}/runs: List the runs of an inventory, the latest first. */
  listInventoryRuns: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<InventoryRun>
  }
  /** GET /inventories/{id}/runs/{run_id}: Get a run of an inventory: how far it is, and its files. */
  getInventoryRun: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
        /** A UUIDv7. */
        run_id: string
      }
    }
    reply: InventoryRun
  }
  /** POST /inventories/{id}/runs/{run_id}/cancel: Cancel a run; files that are written stay, without a manifest. */
  cancelInventoryRun: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
        /** A UUIDv7. */
        run_id: string
      }
    }
    reply: InventoryRun
  }
  /** GET /buckets/{bucket}/trash: List deleted and overwritten objects, latest first. */
  listTrash: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        prefix?: string
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
        /** Maximum items per page. */
        limit?: number
      }
    }
    reply: Page<TrashItem>
  }
  /** POST /buckets/{bucket}/trash/restore: Restore objects from the trash. Restores all of the ids or none; 413 if the quota is exceeded. Needs `write` on each key. `on_conflict` says what happens if the key is in use: `fail` (the default) returns 409 and names the keys. `replace` moves the present object to the trash as overwritten; in a bucket without trash it would be lost, so `delete` and `manage` on the key are needed too. `keep_both` restores under a free name, such as `report (restored).pdf`. For two ids with the same key, `fail` and `replace` return 409, unless the bucket keeps versions: then both are versions of it, in the order in which they were written. With `keep_both` the one trashed last keeps the key. */
  restoreTrash: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        ids: string[]
        on_conflict?: 'fail' | 'replace' | 'keep_both'
      }
    }
    reply: {
      items: StoredObject[]
      restored: RestoredItem[]
    }
  }
  /** POST /buckets/{bucket}/trash/purge: Permanently delete objects from the trash. The given ids, or with `all` everything in the trash (at most 10,000 per call: `more` says whether any are left). */
  purgeTrash: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        ids: string[]
      } | {
        all: true
      }
    }
    reply: {
      purged: number
      bytes: number
      more: boolean
    }
  }
  /** POST /users: Create a user. Unless you are an administrator, you can add them only to groups whose permissions you have yourself. */
  createUser: {
    call: {
      body: {
        email: string
        display_name: string
        /** 8–72 bytes of UTF-8 after NFKC. */
        password?: string
        /** Together with a password: they choose another one when they next log in with it. */
        must_change_password?: boolean
        /** Instead of a password: returns a link with which they choose one themselves. */
        invite?: boolean
        group_ids?: string[]
      }
    }
    reply: {
      /** A UUIDv7. */
      id: string
      email: string
      display_name: string
      is_active: boolean
      /** Derived: whether they are in a group with `admin`. */
      is_admin: boolean
      /** Whether they can log in with email and password. */
      has_password: boolean
      /** Whether they have one for logins with their password. */
      has_second_factor: boolean
      /** Whether they choose another one at their next login with it. */
      must_change_password: boolean
      /** Until when they can accept an invitation; null: none. */
      invitation_expires_at: string | null
      idp_subject: string | null
      groups: {
        /** A UUIDv7. */
        id: string
        name: string
      }[]
      /** Made by the IAM API: programs act as it, with access keys, and it can never sign in. */
      is_service_account: boolean
      /** ISO 8601, UTC, milliseconds. */
      created_at: string
      last_login_at: string | null
      invitation?: Invitation
    }
  }
  /** GET /users: List users by email. */
  listUsers: {
    call: {
      query?: {
        /** Part of the email address or the name. */
        q?: string
        /** A UUIDv7. */
        group_id?: string
        /** Only active users, or only disabled ones. */
        active?: boolean
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<User>
  }
  /** GET /users/idp/search: Search the identity provider’s user directory. */
  searchDirectory: {
    call: {
      query: {
        /** 2–100 characters, trimmed. */
        q: string
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
        limit?: number
      }
    }
    reply: Page<DirectoryPerson>
  }
  /** POST /users/idp/import: Create accounts for people in the directory before they log in. Each is looked up by id and belongs to no group. Repeating the request is harmless. */
  importUsers: {
    call: {
      body: {
        external_ids: string[]
      }
    }
    reply: {
      items: ({
        external_id: string
        result: 'created' | 'exists' | 'not_found' | 'email_in_use' | 'no_email' | 'disabled'
        user_id: string | null
      })[]
    }
  }
  /** GET /users/{id}: Get a user. */
  getUser: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: User
  }
  /** PATCH /users/{id}: Change, disable or enable a user. Disabling a user or setting a password ends all their sessions at once; personal access tokens survive a new password and do not work while the user is disabled. The last administrator who can log in cannot be demoted or disabled. */
  updateUser: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        email?: string
        display_name?: string
        is_active?: boolean
        password?: string | null
        /** Together with a password: they choose another one when they next log in with it. */
        must_change_password?: boolean
        group_ids?: string[]
        idp_subject?: string | null
      }
    }
    reply: User
  }
  /** DELETE /users/{id}: Delete a user. Ends their sessions, tokens and links at once. Their uploads and the audit log stay. */
  deleteUser: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: undefined
  }
  /** DELETE /users/{id}/sessions: Sign a user out everywhere. */
  endUserSessions: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: undefined
  }
  /** POST /users/{id}/invitation: Invite a user to choose a password. Returns a link that works once, for seven days; an earlier one of the same user stops working. For users without a password, while logins with a password are enabled. Their link also stops working when their email address or identity changes, and when they are disabled or signed out everywhere. */
  inviteUser: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Invitation
  }
  /** DELETE /users/{id}/invitation: Revoke the invitation of a user. */
  revokeInvitation: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: undefined
  }
  /** POST /auth/invitation: See whom an invitation is for. */
  readInvitation: {
    call: {
      body: {
        /** The part after `#` in the link. */
        token: string
      }
    }
    reply: {
      email: string
      display_name: string
      /** ISO 8601, UTC, milliseconds. */
      expires_at: string
    }
  }
  /** POST /auth/invitation/accept: Accept an invitation: choose a password and log in. Works once, and ends all earlier sessions of the user. Users who must set up a second factor get `second_factor_enrollment_required`, with a `challenge` for `POST /auth/token/enrollment`: their password is set then. */
  acceptInvitation: {
    call: {
      query?: {
        /** For browsers: returns the refresh token as an HttpOnly, SameSite=Strict cookie that scripts cannot read. */
        session?: 'cookie'
      }
      body: {
        /** The part after `#` in the link. */
        token: string
        /** 8–72 bytes of UTF-8 after NFKC. */
        password: string
      }
    }
    reply: TokenPair
  }
  /** POST /groups: Create a group with its grants. Only administrators may grant permissions; others create groups without any. */
  createGroup: {
    call: {
      body: {
        name: string
        description?: string
        global?: ('admin' | 'users.manage')[]
        grants?: ({
          /** A bucket name; `*` matches any characters, at most three times. */
          bucket_pattern: string
          /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
          prefix?: string
          actions?: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
          /** A named set of actions, instead of `actions`. */
          preset?: 'viewer' | 'uploader' | 'editor' | 'publisher' | 'owner'
        })[]
      }
    }
    reply: Group
  }
  /** GET /groups: List groups by name. */
  listGroups: {
    call: {
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<Group>
  }
  /** GET /groups/{id}: Get a group. */
  getGroup: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Group
  }
  /** PATCH /groups/{id}: Change a group. `grants` and `global` replace the previous values and apply to the next request; administrators only. */
  updateGroup: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        name?: string
        description?: string
        global?: ('admin' | 'users.manage')[]
        grants?: ({
          /** A bucket name; `*` matches any characters, at most three times. */
          bucket_pattern: string
          /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
          prefix?: string
          actions?: ('list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock')[]
          /** A named set of actions, instead of `actions`. */
          preset?: 'viewer' | 'uploader' | 'editor' | 'publisher' | 'owner'
        })[]
      }
    }
    reply: Group
  }
  /** DELETE /groups/{id}: Delete a group. */
  deleteGroup: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      query?: {
        /** Delete it even if it has members. */
        force?: boolean
      }
    }
    reply: undefined
  }
  /** GET /groups/{id}/members: List the members of a group by email. */
  listMembers: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<User>
  }
  /** POST /groups/{id}/members: Add members to a group. You need every permission of the group yourself. */
  addMembers: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        user_ids: string[]
      }
    }
    reply: Group
  }
  /** PUT /groups/{id}/members: Set the members of a group. */
  replaceMembers: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        user_ids: string[]
      }
    }
    reply: Group
  }
  /** DELETE /groups/{id}/members: Remove members from a group. */
  removeMembers: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        user_ids: string[]
      }
    }
    reply: Group
  }
  /** GET /permissions/explain: Check whether a user may do something, and through which groups and grants. Anyone may check themselves; checking others needs `users.manage`. Conditions of policies are judged as for a request that says nothing else, and for others comes from no address. */
  explainPermission: {
    call: {
      query: {
        /** A UUIDv7. */
        user_id?: string
        action: 'list' | 'read' | 'write' | 'delete' | 'share' | 'policy' | 'manage' | 'create' | 'bypass_lock'
        bucket: string
        /** A key prefix, 0–1024 bytes of UTF-8 without NUL. */
        key?: string
      }
    }
    reply: {
      allowed: boolean
      /** The answer in a sentence. */
      reason: string
      /** The grants that allow it, also where a policy denies it. */
      via: Via[]
      statement: {
        /** Whose policy it is in. */
        policy_of: 'bucket' | 'caller' | 'session'
        sid: string | null
        /** Which of its statements it is, from 0. */
        index: number
        effect: 'Allow' | 'Deny'
      } | null
    }
  }
  /** GET /settings: Get the runtime settings. */
  getSettings: {
    call: object
    reply: Settings
  }
  /** PATCH /settings: Change runtime settings. Changes only the given fields, effective on the next request on every replica. Changes that would lock out the last administrator and fields set by environment variables are refused. */
  updateSettings: {
    call: {
      body: SettingsChange
    }
    reply: Settings
  }
  /** PUT /settings/logo: Set the logo of the sign-in page and of the pages of share links. A PNG, JPEG, WebP, AVIF or GIF of at most 1 MiB. It is stored as a PNG that fits into 480 × 160 pixels. */
  setLogo: {
    call: {
      body: Bytes
    }
    reply: {
      /** The logo’s path; null: none is set. */
      logo_url: string | null
    }
  }
  /** DELETE /settings/logo: Remove the logo. */
  deleteLogo: {
    call: object
    reply: undefined
  }
  /** GET /public/logo: Get the logo of the sign-in page and of the pages of share links. */
  getLogo: {
    call: {
      query?: {
        /** Its hash: with it the response never changes. */
        v?: string
      }
    }
    reply: Response
  }
  /** POST /settings/test-idp: Fetch the identity provider’s discovery document now. */
  testIdp: {
    call: object
    reply: {
      issuer: string
      authorization_endpoint: string
      /** The redirect URI to register at the provider. */
      redirect_uri: string
    }
  }
  /** POST /settings/test-mail: Send a test mail to your own address now. Takes at most ten seconds. What went wrong is in `detail` of the problem. */
  testMail: {
    call: object
    reply: {
      /** Your address, for which the server took the mail. */
      recipient: string
    }
  }
  /** GET /mails: List the mails of the last 30 days, latest first. What was sent, waits or failed; never the texts. */
  listMails: {
    call: {
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<Mail>
  }
  /** POST /apply: Make the service have what a configuration names. Compares the fields that the configuration names with what is there, and makes the changes one after another, each in a transaction of its own. The first that fails ends it: `result` says what became of each. Applying the same configuration twice changes nothing the second time. If anything in it is wrong, all faults are named (422) and nothing is changed. */
  apply: {
    call: {
      body: {
        /** What the service is to have. What it does not name stays unchanged. */
        configuration: Configuration
        /** Only say what would be changed. */
        dry_run?: boolean
        /** Delete what the configuration does not name, of the kinds that it lists. Built-in groups, attached buckets, buckets that are not empty, storages that are in use and the caller stay. */
        prune?: boolean
      }
    }
    reply: {
      /** In the order in which they are made. */
      changes: ConfigurationChange[]
      /** What `prune` would have deleted, and why it stays. */
      kept: ({
        kind: 'storages' | 'identity_policies' | 'groups' | 'users' | 'roles' | 'buckets' | 'access_keys' | 'webhooks' | 'policies' | 'settings'
        name: string
        reason: string
      })[]
      /** How many entries of the configuration are as it says. */
      unchanged: number
    }
  }
  /** GET /export: Get a configuration that names all that is there. Without secrets and passwords, and without what has its default value. Applied to this service, it changes nothing. */
  exportConfiguration: {
    call: object
    reply: {
      /** What the service is to have. What it does not name stays unchanged. */
      configuration: Configuration
    }
  }
  /** GET /storages: List the storages, in name order, after the default one. */
  listStorages: {
    call: object
    reply: {
      items: Storage[]
    }
  }
  /** POST /storages: Register a storage. Buckets can then be created on it. `s3` needs `bucket`, `file` needs `folder`. It must be reachable, and must not be a place that is in use here already (409). Nothing is written before the first bucket of its own is created. */
  createStorage: {
    call: {
      body: {
        /** 1–63 of `a-z 0-9 -`, starting and ending with a letter or digit. It cannot be changed. */
        name: string
        kind?: 's3' | 'file'
        endpoint?: string | null
        region?: string | null
        bucket?: string | null
        /** Where in that bucket the bytes lie. A slash is added at its end. */
        prefix?: string
        path_style?: boolean | null
        folder?: string | null
        access_key_id?: string | null
        secret_access_key?: string | null
      }
    }
    reply: Storage
  }
  /** POST /storages/test: Test a storage before it is registered. */
  testNewStorage: {
    call: {
      body: {
        kind?: 's3' | 'file'
        endpoint?: string | null
        region?: string | null
        bucket?: string | null
        /** Where in that bucket the bytes lie. A slash is added at its end. */
        prefix?: string
        path_style?: boolean | null
        folder?: string | null
        access_key_id?: string | null
        secret_access_key?: string | null
        /** What for: `owned` for buckets of our own, `read_only` for showing what is there. */
        mode?: 'owned' | 'read_only'
      }
    }
    reply: StorageTest
  }
  /** GET /storages/{storage}: Get a storage. */
  getStorage: {
    call: {
      params: {
        /** 1–63 of `a-z 0-9 -`, starting and ending with a letter or digit. It cannot be changed. */
        storage: string
      }
    }
    reply: Storage
  }
  /** PATCH /storages/{storage}: Change how a storage is reached, turn it off or on, or give it a mirror. With other credentials or another address it must be reachable, and must be the same storage if something of ours lies there (409). `mirror` is sent alone, also for the default storage, of which nothing else can be changed: every blob of the storage is then also on that other one, which must be reachable and writable (409); what is there already is copied in the background. `null` turns the mirror off, and leaves what is there. */
  updateStorage: {
    call: {
      params: {
        /** 1–63 of `a-z 0-9 -`, starting and ending with a letter or digit. It cannot be changed. */
        storage: string
      }
      body: {
        endpoint?: string | null
        region?: string | null
        path_style?: boolean | null
        access_key_id?: string | null
        secret_access_key?: string | null
        enabled?: boolean
        mirror?: {
          /** 1–63 of `a-z 0-9 -`, starting and ending with a letter or digit. It cannot be changed. */
          storage?: string
          /** When an upload is acknowledged: when one copy is durable, and the other follows, usually within seconds; or when both are. */
          acknowledge?: 'one' | 'both'
          /** What becomes of uploads with `both` while one place is down: they are answered with 503, or acknowledged with one copy and counted in `copies_due`. */
          when_down?: 'refuse' | 'continue'
          /** How many days the second copy of what was removed is kept. */
          keep_removed_days?: number
        } | null
      }
    }
    reply: Storage
  }
  /** POST /storages/{storage}/failover: Make the mirror of a storage the place that is read and written first. Nothing is copied. The place that was first becomes the mirror, and is sent what it misses once it can be reached. Called again, it is the way back. */
  failoverStorage: {
    call: {
      params: {
        /** 1–63 of `a-z 0-9 -`, starting and ending with a letter or digit. It cannot be changed. */
        storage: string
      }
      body?: {
        /** Also while the mirror lacks copies, which then cannot be read until the other place is back. */
        accept_missing?: boolean
      }
    }
    reply: Storage
  }
  /** DELETE /storages/{storage}: Forget a storage on which nothing lies any more. While it has a bucket, or bytes that were deleted lately are still there, this is refused (409). */
  deleteStorage: {
    call: {
      params: {
        /** 1–63 of `a-z 0-9 -`, starting and ending with a letter or digit. It cannot be changed. */
        storage: string
      }
    }
    reply: undefined
  }
  /** POST /storages/{storage}/test: Test a storage. */
  testStorage: {
    call: {
      params: {
        /** 1–63 of `a-z 0-9 -`, starting and ending with a letter or digit. It cannot be changed. */
        storage: string
      }
      body?: {
        /** What for: `owned` for buckets of our own, `read_only` for showing what is there. */
        mode?: 'owned' | 'read_only'
        /** Where in that bucket the bytes lie. A slash is added at its end. */
        prefix?: string
      }
    }
    reply: StorageTest
  }
  /** GET /storages/{storage}/health: Check whether a storage answers. */
  getStorageHealth: {
    call: {
      params: {
        /** 1–63 of `a-z 0-9 -`, starting and ending with a letter or digit. It cannot be changed. */
        storage: string
      }
    }
    reply: StorageHealth
  }
  /** POST /storages/{storage}/events-token: Make the token with which the engine reports changes. It replaces the one before, and is only in this response. */
  createEventsToken: {
    call: {
      params: {
        /** 1–63 of `a-z 0-9 -`, starting and ending with a letter or digit. It cannot be changed. */
        storage: string
      }
    }
    reply: {
      token: string
      /** Where the engine is to send its event notifications. */
      url: string
    }
  }
  /** DELETE /storages/{storage}/events-token: Delete the token, so that no more reports are accepted. */
  deleteEventsToken: {
    call: {
      params: {
        /** 1–63 of `a-z 0-9 -`, starting and ending with a letter or digit. It cannot be changed. */
        storage: string
      }
    }
    reply: undefined
  }
  /** POST /storages/{storage}/events: Report changes of objects, as an S3 engine does. For event notifications of MinIO, Ceph, RustFS and others in the format of AWS. The token is sent as `Authorization: Bearer`, or as the parameter `token` by engines that cannot. Only the keys are noted: Strongroom asks the engine what became of each, so order, repetition and loss do no harm. */
  receiveEvents: {
    call: {
      params: {
        /** 1–63 of `a-z 0-9 -`, starting and ending with a letter or digit. It cannot be changed. */
        storage: string
      }
      query?: {
        token?: string
      }
      body: {
        
      }
    }
    reply: undefined
  }
  /** GET /replications: List the buckets that are replicated, in name order, and how far each is. */
  listReplications: {
    call: object
    reply: {
      items: ({
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
        /** A storage of the kind `s3`, in whose bucket the replica is. */
        storage: string
        /** Under which prefix there. A slash is added at its end. */
        prefix: string
        rules: ReplicationRule[]
        /** What becomes of encrypted objects: they fail (`refuse`); they are sent decrypted (`plain`), or with the demand that the engine encrypts them (`engine`). The last two need an endpoint with TLS. What a client’s own key encrypts always fails. */
        encrypted: 'refuse' | 'plain' | 'engine'
        /** Whether objects are replicated that are there already. */
        existing: boolean
        /** ISO 8601, UTC, milliseconds. */
        configured_at: string
        paused: boolean
        /** Whether all objects are queued that were there before. */
        filled: boolean
        /** Since when the oldest change is waiting; 0 if none is. */
        lag_seconds: number
        /** What is waiting. */
        backlog: {
          objects: number
          bytes: number
        }
        /** Keys and versions that are not tried again by themselves. */
        failed: number
        error: string | null
      })[]
    }
  }
  /** GET /buckets/{bucket}/replication: How a bucket is replicated, and how far that is. Needs `manage`. 404 without a replica. */
  getReplication: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
    }
    reply: Replication
  }
  /** PUT /buckets/{bucket}/replication: Replicate a bucket to a bucket of an S3 engine. Objects are written there under their own keys, with their headers, metadata and tags, and again with every change. The place must answer, and must not be one where this service keeps bytes or shows what is there (409). What others write there is overwritten. Without `rules`, everything is replicated and nothing deleted. */
  setReplication: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body: {
        /** A storage of the kind `s3`, in whose bucket the replica is. */
        storage: string
        /** Under which prefix there. A slash is added at its end. */
        prefix?: string
        rules?: ReplicationRule[]
        /** What becomes of encrypted objects: they fail (`refuse`); they are sent decrypted (`plain`), or with the demand that the engine encrypts them (`engine`). The last two need an endpoint with TLS. What a client’s own key encrypts always fails. */
        encrypted?: 'refuse' | 'plain' | 'engine'
        /** Whether objects are replicated that are there already. */
        existing?: boolean
      }
    }
    reply: Replication
  }
  /** DELETE /buckets/{bucket}/replication: End the replication of a bucket. What is there stays. */
  deleteReplication: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
    }
    reply: undefined
  }
  /** POST /buckets/{bucket}/replication/pause: Pause the replication of a bucket. Changes are queued until it is resumed. */
  pauseReplication: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
    }
    reply: Replication
  }
  /** POST /buckets/{bucket}/replication/resume: Resume the replication of a bucket, and try again what has failed. */
  resumeReplication: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
    }
    reply: Replication
  }
  /** GET /buckets/{bucket}/replication/failures: List what could not be replicated, in key order. Needs `manage`. */
  listReplicationFailures: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<ReplicationFailure>
  }
  /** POST /buckets/{bucket}/replication/verify: Compare the next keys of a bucket with its replica. By the lists of both sides, and by the MD5 of each object; where a list does not have that, its bytes are read on both sides. Call it with `next_cursor` until that is null; `strongroom replication verify` does. Nothing is changed. */
  verifyReplication: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      body?: {
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: ReplicationDifferences
  }
  /** GET /kms-keys: List the keys of key services. */
  listKmsKeys: {
    call: object
    reply: {
      items: KmsKey[]
    }
  }
  /** POST /kms-keys: Register a key of a key service. It is tried first: a key that cannot encrypt and decrypt is refused (409), and nothing is registered. */
  createKmsKey: {
    call: {
      body: {
        /** As S3 clients name it (`x-amz-server-side-encryption-aws-kms-key-id`). It cannot be changed. */
        name: string
        kind: 'aws' | 'transit'
        endpoint?: string | null
        region?: string | null
        /** What the key service calls the key: an id, an ARN or an alias; with `transit`, a name. */
        key_id: string
        mount?: string | null
        access_key_id?: string | null
        secret?: string | null
      }
    }
    reply: KmsKey
  }
  /** PATCH /kms-keys/{key}: Change how a key service is reached, or turn a key off. Unless it is turned off, it is tried first, as when it is registered. */
  updateKmsKey: {
    call: {
      params: {
        /** As S3 clients name it (`x-amz-server-side-encryption-aws-kms-key-id`). It cannot be changed. */
        key: string
      }
      body: {
        endpoint?: string | null
        region?: string | null
        mount?: string | null
        access_key_id?: string | null
        secret?: string | null
        enabled?: boolean
      }
    }
    reply: KmsKey
  }
  /** DELETE /kms-keys/{key}: Forget a key that nothing is encrypted with. */
  deleteKmsKey: {
    call: {
      params: {
        /** As S3 clients name it (`x-amz-server-side-encryption-aws-kms-key-id`). It cannot be changed. */
        key: string
      }
    }
    reply: undefined
  }
  /** POST /buckets/{bucket}/scans: Start a scan of an attached bucket. It compares the objects with what the engine lists. If one is queued or running already, that is returned. Needs `manage`. */
  startScan: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
    }
    reply: Scan
  }
  /** GET /buckets/{bucket}/scans: List the scans of an attached bucket, latest first. Needs `manage`. They are kept for 90 days. */
  listScans: {
    call: {
      params: {
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket: string
      }
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<Scan>
  }
  /** GET /scans/{scan}: Get a scan. Needs `manage` on its bucket. */
  getScan: {
    call: {
      params: {
        /** A UUIDv7. */
        scan: string
      }
    }
    reply: Scan
  }
  /** GET /scans/{scan}/absences: List the objects that a held scan would mark as missing, in key order. Those that have come back since are left out. Needs `manage` on its bucket. */
  listAbsences: {
    call: {
      params: {
        /** A UUIDv7. */
        scan: string
      }
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: Page<Absence>
  }
  /** POST /scans/{scan}/confirm: Confirm a held scan. Its absent objects are marked as missing after all, each after a last look at the engine. Only the latest scan of a bucket can be confirmed, and none while another runs (409). */
  confirmScan: {
    call: {
      params: {
        /** A UUIDv7. */
        scan: string
      }
    }
    reply: Scan
  }
  /** POST /webhooks: Register a webhook endpoint. The response contains the secret that signs its deliveries; it is never returned again. */
  createWebhook: {
    call: {
      body: {
        name: string
        /** Receives the POSTs: http or https, without credentials or fragment, at an allowed address. */
        url: string
        /** Event names, or `*` for all. */
        events: string[]
        /** Only events of this bucket; for moves, the source or the destination. */
        bucket?: string | null
        /** Only events of keys with this prefix; requires `bucket`. */
        prefix?: string | null
        /** `s3`: the bodies of S3’s event notifications, and only events that S3 has, about objects. `ping` is then `s3:TestEvent`. */
        format?: 'strongroom' | 's3'
        /** Maximum deliveries in flight, across all replicas. */
        max_in_flight?: number
        enabled?: boolean
      }
    }
    reply: NewWebhook
  }
  /** GET /webhooks: List endpoints, latest first. */
  listWebhooks: {
    call: {
      query?: {
        /** Maximum items per page. */
        limit?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: {
      items: ListedWebhook[]
      next_cursor: string | null
      /** False if webhooks are disabled (`WEBHOOKS_ENABLED`). */
      sending: boolean
    }
  }
  /** GET /webhooks/events: List all events, with the JSON Schema of their bodies. */
  listEvents: {
    call: object
    reply: {
      items: ({
        name: 'upload' | 'copy' | 'move' | 'update_object' | 'delete' | 'version_delete' | 'lock_update' | 'legal_hold_update' | 'restore' | 'create_bucket' | 'update_bucket' | 'snapshot_create' | 'snapshot_delete' | 'delete_bucket' | 'quota_warning' | 'user_create' | 'user_update' | 'user_delete' | 'user_import' | 'group_create' | 'group_update' | 'group_delete' | 'identity_policy_create' | 'identity_policy_update' | 'identity_policy_delete' | 'identity_policy_attach' | 'identity_policy_detach' | 'token_create' | 'token_revoke' | 'token_rotate' | 'access_key_create' | 'access_key_update' | 'access_key_revoke' | 'access_key_rotate' | 'agent_create' | 'agent_update' | 'agent_revoke' | 'agent_connect' | 'approval_request' | 'approval_approve' | 'approval_reject' | 'share_create' | 'share_update' | 'share_revoke' | 'policy_create' | 'policy_update' | 'policy_delete' | 'policy_run' | 'inventory_create' | 'inventory_update' | 'inventory_delete' | 'inventory_run' | 'settings_update' | 'storage_create' | 'storage_update' | 'storage_delete' | 'storage_failover' | 'release_bucket' | 'scan' | 'scan_confirm' | 'external_change' | 'take_over' | 'external_finding' | 'clock_confirm' | 'webhook_create' | 'webhook_update' | 'webhook_delete' | 'webhook_disabled' | 'webhook_rotate' | 'webhook_promote' | 'ping'
        summary: string
        schema: Record<string, unknown>
      })[]
    }
  }
  /** GET /webhooks/{id}: Get an endpoint. */
  getWebhook: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Webhook
  }
  /** PATCH /webhooks/{id}: Change, pause or resume an endpoint. While `enabled` is false, no new events are queued for it and queued deliveries wait, for at most seven days. Enabling it resets its failures. */
  updateWebhook: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        name?: string
        /** Receives the POSTs: http or https, without credentials or fragment, at an allowed address. */
        url?: string
        /** Event names, or `*` for all. */
        events?: string[]
        /** Only events of this bucket; for moves, the source or the destination. */
        bucket?: string | null
        /** Only events of keys with this prefix; requires `bucket`. */
        prefix?: string | null
        /** `s3`: the bodies of S3’s event notifications, and only events that S3 has, about objects. `ping` is then `s3:TestEvent`. */
        format?: 'strongroom' | 's3'
        /** Maximum deliveries in flight, across all replicas. */
        max_in_flight?: number
        enabled?: boolean
      }
    }
    reply: Webhook
  }
  /** DELETE /webhooks/{id}: Delete an endpoint, its queue and its log. */
  deleteWebhook: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: undefined
  }
  /** POST /webhooks/{id}/rotate-secret: Rotate an endpoint’s secret. During the grace period `X-Strongroom-Signature` is still signed with the old secret, `X-Strongroom-Signature-Next` with the new one and `webhook-signature` with both. */
  rotateWebhookSecret: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body?: {
        /** 0: the new secret signs at once. */
        grace_seconds?: number
      }
    }
    reply: NewWebhook
  }
  /** POST /webhooks/{id}/promote: End the grace period: sign with the new secret from now on. */
  promoteWebhookSecret: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Webhook
  }
  /** POST /webhooks/{id}/test: Send a `ping` to an endpoint, even a disabled one. */
  testWebhook: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: Delivery
  }
  /** POST /webhooks/{id}/recover: Requeue all failed deliveries of a period, each with a full schedule of attempts. */
  recoverWebhook: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      body: {
        /** ISO 8601, UTC, milliseconds. */
        since: string
        /** ISO 8601, UTC, milliseconds. */
        until?: string
      }
    }
    reply: {
      /** At most 10,000; repeat the request for the next ones. */
      requeued: number
    }
  }
  /** GET /webhooks/{id}/deliveries: List an endpoint’s deliveries, latest first. */
  listDeliveries: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
      query?: {
        status?: 'queued' | 'acknowledged' | 'failed'
        event?: string
        page?: number
        page_size?: number
      }
    }
    reply: {
      items: Delivery[]
      total: number
      page: number
      page_size: number
      /** Counting stops at 10,000 matches. */
      total_is_estimate: boolean
    }
  }
  /** GET /webhooks/{id}/deliveries/{delivery_id}: Get a delivery with its body and all attempts. */
  getDelivery: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
        /** A UUIDv7. */
        delivery_id: string
      }
    }
    reply: {
      /** A UUIDv7. */
      id: string
      event: string
      /** Where the event happened; null if it concerns no bucket, or once its audit record has been removed. */
      bucket: string | null
      /** The object that the event concerns; null likewise. */
      object_key: string | null
      status: 'queued' | 'acknowledged' | 'failed'
      attempts: number
      last_status_code: number | null
      last_error: string | null
      /** ISO 8601, UTC, milliseconds. */
      created_at: string
      next_attempt_at: string | null
      acknowledged_at: string | null
      /** The exact body signed and sent at every attempt. */
      body: string
      attempt_log: Attempt[]
    }
  }
  /** POST /webhooks/{id}/deliveries/{delivery_id}/resend: Resend a delivery, with the same id and body. One attempt of a finished delivery, outside its schedule. A queued one is sent now; if it is its first attempt, new deliveries wait no longer. Not possible while it is in flight. */
  resendDelivery: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
        /** A UUIDv7. */
        delivery_id: string
      }
    }
    reply: Delivery
  }
  /** GET /audit: Search the audit log, latest first. Page numbers get more expensive the deeper they are; `cursor` continues from the previous page at constant cost. */
  listAudit: {
    call: {
      query?: {
        /** Repeat to filter by several actions. */
        action?: string[]
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket?: string
        object_key_prefix?: string
        /** A UUIDv7. */
        user_id?: string
        email?: string
        result?: 'success' | 'denied' | 'failure'
        auth_method?: 'local' | 'idp' | 'pat' | 'access_key' | 'agent' | 'sts' | 'presigned' | 'share_link' | 'setup' | 'system' | 'cli'
        /** A UUIDv7. */
        token_id?: string
        /** The policy, user, webhook and so on that it is about. */
        resource_id?: string
        ip?: string
        request_id?: string
        /** ISO 8601, UTC, milliseconds. */
        from?: string
        /** ISO 8601, UTC, milliseconds. */
        to?: string
        page?: number
        page_size?: number
        /** Opaque; the previous page’s `next_cursor`. */
        cursor?: string
      }
    }
    reply: {
      items: AuditRecord[]
      total: number
      page: number
      page_size: number
      /** Counting stops at 10,000 matches. */
      total_is_estimate: boolean
      next_cursor: string | null
    }
  }
  /** GET /audit/{id}: Get an audit record. */
  getAuditRecord: {
    call: {
      params: {
        /** A UUIDv7. */
        id: string
      }
    }
    reply: AuditRecord
  }
  /** GET /audit/export: Export matching records, latest first. Streamed, without a limit: `ndjson` has one JSON record per line, `csv` a header and the details as JSON in the last column; cells that a spreadsheet would read as a formula start with an apostrophe. The export itself is recorded as `audit_export`. */
  exportAudit: {
    call: {
      query?: {
        /** Repeat to filter by several actions. */
        action?: string[]
        /** 3–63 of `a-z 0-9 . -`, starting and ending with a letter or digit, no `..`, not an IP address. */
        bucket?: string
        object_key_prefix?: string
        /** A UUIDv7. */
        user_id?: string
        email?: string
        result?: 'success' | 'denied' | 'failure'
        auth_method?: 'local' | 'idp' | 'pat' | 'access_key' | 'agent' | 'sts' | 'presigned' | 'share_link' | 'setup' | 'system' | 'cli'
        /** A UUIDv7. */
        token_id?: string
        /** The policy, user, webhook and so on that it is about. */
        resource_id?: string
        ip?: string
        request_id?: string
        /** ISO 8601, UTC, milliseconds. */
        from?: string
        /** ISO 8601, UTC, milliseconds. */
        to?: string
        format?: 'ndjson' | 'csv'
      }
    }
    reply: Response
  }
  /** GET /audit/verify: Verify the integrity of the audit log. Recomputes every hash for at most `seconds`, a few hundred records at a time so that other requests are not blocked. If the time was too short, `next_seq` says where to continue. */
  verifyAudit: {
    call: {
      query?: {
        /** The first link to check. Default: the oldest one. */
        from?: number
        seconds?: number
      }
    }
    reply: AuditVerification
  }
  /** GET /attention: Get what you should look at. What the console’s start page shows in one request. Everything in it is also in the list of its kind, and nothing is in it that you could not see there: credentials are your own, scans those of attached buckets that you manage, and the rest is for administrators. Quotas and findings are in the list of buckets. */
  getAttention: {
    call: object
    reply: Attention
  }
  /** GET /system/clock: Get the clock, and why it is in doubt. Locks end by the clock. If it is more than ten minutes from the newest time on record, because it was changed or the service was off, what was locked counts as locked until an administrator confirms it, unless its lock had ended before. */
  getClock: {
    call: object
    reply: {
      /** ISO 8601, UTC, milliseconds. */
      now: string
      doubt: string | null
    }
  }
  /** POST /system/clock/confirm: Confirm that the clock is right. */
  confirmClock: {
    call: object
    reply: {
      /** ISO 8601, UTC, milliseconds. */
      now: string
      doubt: string | null
    }
  }
  /** GET /system/disks: List the disks of the service’s own files, and how full they are. None with PostgreSQL and a default storage on an S3 engine. As of the process that answers, measured a few seconds ago at most. */
  listDisks: {
    call: object
    reply: {
      items: Disk[]
    }
  }
  /** GET /system/backup: Get how the copy of the database at the backup place is getting on. Of a SQLite database, with `BACKUP_URL`, or of a standby. As of a second ago at most while the service works. */
  getBackup: {
    call: object
    reply: Backup
  }
  /** GET /healthz: Liveness: the process is running. */
  healthz: {
    call: object
    reply: {
      status: 'ok'
    }
  }
  /** GET /readyz: Readiness: the database and the storage respond. */
  readyz: {
    call: object
    reply: {
      status: 'ready' | 'not_ready'
      database: {
        ok: boolean
        error?: string
      }
      storage: {
        ok: boolean
        error?: string
      }
      /** Of a standby: whether it is at most `STANDBY_MAX_LAG_SECONDS` behind. */
      standby?: {
        ok: boolean
        lag_seconds: number | null
      }
    }
  }
  /** GET /metrics: Prometheus metrics. In the Prometheus text format. Available with `METRICS_TOKEN`, to administrators, and from this machine as long as the service is not configured as public. */
  metrics: {
    call: object
    reply: Response
  }
}
