import { PUBLIC_GROUP } from '../../contract/public-access.ts'
import { landscape } from './demo-pictures.ts'
import { answer, type Receiver } from './receiver.ts'
import type { TestServer } from './server.ts'
import { until } from './until.ts'

const HOUR = 3600_000
const DAY = 24 * HOUR

/** Ids and names that the addresses of a demo's screens contain. */
export interface Demo {
  /** A user who can only view, and a user in no group. */
  reader: { email: string; password: string }
  stranger: { email: string; password: string }
  ids: Record<
    | 'user'
    | 'group'
    | 'policy'
    | 'run'
    | 'webhook'
    | 'delivery'
    | 'failed'
    | 'job'
    | 'partly'
    | 'identityPolicy'
    | 'agent'
    | 'request',
    string
  >
  /** A moment before its last changes. */
  earlier: string
  /** The secrets of share links. */
  links: Record<'file' | 'folder' | 'inbox' | 'locked' | 'gone', string>
}

const people = [
  ['ada.moreau@example.com', 'Ada Moreau'],
  ['ben.okafor@example.com', 'Ben Okafor'],
  ['chiara.rossi@example.com', 'Chiara Rossi'],
  ['dmitri.volkov@example.com', 'Dmitri Volkov'],
  ['elif.kaya@example.com', 'Elif Kaya'],
  ['farid.haddad@example.com', 'Farid Haddad'],
  ['greta.lind@example.com', 'Greta Lind'],
  ['hiro.tanaka@example.com', 'Hiro Tanaka'],
] as const

/**
 * Fills a server with what a small publisher might keep: four weeks in which users joined, uploaded pictures and papers,
 * shared, cleaned up, and webhooks reported it. The server's clock stands at the end of them.
 */
export async function seedDemo(server: TestServer, receiver: Receiver): Promise<Demo> {
  const { admin } = server
  const secret = (text: string) => {
    server.secrets.add(text)
    return text
  }
  let by = admin
  const put = (name: string, key: string, body: string | Buffer, type = 'text/plain') =>
    by.putObjectByQuery({
      params: { bucket: name },
      query: { key },
      body: body as BodyInit,
      headers: { 'content-type': type },
    })
  const text = (bytes: number) => 'Everything in its place, and a place for everything.\n'.repeat(bytes / 53)

  // Buckets, and the groups with access to them.
  for (const [name, quota_gb] of [
    ['photos', 50],
    ['press-kit', 10],
    ['invoices', 1],
    ['backups', null],
    ['site-assets', 20],
    ['logs', 5],
  ] as const)
    await admin.createBucket({ body: { name, quota_gb } })
  const group = (name: string, description: string, bucket_pattern: string, preset: 'viewer' | 'editor' | 'owner') =>
    admin.createGroup({ body: { name, description, grants: [{ bucket_pattern, preset }] } })
  const editors = await admin.createGroup({
    body: {
      name: 'Photo editors',
      description: 'Sort, retouch and publish pictures',
      grants: [
        { bucket_pattern: 'photos', preset: 'publisher' },
        { bucket_pattern: 'press-*', prefix: '2026/', actions: ['list', 'read', 'write'] },
        { bucket_pattern: 'site-assets', preset: 'viewer' },
      ],
    },
  })
  const office = await group('Office', 'Invoices and contracts', 'invoices', 'editor')
  await admin.updateSettings({ body: { s3: { public_access: true } } })
  await admin.updateGroup({
    params: { id: PUBLIC_GROUP },
    body: { grants: [{ bucket_pattern: 'site-assets', preset: 'viewer' }] },
  })
  const press = await group('Press', 'Journalists we work with', 'press-kit', 'viewer')
  const builds = await group('Operations', 'Backups and logs', 'backups', 'owner')

  const password = secret('a password of the demo')
  const users: string[] = []
  for (const [i, [email, display_name]] of people.entries()) {
    const group_ids = [[editors.id], [editors.id, press.id], [office.id], [builds.id, office.id]][i % 4] ?? []
    users.push((await admin.createUser({ body: { email, display_name, password, group_ids } })).id)
  }
  const reader = { email: 'iris.novak@example.com', password }
  const stranger = { email: 'jonas.berg@example.com', password }
  await admin.createUser({ body: { ...reader, display_name: 'Iris Novak', group_ids: [press.id] } })
  await admin.createUser({ body: { ...stranger, display_name: 'Jonas Berg' } })

  const identityPolicy = await addMachines(admin)

  // Webhooks.
  const hook = async (name: string, events: string[], limits: object = {}) => {
    const made = await admin.createWebhook({ body: { name, url: receiver.url, events, ...limits } })
    secret(made.secret)
    return made.id
  }
  const thumbnails = await hook('Thumbnails', ['upload', 'delete', 'move'], { bucket: 'photos' })
  const mirror = await hook('Search index', ['upload', 'copy', 'move', 'delete', 'restore'], { bucket: 'press-kit' })
  const chat = await hook('Chat', ['create_bucket', 'share_create', 'policy_run'])
  await admin.updateWebhook({ params: { id: chat }, body: { enabled: false } })
  const deliver = (n: number) =>
    until(async () => {
      await server.running.tick()
      return receiver.received.length >= n
    })

  // Four weeks of work.
  await put('photos', 'README.md', '# Photos\n\nOne folder a shoot, `year/place`.\n\n- originals stay\n- no spaces\n')
  for (let i = 0; i < 14; i++) await put('logs', `2025/12/access-${String(i + 10)}.log`, text(4000 + 300 * i))
  for (let i = 1; i <= 6; i++) await put('invoices', `2025/R-20250${i}.pdf`, text(20_000 * i), 'application/pdf')
  await server.later(6 * DAY)
  for (let i = 1; i <= 8; i++) await put('logs', `2026/01/access-0${i}.log`, text(4000 + 300 * i))
  const ben = async () => server.as(await server.login('ben.okafor@example.com', password))
  by = await ben()
  const names = ['harbour', 'dunes', 'lighthouse', 'fog', 'ferry', 'market', 'bridge', 'evening']
  for (const [i, name] of names.entries())
    await put('photos', `2026/lisbon/${name}.jpg`, await landscape(i), 'image/jpeg')
  await put('photos', '2026/lisbon/notes.txt', 'Day 2: light from the left, tram 28 at noon.\n')
  await put('photos', '2026/lisbon/shots.csv', 'name,iso,exposure\nharbour,100,1/250\nfog,400,1/60\n', 'text/csv')
  await deliver(10)
  await server.later(8 * DAY)
  await admin.updateBucket({ params: { bucket: 'photos' }, body: { encryption: { algorithm: 'AES256' } } })
  by = await ben()
  for (let i = 0; i < 5; i++)
    await put('photos', `2026/oslo/fjord-${i + 1}.jpg`, await landscape(i + 20, 900, 600), 'image/jpeg')
  await put('press-kit', '2026/logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml')
  await put('press-kit', '2026/portrait.jpg', await landscape(31, 800, 1000), 'image/jpeg')
  await put('press-kit', '2026/release-january.txt', text(9000))
  // Cleanup policies.
  const old = await admin.createPolicy({
    body: {
      name: 'Old logs',
      bucket_patterns: ['logs'],
      glob: '**/*.log',
      older_than_days: 14,
      cron: '0 3 1 * *',
      timezone: 'Europe/Berlin',
      max_deletes: 1000,
    },
  })
  await admin.createPolicy({
    body: { name: 'Last seven backups', bucket_patterns: ['backups'], prefix: 'db/', keep_newest: 7, enabled: false },
  })
  const run = async (id: string, dry_run: boolean) => {
    const started = await admin.runPolicy({ params: { id }, body: { dry_run } })
    await until(async () => {
      const { status } = await admin.getPolicyRun({ params: { id, run_id: started.id } })
      return status !== 'queued' && status !== 'running'
    })
    return started.id
  }
  await run(old.id, true)
  const ran = await run(old.id, false)
  by = admin
  for (let i = 1; i <= 9; i++) await put('backups', `db/2026-01-0${i}.tar.zst`, text(300_000), 'application/zstd')
  await put('site-assets', 'css/site.css', text(12_000), 'text/css')
  await put('site-assets', 'js/site.js', text(40_000), 'text/javascript')
  await deliver(18)
  receiver.reply = answer(503, { 'content-type': 'text/plain' }, 'The index is being rebuilt\n')
  await put('press-kit', '2026/release-february.txt', text(8000))
  let sent = receiver.received.length
  for (let attempt = 0; attempt < 4; attempt++) {
    await deliver(++sent)
    await server.later(45 * 60_000)
  }
  receiver.reply = answer(204)

  // Links, tokens, trash.
  const link = async (body: Parameters<typeof admin.createShare>[0]['body']) => {
    const made = await admin.createShare({ body })
    secret(made.token)
    return made
  }
  const file = await link({ kind: 'object', bucket: 'photos', key: '2026/lisbon/harbour.jpg', expires_in: '30d' })
  const folder = await link({ kind: 'folder', bucket: 'photos', prefix: '2026/lisbon/', expires_in: '30d' })
  const inbox = await link({
    kind: 'upload',
    bucket: 'press-kit',
    prefix: 'inbox/',
    expires_in: '30d',
    max_files: 50,
    max_file_bytes: 50_000_000,
    content_types: ['image/*'],
  })
  const locked = await link({
    kind: 'object',
    bucket: 'invoices',
    key: '2025/R-202501.pdf',
    expires_in: '30d',
    password: secret('spoken by telephone'),
  })
  const gone = await link({ kind: 'object', bucket: 'photos', key: 'README.md' })
  await admin.revokeShare({ params: { id: gone.id } })
  await link({ kind: 'object', bucket: 'photos', key: '2026/lisbon/fog.jpg', expires_in: '1h' })
  for (const token of [file.token, folder.token, file.token]) await fetch(`${server.url}/public/s/${token}`)
  for (const [name, expires_in] of [
    ['Nightly backup', 365 * 86_400],
    ['Site deployment', 30 * 86_400],
    ['Laptop', 15 * 86_400],
  ] as const)
    secret((await admin.createToken({ body: { name, expires_in } })).token)
  await server.later(9 * DAY + 5 * HOUR)
  await admin.bulkDelete({
    params: { bucket: 'photos' },
    body: { keys: ['2026/oslo/fjord-4.jpg', '2026/oslo/fjord-5.jpg'] },
  })
  await put('photos', '2026/lisbon/notes.txt', 'Day 2: light from the left, tram 28 at noon. Day 3: rain.\n')

  // Manual cleanup.
  const job = async (body: Parameters<typeof admin.createJob>[0]['body']) => {
    const { id } = await admin.createJob({ body })
    await until(async () => !['queued', 'running'].includes((await admin.getJob({ params: { id } })).status))
    return id
  }
  const copied = await job({
    kind: 'copy',
    source_bucket: 'photos',
    prefix: '2026/lisbon/',
    dest_bucket: 'press-kit',
    dest_prefix: '2026/lisbon/',
  })
  const taken = ['bridge', 'dunes', 'evening', 'ferry', 'fog', 'harbour'].map((name) => `2026/lisbon/${name}.jpg`)
  await admin.bulkDelete({ params: { bucket: 'press-kit' }, body: { keys: taken } })
  const partly = await job({
    kind: 'copy',
    source_bucket: 'photos',
    prefix: '2026/lisbon/',
    if_none_match: '*',
    dest_bucket: 'press-kit',
    dest_prefix: '2026/lisbon/',
  })
  await admin.initUpload({
    params: { bucket: 'backups' },
    body: { key: 'vm/mail-server.img', file_size: 40_000_000_000 },
  })
  await until(async () => {
    await server.running.tick()
    return (await admin.listDeliveries({ params: { id: mirror } })).items.every(({ status }) => status !== 'queued')
  })
  await server.later(2 * HOUR)
  await server.running.tick()
  await server.later(20 * 60_000)

  const { items } = await admin.listDeliveries({ params: { id: mirror } })
  const delivery = items.find(({ status }) => status === 'acknowledged')?.id ?? ''
  const failed = items.find(({ status }) => status === 'failed')?.id ?? ''
  const agent = await addAgent(server, taken.slice(0, 3))
  const request = await askForAccess(server)
  await addHistory(server)
  // The demo's webhook receiver is on this machine; real ones are not.
  const addresses = {
    [thumbnails]: 'https://thumbs.example.com/strongroom',
    [mirror]: 'https://search.example.com/hooks/files',
  }
  for (const [id, url] of Object.entries({ ...addresses, [chat]: 'https://chat.example.com/in/storage' }))
    await server.database.transaction((tx) => tx.updateTable('webhooks').set({ url }).where('id', '=', id).execute())
  return {
    reader,
    stranger,
    earlier: new Date(server.clock.now().getTime() - 4 * DAY).toISOString(),
    ids: {
      user: users[1] ?? '',
      group: editors.id,
      policy: old.id,
      run: ran,
      webhook: mirror,
      delivery,
      failed,
      job: copied,
      partly,
      identityPolicy,
      agent,
      request,
    },
    links: {
      file: file.token,
      folder: folder.token,
      inbox: inbox.token,
      locked: locked.token,
      gone: gone.token,
    },
  }
}

/** A role that deploys the site with the token of its job; returns the id of the policy that it has. */
async function addMachines(admin: TestServer['admin']): Promise<string> {
  const key = 'token.actions.githubusercontent.com'
  await admin.createOidcProvider({ body: { issuer: `https://${key}`, audiences: ['sts.amazonaws.com'] } })
  const document = (statement: object) =>
    JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...statement }] }, null, 2)
  const trust = document({
    Principal: { Federated: `arn:aws:iam:::oidc-provider/${key}` },
    Action: 'sts:AssumeRoleWithWebIdentity',
    Condition: { StringLike: { [`${key}:sub`]: 'repo:acme/site:*' } },
  })
  await admin.createRole({ body: { name: 'Deploy', description: 'Publishes the site', trust, tags: { team: 'web' } } })
  const of = (...Action: string[]) =>
    document({ Action, Resource: ['arn:aws:s3:::site-assets', 'arn:aws:s3:::site-assets/*'] })
  const body = { name: 'SiteAssets', description: 'What the site is made of', document: of('s3:GetObject') }
  const { id } = await admin.createIdentityPolicy({ body })
  await admin.updateIdentityPolicy({
    params: { policy: id },
    body: { document: of('s3:GetObject', 's3:PutObject', 's3:ListBucket') },
  })
  const role = { kind: 'role', owner: 'Deploy' } as const
  await admin.attachPolicy({ params: { ...role, policy: id } })
  const own = document({ Action: 's3:DeleteObject', Resource: 'arn:aws:s3:::site-assets/old/*' })
  await admin.putInlinePolicy({ params: { ...role, name: 'tidy-up' }, body: { document: own } })
  return id
}

/** What the console is opened with when a client of the MCP server asks for access. */
async function askForAccess({ url, admin }: TestServer): Promise<string> {
  const redirect_uri = 'http://127.0.0.1:33418/callback'
  const body = { client_name: 'Press room assistant', redirect_uris: [redirect_uri] }
  const { client_id } = await admin.registerClient({ body })
  const pkce = { code_challenge: 'A'.repeat(43), code_challenge_method: 'S256' }
  const query = new URLSearchParams({ response_type: 'code', client_id, redirect_uri, ...pkce })
  const headers = { accept: 'text/html' }
  const { headers: answered } = await fetch(`${url}/oauth/authorize?${query}`, { redirect: 'manual', headers })
  return new URL(String(answered.get('location'))).searchParams.get('request') ?? ''
}

/** An agent that has changed something, and waits for approval to delete these objects. */
async function addAgent(server: TestServer, keys: string[]): Promise<string> {
  const bucket = 'press-kit'
  const { id, token, secret_access_key } = await server.admin.createAgent({
    body: {
      name: 'Press kit keeper',
      scope: [{ bucket, actions: ['list', 'read', 'write', 'delete'] }],
      budget: { read_bytes_per_hour: 500_000_000 },
      approval: { actions: ['share'], above_objects: 2 },
      expires_at: new Date(server.clock.now().getTime() + 30 * DAY).toISOString(),
    },
  })
  server.secrets.add(token).add(secret_access_key)
  const keeper = server.as(token)
  const key = '2026/lisbon/harbour.jpg'
  await keeper.updateObjectByQuery({ params: { bucket }, query: { key }, body: { tags: { kit: 'spring' } } })
  const refused = await keeper.bulkDelete({ params: { bucket }, body: { keys } }).catch((error: unknown) => error)
  if (!(refused instanceof Error)) throw new Error('What the agent of the demo asks for needed no approval')
  return id
}

const HISTORY_DAYS = 45
/** Usage history for the days before today, with a gap of two days in which the service was down. */
async function addHistory({ admin, database, clock }: TestServer): Promise<void> {
  const { buckets } = await admin.usage()
  const ids = new Map(
    (await database.db.selectFrom('buckets').select(['id', 'name']).execute()).map((b) => [b.name, b.id]),
  )
  const today = Math.floor(clock.now().getTime() / (24 * HOUR))
  const rows = buckets.flatMap(({ name, used_bytes, object_count }, n) =>
    Array.from({ length: HISTORY_DAYS }, (_, i) => i)
      .filter((i) => i !== 20 && i !== 21)
      .map((i) => {
        const wave = 1 + 0.5 * Math.sin(i * 0.9 + n)
        const share = 0.5 + (0.5 * i) / HISTORY_DAYS
        return {
          step: 'day' as const,
          bucket_id: ids.get(name) ?? '',
          time: new Date((today - HISTORY_DAYS + i) * 24 * HOUR).toISOString(),
          used_bytes: Math.round(used_bytes * share),
          object_count: Math.round(object_count * share),
          uploaded_bytes: Math.round(used_bytes * 0.03 * wave),
          downloaded_bytes: Math.round(used_bytes * 0.2 * wave),
          requests: Math.round(120 * wave),
        }
      }),
  )
  await database.transaction(async (tx) => {
    // Samples that the service itself recorded while the demo was created stay only for today.
    await tx
      .deleteFrom('usage_history')
      .where('step', '=', 'day')
      .where('time', '<', new Date(today * 24 * HOUR).toISOString())
      .execute()
    await tx.insertInto('usage_history').values(rows).execute()
  })
}

/** Texts on a demo's screens that are not the console's: the names above, and file contents. */
export const demoWords: readonly string[] = [
  ...people.flatMap(([, name]) => [name, ...name.split(' ')]),
  'Iris Novak',
  'Press kit keeper',
  'Press room assistant',
  'Jonas Berg',
  'Administrators',
  'Administrator',
  'Public',
  'photos',
  'press-kit',
  'press-*',
  'invoices',
  'backups',
  'site-assets',
  'logs',
  'Photo editors',
  'Office',
  'Press',
  'Operations',
  'Sort, retouch and publish pictures',
  'Invoices and contracts',
  'Journalists we work with',
  'Deploy',
  'Publishes the site',
  'SiteAssets',
  'What the site is made of',
  'Backups and logs',
  'Thumbnails',
  'Search index',
  'Chat',
  'Old logs',
  'README.md',
  'inbox',
  'chat.example.com',
  'search.example.com',
  'thumbs.example.com',
  'Last seven backups',
  'Nightly backup',
  'Site deployment',
  'Laptop',
  'lisbon',
  'oslo',
  'README',
  'Europe/Berlin',
]
