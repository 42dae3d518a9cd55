// Started by try-image.sh: builds the image, runs both compose files and the image alone, and prints one line a check. The
// arguments are the commit whose image an upgrade starts from ('': the same sources) and what to try (default: all).
import { execFile, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { createClient } from '../client/derived.ts'

const MIB = 1024 ** 2
const run = promisify(execFile)
const root = path.dirname(import.meta.dirname)
const [previous = '', ...asked] = process.argv.slice(2)
// Docker's address on its bridge: from 127.0.0.1, a process of Docker's relays, which ends with the container and loses what it
// holds of a download; and what listens there is not in the way.
const HOST = await docker(['network', 'inspect', '--format', '{{(index .IPAM.Config 0).Gateway}}', 'bridge'])
const URL_ = `http://${HOST}:8080`
const S3_URL = `http://${HOST}:9000`
const OLD = '0.0.1-before'
const NEW = '0.0.2-after'
const EMAIL = 'admin@example.com'
const PASSWORD = randomBytes(18).toString('base64url')
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-try-image-'))

let failed = 0
const started = Date.now()
const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(1)} s`
/** Runs one check; what it returns is printed with its name. */
async function check(name: string, work: () => Promise<string | undefined>): Promise<boolean> {
  try {
    const more = await work()
    console.log(`ok      ${name}${more ? `: ${more}` : ''}`)
    return true
  } catch (error) {
    failed++
    const { message, stderr = '' } = error as Error & { stderr?: string }
    console.log(`FAILED  ${name}: ${`${message}\n${stderr}`.trim().slice(-2000).replaceAll('\n', '\n        ')}`)
    return false
  }
}
function expect(fact: boolean, otherwise: string): void {
  if (!fact) throw new Error(otherwise)
}

/** Docker with Compose's variables; returns what it printed. Throws with its standard error. */
async function docker(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { stdout } = await run('docker', args, {
    cwd: root,
    env: { ...process.env, ...env },
    maxBuffer: 64 * MIB,
    timeout: 20 * 60_000,
  })
  return stdout.trim()
}

/** One compose project. */
class Project {
  readonly #base: readonly string[]
  readonly #env: NodeJS.ProcessEnv
  version = OLD
  constructor(file: string, env: NodeJS.ProcessEnv = {}) {
    const name = `strongroom-try-${path.basename(file).split('.')[1]}-${process.pid}`
    this.#base = ['compose', '--project-name', name, '--file', file]
    this.#env = { LISTEN: HOST, PUBLIC_BASE_URL: URL_, ...env }
  }
  /** Runs a command of Compose with the version whose image is wanted. */
  compose(...args: string[]): Promise<string> {
    return docker([...this.#base, ...args], { ...this.#env, VERSION: this.version })
  }
  async id(service: string): Promise<string> {
    return await this.compose('ps', '--all', '--quiet', service)
  }
  async inspect(service: string, format: string): Promise<string> {
    return await docker(['inspect', '--format', format, await this.id(service)])
  }
  async logs(service: string): Promise<string> {
    return await docker(['logs', await this.id(service)])
  }
  /** Starts what is not running, and waits until all that have a health check are healthy. */
  async up(...args: string[]): Promise<void> {
    // Not `--wait`, for which the step that makes the bucket and then ends is a failure.
    await this.compose('up', '--detach', '--no-build', ...args)
    const format = '{{.Name}} {{with .State.Health}}{{.Status}}{{else}}without{{end}}'
    for (let attempt = 0; ; attempt++) {
      const ids = (await this.compose('ps', '--quiet')).split('\n').filter(Boolean)
      const states = (await docker(['inspect', '--format', format, ...ids])).split('\n')
      const not = states.filter((state) => !/ (healthy|without)$/.test(state))
      if (not.length === 0) return
      if (attempt === 300) throw new Error(`not healthy: ${not.join(', ')}`)
      await pause(1000)
    }
  }
  async down(): Promise<undefined> {
    await this.compose('down', '--volumes', '--timeout', '5')
  }
}

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const anonymous = createClient({ baseUrl: URL_ })
async function signIn() {
  const { access_token: token } = await anonymous.login({ body: { username: EMAIL, password: PASSWORD } })
  return createClient({ baseUrl: URL_, token })
}
type SignedIn = Awaited<ReturnType<typeof signIn>>

/** Makes the first administrator with the link in a service's log, a bucket and an access key. */
async function setUp(project: Project, service: string) {
  const found = [...(await project.logs(service)).matchAll(/\/console\/setup#([\w-]{43})/g)]
  const token = found.at(-1)?.[1]
  if (token === undefined) throw new Error('the log has no setup link')
  await anonymous.setUp({ body: { token, email: EMAIL, password: PASSWORD } })
  const client = await signIn()
  await client.createBucket({ body: { name: 'tried' } })
  return client
}

async function equalBytes(client: SignedIn, key: string, bytes: Uint8Array): Promise<void> {
  const got = await client.getObject({ params: { bucket: 'tried', key }, query: {} })
  expect(hash(new Uint8Array(await got.arrayBuffer())) === hash(bytes), `${key} differs`)
}

const s3With = (accessKeyId: string, secretAccessKey: string): S3Client =>
  new S3Client({
    endpoint: S3_URL,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  })

async function s3Works(client: SignedIn): Promise<string> {
  const { access_key_id, secret_access_key } = await client.createAccessKey({ body: { name: 'try' } })
  const s3 = s3With(access_key_id, secret_access_key)
  const body = randomBytes(3 * MIB)
  await s3.send(new CreateBucketCommand({ Bucket: 'through-s3' }))
  await s3.send(new PutObjectCommand({ Bucket: 'through-s3', Key: 'a/b c', Body: body }))
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'through-s3', Key: 'a/b c' }))
  expect(hash((await Body?.transformToByteArray()) ?? new Uint8Array()) === hash(body), 'the object differs')
  return `${body.length} bytes`
}

/** Downloads at `rate` bytes a second; calls `begun` when a first part has arrived. Returns the hash of all. */
function slowDownload(client: { token: string }, key: string, rate: number, begun: () => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${client.token}` }
    http
      .get(`${URL_}/api/v1/buckets/tried/objects/${key}`, { headers, agent: false }, async (response) => {
        try {
          const digest = createHash('sha256')
          let first = true
          for await (const chunk of response) {
            digest.update(chunk)
            if (first) begun()
            first = false
            await pause((chunk.length / rate) * 1000)
          }
          expect(response.complete, 'the download was cut off')
          resolve(digest.digest('hex'))
        } catch (error) {
          reject(error)
        }
      })
      .on('error', reject)
  })
}

/** How long a stop takes while somebody downloads slowly, and that it cuts nothing off. */
async function stopsAfterDownload(project: Project, services: readonly string[]): Promise<string> {
  const { access_token: token } = await anonymous.login({ body: { username: EMAIL, password: PASSWORD } })
  const bytes = randomBytes(64 * MIB)
  const client = createClient({ baseUrl: URL_, token })
  await client.putObject({ params: { bucket: 'tried', key: 'slow' }, query: {}, body: bytes })
  const { promise, resolve } = Promise.withResolvers<void>()
  const download = slowDownload({ token }, 'slow', 12 * MIB, resolve)
  await Promise.race([promise, download])
  const from = Date.now()
  await project.compose('stop', ...services)
  const took = seconds(from)
  expect((await download) === hash(bytes), 'the download differs')
  for (const service of services) {
    const code = await project.inspect(service, '{{.State.ExitCode}}')
    expect(code === '0', `${service} exited with ${code}`)
  }
  return `${took}, the file whole, exit code 0`
}

interface Written {
  /** Hashes of what was acknowledged. */
  acknowledged: Map<string, string>
  /** What went wrong for a client: a status, or a code of its connection. */
  faults: string[]
  stop(): Promise<void>
}

/** Four clients that upload small objects and read them back, one request after the other, until they are stopped. */
function writeAndRead(token: string): Written {
  const acknowledged = new Map<string, string>()
  const faults: string[] = []
  let going = true
  const one = async (n: number): Promise<void> => {
    const client = createClient({ baseUrl: URL_, token })
    for (let i = 0; going; i++) {
      const key = `written/${n}/${i}`
      // Every other one is larger than what is kept in the database.
      const body = randomBytes(i % 2 === 0 ? 2000 : 60_000)
      try {
        await client.putObject({ params: { bucket: 'tried', key }, query: {}, body })
        acknowledged.set(key, hash(body))
        await equalBytes(client, key, body)
      } catch (error) {
        const { message, cause, status } = error as Error & { status?: number; cause?: { code?: string } }
        faults.push(`${key}: ${status ?? cause?.code ?? message}`)
      }
      await pause(20)
    }
  }
  const all = Promise.all([0, 1, 2, 3].map(one))
  return {
    acknowledged,
    faults,
    async stop() {
      going = false
      await all
    },
  }
}

async function noneLost({ acknowledged }: Written): Promise<void> {
  const client = await signIn()
  const lost: string[] = []
  for (const [key, digest] of acknowledged) {
    const got = await client.getObject({ params: { bucket: 'tried', key }, query: {} }).catch(() => undefined)
    if (got === undefined || hash(new Uint8Array(await got.arrayBuffer())) !== digest) lost.push(key)
  }
  expect(
    lost.length === 0,
    `${lost.length} of ${acknowledged.size} acknowledged objects are lost: ${lost.slice(0, 5).join(', ')}`,
  )
}

/** Kills a service while objects are uploaded; returns its `verify`, after it has been started again. */
async function survivesKill(project: Project, service: string, client: SignedIn): Promise<string> {
  const stopped = new AbortController()
  const endless = Readable.from(
    (async function* () {
      for (let i = 0; i < 400; i++) {
        yield randomBytes(MIB / 4)
        await pause(20)
      }
    })(),
  )
  const kept = randomBytes(MIB)
  await client.putObject({ params: { bucket: 'tried', key: 'kept' }, query: {}, body: kept })
  const cut = client
    .putObject({
      params: { bucket: 'tried', key: 'cut-off' },
      query: {},
      body: Readable.toWeb(endless) as ReadableStream,
      signal: stopped.signal,
    })
    .then(
      () => 'acknowledged',
      () => 'cut off',
    )
  await pause(1500)
  await project.compose('kill', '--signal', 'SIGKILL', service)
  const how = await Promise.race([cut, pause(10_000).then(() => 'cut off')])
  stopped.abort()
  expect(how === 'cut off', 'the upload was acknowledged')
  await project.up()
  const after = await signIn()
  await equalBytes(after, 'kept', kept)
  const gone = await after.getObject({ params: { bucket: 'tried', key: 'cut-off' }, query: {} }).then(
    () => false,
    () => true,
  )
  expect(gone, 'the upload that was cut off is there')
  return await project.compose('exec', '--no-TTY', service, 'strongroom', 'verify')
}

/** What the kernel says about the service's process, and that only /data and /tmp can be written to. */
async function isContained(project: Project, service: string): Promise<string> {
  const inside = (script: string) => project.compose('exec', '--no-TTY', service, 'sh', '-c', script)
  const status = await inside('cat /proc/1/status')
  const field = (name: string): string => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? ''
  expect(field('Uid').startsWith('1000\t1000'), `Uid ${field('Uid')}`)
  expect(
    /^0+$/.test(field('CapEff')) && /^0+$/.test(field('CapBnd')),
    `CapEff ${field('CapEff')} CapBnd ${field('CapBnd')}`,
  )
  expect(field('NoNewPrivs') === '1', 'NoNewPrivs is 0')
  expect(field('Seccomp') === '2', 'there is no seccomp filter')
  const writable = await inside(
    'for d in / /app /etc /usr /var /root /data /tmp; do touch $d/.try 2>/dev/null && echo $d; done; true',
  )
  expect(writable.replaceAll('\n', ' ') === '/data /tmp', `writable: ${writable}`)
  await inside('rm -f /data/.try /tmp/.try')
  const tools = await inside('for t in npm npx yarn apt apt-get corepack; do command -v $t; done; true')
  expect(tools === '', `the image has ${tools}`)
  return 'uid 1000, no capabilities, no new privileges, seccomp, writes only to /data and /tmp, no npm or apt'
}

async function buildAll(): Promise<void> {
  const build = (version: string, context = root) =>
    docker([
      'build',
      '--quiet',
      '--tag',
      `strongroom:${version}`,
      '--build-arg',
      `VERSION=${version}`,
      '--build-arg',
      `REVISION=${previous || 'none'}`,
      context,
    ])
  await check('the image builds', async () => {
    const from = Date.now()
    await build(NEW)
    const size = Number(await docker(['image', 'inspect', '--format', '{{.Size}}', `strongroom:${NEW}`]))
    return `${seconds(from)}, ${Math.round(size / 1e6)} MB`
  })
  await check(`the previous image (${previous || 'these sources'})`, async () => {
    const from = Date.now()
    if (previous === '') await build(OLD)
    else {
      const old = path.join(folder, 'previous')
      fs.mkdirSync(old)
      await run('sh', ['-c', 'git archive "$0" | tar -x -C "$1"', previous, old], { cwd: root })
      await build(OLD, old)
    }
    return seconds(from)
  })
  await check('labels, user, health check and version of the image', async () => {
    const text = await docker(['image', 'inspect', '--format', '{{json .Config}}', `strongroom:${NEW}`])
    const { User, Labels, Healthcheck, Volumes } = JSON.parse(text)
    expect(User === '1000:1000', `USER ${User}`)
    for (const name of ['title', 'description', 'version', 'revision', 'created', 'licenses'])
      expect(Boolean(Labels[`org.opencontainers.image.${name}`]), `there is no label ${name}`)
    expect(Healthcheck?.Test?.join(' ') === 'CMD healthy /healthz', `HEALTHCHECK ${JSON.stringify(Healthcheck)}`)
    expect('/data' in Volumes, 'there is no volume')
    const version = await docker(['run', '--rm', '--network', 'none', `strongroom:${NEW}`, '--version'])
    expect(version.includes(NEW) && Labels['org.opencontainers.image.version'] === NEW, `version ${version}`)
    return version
  })
}

async function comesUp(project: Project): Promise<string> {
  const from = Date.now()
  await project.up()
  return `healthy after ${seconds(from)}`
}

async function storesEqual(client: SignedIn, bytes: Buffer<ArrayBuffer>): Promise<string> {
  await client.putObject({ params: { bucket: 'tried', key: 'first' }, query: {}, body: bytes })
  await equalBytes(client, 'first', bytes)
  return `${bytes.length} bytes`
}

/** compose.yaml: one service. */
async function trySingle(): Promise<void> {
  const project = new Project('compose.yaml')
  let client!: SignedIn
  const bytes = randomBytes(20 * MIB)
  try {
    const isUp = await check('compose.yaml: up, nothing configured', () => comesUp(project))
    if (!isUp) return
    await check('compose.yaml: first administrator by the setup link, sign in', async () => {
      client = await setUp(project, 'strongroom')
      return undefined
    })
    await check('compose.yaml: the log is JSON and holds no password', async () => {
      const lines = (await project.logs('strongroom')).split('\n').filter(Boolean)
      for (const line of lines) JSON.parse(line)
      expect(!lines.some((line) => /"password"|Password/.test(line)), 'there is a password')
      return `${lines.length} lines`
    })
    await check('compose.yaml: upload, and the download is equal', () => storesEqual(client, bytes))
    await check('compose.yaml: S3 PUT and GET', () => s3Works(client))
    await check('compose.yaml: contained', () => isContained(project, 'strongroom'))
    await check('compose.yaml: a command next to the service', () =>
      project.compose('exec', '--no-TTY', 'strongroom', 'strongroom', 'users', 'list'),
    )
    await check('compose.yaml: restart, data there', async () => {
      await project.compose('restart', 'strongroom')
      await project.up()
      await equalBytes(await signIn(), 'first', bytes)
      return undefined
    })
    await check('compose.yaml: SIGTERM while idle', async () => {
      const from = Date.now()
      await project.compose('stop')
      const code = await project.inspect('strongroom', '{{.State.ExitCode}}')
      expect(code === '0', `exit code ${code}`)
      const took = seconds(from)
      await project.up()
      return took
    })
    await check('compose.yaml: SIGTERM during a slow download', async () => {
      const took = await stopsAfterDownload(project, ['strongroom'])
      await project.up()
      return took
    })
    await check('compose.yaml: SIGKILL during an upload, then verify', async () =>
      survivesKill(project, 'strongroom', await signIn()),
    )
    await check('compose.yaml: upgrade from the previous image, data there', async () => {
      project.version = NEW
      await project.up()
      expect((await project.inspect('strongroom', '{{.Config.Image}}')) === `strongroom:${NEW}`, 'another image runs')
      await equalBytes(await signIn(), 'first', bytes)
      return await project.compose('exec', '--no-TTY', 'strongroom', 'strongroom', 'verify', '--deep')
    })
    await check('a folder that the service cannot write to: one line', async () => {
      const mine = path.join(folder, 'of-root')
      fs.mkdirSync(mine, { mode: 0o755 })
      const refused = await docker(['run', '--rm', '--volume', `${mine}:/data`, `strongroom:${NEW}`]).then(
        () => undefined,
        (error: { stderr: string; code: number }) => error,
      )
      const text = refused?.stderr.trim() ?? ''
      expect(refused?.code === 1 && /^[^\n]*\/data is not writable for uid 1000[^\n]*$/.test(text), text || 'it serves')
      return text
    })
  } finally {
    await check('compose.yaml: down', () => project.down())
  }
}

/** The image alone, with four variables: what an application needs is there at the first start, and stays. */
async function tryVariables(): Promise<void> {
  const name = `strongroom-try-variables-${process.pid}`
  const variables = {
    BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
    BOOTSTRAP_ACCESS_KEY_ID: 'application',
    BOOTSTRAP_SECRET_ACCESS_KEY: randomBytes(18).toString('base64url'),
    BOOTSTRAP_BUCKETS: 'photos,backups:50GB,logs:versioned',
  }
  const ready = async () => {
    for (let attempt = 0; attempt < 120; attempt++) {
      const answer = await fetch(`${URL_}/readyz`).catch(() => undefined)
      if (answer?.ok) return
      await pause(500)
    }
    throw new Error('it is not ready after a minute')
  }
  const made = async () => {
    const login = { username: 'admin@strongroom.local', password: PASSWORD }
    const { access_token: token } = await anonymous.login({ body: login })
    const { items } = await createClient({ baseUrl: URL_, token }).listAudit({ query: {} })
    return items.map(({ action }) => action).filter((action) => action !== 'login' && action !== 'upload')
  }
  try {
    const first = await check('four variables: the first PutObject of an application', async () => {
      const ports = ['8080', '9000'].flatMap((port) => ['--publish', `${HOST}:${port}:${port}`])
      const given = Object.keys(variables).flatMap((variable) => ['--env', variable])
      await docker(
        ['run', '--detach', '--name', name, '--volume', '/data', ...ports, ...given, `strongroom:${NEW}`],
        variables,
      )
      await ready()
      const s3 = s3With(variables.BOOTSTRAP_ACCESS_KEY_ID, variables.BOOTSTRAP_SECRET_ACCESS_KEY)
      await s3.send(new PutObjectCommand({ Bucket: 'photos', Key: 'first', Body: 'of an application' }))
      const log = await docker(['logs', name])
      expect(!log.includes(variables.BOOTSTRAP_SECRET_ACCESS_KEY) && !log.includes(PASSWORD), 'the log holds a secret')
      return undefined
    })
    if (!first) return
    await check('four variables: the second start changes nothing', async () => {
      const before = await made()
      await docker(['restart', name])
      await ready()
      const after = await made()
      expect(after.join() === before.join(), `${before.join()} and then ${after.join()}`)
      return `${before.length} records of the first`
    })
  } finally {
    await check('four variables: down', () => docker(['rm', '--force', '--volumes', name]).then(() => undefined))
  }
}

/** deploy/compose.scale.yaml: two replicas behind nginx. */
async function tryScale(): Promise<void> {
  const secret = () => randomBytes(27).toString('base64url').replaceAll(/[-_]/g, 'x')
  const project = new Project('deploy/compose.scale.yaml', {
    SECRET_KEY: secret(),
    POSTGRES_PASSWORD: secret(),
    S3_ACCESS_KEY_ID: 'strongroom',
    S3_SECRET_ACCESS_KEY: secret(),
  })
  let client!: SignedIn
  const bytes = randomBytes(20 * MIB)
  const replicas = ['strongroom-a', 'strongroom-b']
  try {
    await check('compose.scale.yaml: without its variables it says which are missing', async () => {
      const bare = new Project('deploy/compose.scale.yaml', { SECRET_KEY: '', POSTGRES_PASSWORD: '' })
      const text = await bare.compose('config', '--quiet').then(
        () => '',
        (error: { stderr: string }) => error.stderr,
      )
      expect(/required variable [A-Z0-9_]+ is missing a value/.test(text), text || 'it is accepted')
      return undefined
    })
    const isUp = await check('compose.scale.yaml: up', () => comesUp(project))
    if (!isUp) return
    await check('compose.scale.yaml: first administrator by the setup link, sign in through nginx', async () => {
      client = await setUp(project, 'strongroom-b')
      return undefined
    })
    await check('compose.scale.yaml: upload, and the download is equal', () => storesEqual(client, bytes))
    await check('compose.scale.yaml: S3 PUT and GET through nginx', () => s3Works(client))
    await check('compose.scale.yaml: nginx keeps /metrics to itself', async () => {
      const { status } = await fetch(`${URL_}/metrics`)
      expect(status === 403, `status ${status}`)
      return undefined
    })
    await check('compose.scale.yaml: contained', () => isContained(project, 'strongroom-a'))
    await check('compose.scale.yaml: both replicas answer', async () => {
      for (let i = 0; i < 40; i++) await client.listBuckets()
      const lines = (await project.logs('nginx')).split('\n')
      const seen = new Set(lines.map((line) => / (\S+:8080) 200$/.exec(line)?.[1]).filter(Boolean))
      expect(seen.size === 2, `answered: ${[...seen].join(', ')}`)
      return undefined
    })
    await check('compose.scale.yaml: restart of everything, data there', async () => {
      await project.compose('restart')
      await project.up()
      await equalBytes(await signIn(), 'first', bytes)
      return undefined
    })
    await check('compose.scale.yaml: SIGKILL of a replica during an upload, then verify', async () =>
      survivesKillOfBoth(project, replicas),
    )
    await check('compose.scale.yaml: upgrade, one replica after the other, while four clients write', async () => {
      const { access_token: token } = await anonymous.login({ body: { username: EMAIL, password: PASSWORD } })
      const written = writeAndRead(token)
      project.version = NEW
      const from = Date.now()
      for (const replica of replicas)
        await project.compose('up', '--detach', '--no-build', '--no-deps', '--wait', replica)
      const took = seconds(from)
      await pause(2000)
      await written.stop()
      expect(
        written.faults.length === 0,
        `${written.faults.length} requests failed: ${written.faults.slice(0, 5).join('; ')}`,
      )
      await noneLost(written)
      for (const replica of replicas)
        expect(
          (await project.inspect(replica, '{{.Config.Image}}')) === `strongroom:${NEW}`,
          `${replica} is another image`,
        )
      return `${took}, ${written.acknowledged.size} objects acknowledged, none lost, no request failed`
    })
    await check('compose.scale.yaml: SIGTERM during a slow download', async () => {
      const took = await stopsAfterDownload(project, replicas)
      await project.up()
      return took
    })
    await check('compose.scale.yaml: verify', () =>
      project.compose('exec', '--no-TTY', 'strongroom-a', 'strongroom', 'verify'),
    )
  } finally {
    if (failed > 0) console.log((await project.compose('logs', '--tail', '15').catch(String)).slice(-8000))
    await check('compose.scale.yaml: down', () => project.down())
  }
}

/** Both at once: nginx would otherwise send the upload to the one that is not killed. */
async function survivesKillOfBoth(project: Project, replicas: readonly string[]): Promise<string> {
  const [first = '', ...others] = replicas
  await project.compose('stop', ...others)
  return await survivesKill(project, first, await signIn())
}

const containersBefore = await docker(['ps', '--all', '--quiet'])
// Interrupted, the project is still taken down: `finally` below does not run on a signal.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const file of ['compose.yaml', 'deploy/compose.scale.yaml']) {
      const name = `strongroom-try-${path.basename(file).split('.')[1]}-${process.pid}`
      spawn('docker', ['compose', '--project-name', name, 'down', '--volumes', '--timeout', '1'], { detached: true })
    }
    process.exit(1)
  })
try {
  await buildAll()
  if (failed === 0) {
    if (asked.length === 0 || asked.includes('single')) await trySingle()
    if (asked.length === 0 || asked.includes('variables')) await tryVariables()
    if (asked.length === 0 || asked.includes('scale')) await tryScale()
  }
  await check('nothing is left running', async () => {
    expect((await docker(['ps', '--all', '--quiet'])) === containersBefore, 'there are containers')
    return undefined
  })
} finally {
  for (const version of [OLD, NEW])
    await docker(['image', 'rm', '--force', `strongroom:${version}`]).catch(() => undefined)
  fs.rmSync(folder, { recursive: true, force: true })
}
console.log(`${failed === 0 ? 'All checks passed' : `${failed} check(s) failed`}, ${seconds(started)}`)
process.exitCode = failed === 0 ? 0 : 1
