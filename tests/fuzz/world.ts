import { type Client, createClient, ProblemError } from '../../client/derived.ts'
import { appCode } from '../support/second-factor.ts'
import { ADMIN } from '../support/server.ts'
import type { ActorName } from './requests.ts'
import type { Existing } from './values.ts'

const MOST = 60
const PERSON = { email: 'person@example.com', password: 'a password of a person' }

/** What exists in the service under test, by kind, and who may ask for it. */
export class World {
  readonly #url: string
  readonly #rescue: (password: string) => string
  #admin = ADMIN
  readonly #known = new Map<string, string[]>()
  readonly #credentials = new Map<ActorName, string>()
  readonly #reviving = new Map<ActorName, Promise<string | undefined>>()
  /** Of those who had to set up a second factor, by email. */
  readonly #recoveryCodes = new Map<string, string[]>()
  #person = PERSON
  #logins = 0
  #rounds = 0
  #settings: Record<string, unknown> | undefined

  constructor(url: string, rescue: (password: string) => string) {
    this.#url = url
    this.#rescue = rescue
    for (const [kind, values] of Object.entries({
      prefix: ['', 'docs/', 'docs/a', 'none/'],
      cron: ['0 3 * * *', '*/5 * * * *', '@daily'],
      timezone: ['UTC', 'Europe/Berlin'],
      email: [PERSON.email],
      password: [PERSON.password, 'let me in'],
      outside: ['https://hook.invalid/x', 'https://hook.invalid/'],
      event: ['*', 'upload', 'delete'],
      etag: ['x'],
    }))
      this.#known.set(kind, values)
  }

  readonly resolve = ({ kind, n }: Existing): string => {
    const known = this.#known.get(kind) ?? []
    return known[n % known.length] ?? '01932b5e-7f3a-7c1e-9d55-0a4c2b7e9f10'
  }
  credential(actor: ActorName): string | undefined {
    return this.#credentials.get(actor)
  }

  /** Remembers what an answer tells of. */
  learn(area: string, body: Buffer): void {
    if (body.length === 0 || body.length > 200_000 || !/^[{[]/.test(body.toString('latin1', 0, 1))) return
    try {
      this.#walk(area, JSON.parse(body.toString()), 0)
    } catch {
      // Not JSON after all: an object's bytes may start like it.
    }
  }

  #walk(area: string, value: unknown, depth: number): void {
    if (typeof value !== 'object' || value === null || depth > 4) return
    for (const [name, one] of Object.entries(value)) {
      if (typeof one === 'string') {
        const kind = name === 'id' ? area : name === 'next_cursor' ? 'cursor' : name === 'upload_id' ? 'upload' : name
        if (['id', 'next_cursor', 'upload_id', 'etag', 'ticket', 'refresh_token', 'challenge'].includes(name))
          this.#add(kind === 'refresh_token' ? 'refresh' : kind, one)
        const token = /\/api\/v1\/(?:signed|parts)\/([^/?]+)/.exec(one)?.[1]
        if (token) this.#add('signed token', token)
        if (area === 'shares' && name === 'token') this.#add('share token', one)
      } else this.#walk(area, one, depth + 1)
    }
  }

  #add(kind: string, value: string): void {
    const known = this.#known.get(kind) ?? []
    if (known.includes(value)) return
    if (known.length >= MOST) known.shift()
    known.push(value)
    this.#known.set(kind, known)
  }

  /** Logs everyone in and makes new things of every kind; also mends what the round before broke. */
  async renew(): Promise<{ admin: Client; bucket: string }> {
    const round = ++this.#rounds
    const adminToken = await this.#loginAdmin()
    const admin = createClient({ baseUrl: this.#url, token: adminToken })
    await this.#resetSettings(admin)
    this.#credentials.set('admin', adminToken)
    // A user can have 50; those of earlier rounds are no longer needed.
    const { items: tokens } = await admin.listTokens({ query: { limit: 100 } })
    for (const { id, revoked_at } of tokens) if (revoked_at === null) await admin.revokeToken({ params: { id } })
    this.#credentials.set('admin by token', (await admin.createToken({ body: { name: 'fuzz' } })).token)

    const bucket = `fuzz-${round}`
    await admin.createBucket({ body: { name: bucket } })
    const others = this.#known.get('bucket') ?? []
    this.#known.set('bucket', [bucket, bucket, bucket, ...others.slice(-3)])
    const grants = [
      { bucket_pattern: 'fuzz-*', prefix: 'docs/', actions: ['list', 'read', 'write', 'delete', 'share'] as const },
    ]
    const group = await admin.createGroup({ body: { name: `fuzz ${round}`, grants: grants as never } })
    const email = `${round}.${PERSON.email}`
    const user = await admin.createUser({
      body: { email, display_name: 'Person', password: PERSON.password, group_ids: [group.id] },
    })
    this.#add('groups', group.id)
    this.#add('users', user.id)
    this.#add('email', email)
    this.#person = { email, password: PERSON.password }
    const personToken = await this.#login(this.#person)
    const person = createClient({ baseUrl: this.#url, token: personToken })
    this.#credentials.set('person', personToken)
    this.#credentials.set('person by token', (await person.createToken({ body: { name: 'fuzz' } })).token)
    await this.#fill(admin, person, bucket, round)
    return { admin, bucket }
  }

  /** Another administrator takes over when the last one has been removed. */
  async #loginAdmin(): Promise<string> {
    try {
      const token = await this.#login(this.#admin)
      const { is_admin } = await createClient({ baseUrl: this.#url, token }).me()
      if (is_admin) return token
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
    }
    this.#admin = { ...ADMIN, email: this.#rescue(ADMIN.password) }
    return this.#login(this.#admin)
  }

  async #login({ email, password }: typeof ADMIN): Promise<string> {
    // From an address of its own: where the fuzzer comes from, too many logins have failed.
    const headers = { 'x-forwarded-for': `2001:db8:0:${(++this.#logins % 65_536).toString(16)}::1` }
    const client = createClient({ baseUrl: this.#url })
    try {
      return (await client.login({ headers, body: { username: email, password } })).access_token
    } catch (error) {
      const { challenge } = error instanceof ProblemError ? (error.problem as { challenge?: string }) : {}
      if (challenge === undefined || !(error instanceof ProblemError)) throw error
      // A request has turned the setting on.
      return error.problem.code === 'second_factor_required'
        ? this.#answer(client, email, challenge)
        : this.#enroll(client, email, challenge)
    }
  }

  async #enroll(client: Client, email: string, challenge: string): Promise<string> {
    const { totp } = await client.beginLoginEnrollment({ body: { challenge, kind: 'totp' } })
    const otp = appCode(totp?.secret ?? '', new Date())
    const { access_token, recovery_codes } = await client.finishLoginEnrollment({ body: { challenge, otp } })
    this.#recoveryCodes.set(email, recovery_codes)
    return access_token
  }

  async #answer(client: Client, email: string, challenge: string): Promise<string> {
    const codes = this.#recoveryCodes.get(email) ?? []
    const { access_token } = await client.verifyLogin({ body: { challenge, recovery_code: codes.pop() ?? 'none' } })
    const last = codes.length === 1 ? codes.pop() : undefined
    if (last !== undefined) {
      const proven = createClient({ baseUrl: this.#url, token: access_token })
      const { recovery_codes } = await proven.createRecoveryCodes({ body: { proof: { recovery_code: last } } })
      this.#recoveryCodes.set(email, recovery_codes)
    }
    return access_token
  }

  /** Gives someone whose session was ended a new one; does nothing where that is not possible any more. */
  async revive(actor: ActorName): Promise<void> {
    if (actor !== 'admin' && actor !== 'person') return
    if (!this.#reviving.has(actor)) {
      const token = this.#login(actor === 'admin' ? this.#admin : this.#person).catch(() => undefined)
      this.#reviving.set(actor, token)
      const found = await token
      if (found !== undefined) this.#credentials.set(actor, found)
      this.#reviving.delete(actor)
    } else await this.#reviving.get(actor)
  }

  /** Settings as the first round found them. */
  async #resetSettings(admin: Client): Promise<void> {
    const { fixed: _fixed, redirect_uri: _redirect, logo_url: _logo, ...sections } = await admin.getSettings()
    this.#settings ??= Object.fromEntries(
      Object.entries(sections).map(([section, fields]) => [
        section,
        Object.fromEntries(Object.entries(fields).filter(([name]) => !name.endsWith('_set'))),
      ]),
    )
    await admin.updateSettings({ body: this.#settings })
  }

  async #fill(admin: Client, person: Client, bucket: string, round: number): Promise<void> {
    const params = { bucket }
    const keys = [
      'docs/a.txt',
      'docs/a b/ä漢😀.txt',
      'docs/..',
      'docs//x',
      `docs/${'k'.repeat(1019)}`,
      'top',
      'docs/p.png',
    ]
    this.#known.set('key', keys)
    for (const key of keys)
      await admin.putObjectByQuery({ params, query: { key }, body: key.endsWith('.png') ? PIXEL : `of ${key}` })
    for (const one of [1, 2]) {
      await admin.putObject({ params: { ...params, key: 'docs/gone' }, body: `gone ${one}` })
      await admin.deleteObject({ params: { ...params, key: 'docs/gone' } })
    }
    const trash = await admin.listTrash({ params })
    for (const { id } of trash.items) this.#add('trash', id)
    for (const client of [admin, person]) {
      for (const body of [
        { kind: 'object', bucket, key: 'docs/a.txt' },
        { kind: 'object', bucket, key: 'docs/p.png', password: 'let me in' },
        { kind: 'folder', bucket, prefix: 'docs/' },
        { kind: 'upload', bucket, prefix: 'docs/in/' },
      ] as const) {
        const share = await client.createShare({ body })
        this.#add('shares', share.id)
        this.#add('share token', share.token)
      }
      const upload = await client.initUpload({ params, body: { key: 'docs/big', file_size: 11 } })
      this.#add('upload', upload.upload_id)
      for (const body of [{ key: 'docs/a.txt' }, { key: 'docs/put', method: 'PUT' as const }])
        this.learn('objects', Buffer.from(JSON.stringify(await client.presignObject({ params, body }))))
      this.learn('uploads', Buffer.from(JSON.stringify(upload)))
      this.learn('tokens', Buffer.from(JSON.stringify(await client.listTokens())))
      this.learn('auth', Buffer.from(JSON.stringify(await client.listSessions())))
      this.learn('auth', Buffer.from(JSON.stringify(await client.beginSecondFactor({ body: { kind: 'totp' } }))))
      const job = await client.createJob({ body: { kind: 'delete', source_bucket: bucket, prefix: 'docs/none/' } })
      this.#add('jobs', job.id)
    }
    const policy = await admin.createPolicy({
      body: { name: `fuzz ${round}`, bucket_patterns: [bucket], prefix: 'docs/none/', older_than_days: 1 },
    })
    this.#add('policies', policy.id)
    const run = await admin.runPolicy({ params: { id: policy.id }, query: { dry_run: true } })
    this.#add('run', run.id)
    const hook = { name: `fuzz ${round}`, url: 'https://hook.invalid/', events: ['ping' as const] }
    const webhook = await admin.createWebhook({ body: hook }).catch((error: unknown) => {
      // The most there may be.
      if (error instanceof ProblemError && error.problem.code === 'limit_reached') return undefined
      throw error
    })
    if (!webhook) return
    this.#add('webhooks', webhook.id)
    this.#add('delivery', (await admin.testWebhook({ params: { id: webhook.id } })).id)
  }
}

/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
