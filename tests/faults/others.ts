import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '../../client/derived.ts'
import { reset } from '../support/reset.ts'
import { diskFull } from './disk.ts'
import { ADMIN } from './pair.ts'
import { type Session, say } from './session.ts'

/** A fault other than a kill: returns why it is unavailable here, if so. */
export interface Fault {
  name: string
  run(session: Session): Promise<string | undefined>
}
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** PostgreSQL ends as in a crash, and comes back. */
async function postgresRestarts(session: Session): Promise<string | undefined> {
  const { pair, random } = session
  if (!pair.postgres) return 'There is no PostgreSQL.'
  session.tolerate(true)
  for (let round = 0; round < 4; round++) {
    await pause(random.int(1500, 4000))
    await pair.postgres.restart(random.int(0, 2500))
  }
  await pause(2500)
  session.tolerate(false)
  await pause(2500)
  return undefined
}

async function storageRestarts(session: Session): Promise<string | undefined> {
  const { pair, random } = session
  if (!pair.gateway?.restart) return 'There is no S3 engine of our own.'
  session.tolerate(true)
  for (let round = 0; round < 3; round++) {
    await pause(random.int(1500, 4000))
    await pair.gateway.restart(random.int(0, 3000))
  }
  await pause(3000)
  session.tolerate(false)
  await pause(2500)
  return undefined
}

/** Moves the clock a day forward, then an hour before the start: logins, leases, jobs and the order of records hold. */
async function clockJumps(session: Session): Promise<undefined> {
  const { pair, faults } = session
  const baseUrl = pair.replicas[0]?.url ?? ''
  const anonymous = createClient({ baseUrl })
  const login = () => anonymous.login({ body: { username: ADMIN.email, password: ADMIN.password } })
  const works = (token: string) =>
    createClient({ baseUrl, token })
      .me()
      .then(
        () => true,
        () => false,
      )
  let tokens = await login()
  for (const [offset, what] of [
    [DAY_MS, 'a day forward'],
    [-HOUR_MS, 'an hour back'],
    [0, 'right again'],
  ] as const) {
    await session.check(`clock, before ${what}`)
    for (const replica of pair.replicas) await replica.setClock(offset)
    if (offset > 0) faults.expect(!(await works(tokens.access_token)), () => 'an access token outlives its 30 minutes')
    const refreshed = await anonymous.refresh({ body: { refresh_token: tokens.refresh_token } }).catch((error) => error)
    faults.expect(!(refreshed instanceof Error), () => `clock ${what}: a session cannot be refreshed: ${refreshed}`)
    tokens = refreshed instanceof Error ? await login() : refreshed
    faults.expect(await works(tokens.access_token), () => `clock ${what}: a fresh access token is refused`)
    await pause(3000)
    // Whoever ends in the midst of something leaves leases of this time behind.
    for (const [i, replica] of pair.replicas.entries()) {
      await replica.kill('SIGKILL')
      session.figures.kills++
      await session.start(i)
    }
    await pause(3000)
  }
  return undefined
}

const port = (session: Session) => Number(new URL(session.pair.replicas[0]?.url ?? '').port)
const dial = (session: Session): net.Socket => net.connect(port(session), '127.0.0.1').on('error', () => undefined)

/** How long others wait for an answer meanwhile. */
async function answersOthers(session: Session, what: string): Promise<void> {
  let longest = 0
  for (let i = 0; i < 10; i++) {
    const began = performance.now()
    await session.admin.listBuckets().catch((error: unknown) => {
      session.faults.expect(false, () => `${what}: another request fails: ${error}`)
    })
    longest = Math.max(longest, performance.now() - began)
    await pause(100)
  }
  say(`  ${what}: others wait ${Math.round(longest)} ms at most`)
  session.faults.expect(longest < 5000, () => `${what}: another request waited ${Math.round(longest)} ms`)
}

/** Requests that never come to an end: heads that drip, bodies that stop, that trickle below a kilobyte in 30 s, and above. */
async function slowClients(session: Session): Promise<undefined> {
  const { token, faults } = session
  const head = (key: string) =>
    `PUT /api/v1/buckets/plain/objects/slow/${key} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 100000\r\n\r\n`
  const many = (count: number, begin: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => {
      const socket = dial(session)
      socket.write(begin(i))
      return socket.resume()
    })
  const heads = many(200, () => 'GET /healthz HTTP/1.1\r\nHost: x\r\n')
  const stopped = many(100, (i) => `${head(`stopped${i}`)}begun`)
  const trickling = many(50, (i) => head(`trickling${i}`))
  const dripping = many(50, (i) => head(`dripping${i}`))
  const drip = setInterval(() => {
    for (const socket of heads) socket.write('X: y\r\n')
    for (const socket of trickling) socket.write('.')
    for (const socket of dripping) socket.write('.'.repeat(100))
  }, 1000)
  const open = (sockets: readonly net.Socket[]) =>
    sockets.filter(({ destroyed, readyState }) => !destroyed && readyState === 'open').length
  await answersOthers(session, 'slow clients')
  const began = Date.now()
  const seconds = () => Math.round((Date.now() - began) / 1000)
  /** How long they are borne with, at most 150 s. */
  const givenUp = async (what: string, sockets: readonly net.Socket[]) => {
    while (open(sockets) > 0 && seconds() < 150) await pause(500)
    faults.expect(open(sockets) === 0, () => `${open(sockets)} connections with ${what} are not given up`)
    say(`  slow clients: ${what} given up after ${seconds()} s`)
  }
  await Promise.all([
    givenUp('dripping heads', heads),
    givenUp('bodies that stopped', stopped),
    givenUp('bodies that trickle', trickling),
  ])
  // As long again, for those that are to be borne with.
  await pause(seconds() * 1000)
  const kept = open(dripping)
  faults.expect(kept === 50, () => `of 50 bodies that keep arriving ${50 - kept} were given up`)
  clearInterval(drip)
  for (const socket of [...heads, ...stopped, ...trickling, ...dripping]) socket.destroy()
  return undefined
}

/** Uploads whose client leaves in the midst of them. */
async function abortedUploads(session: Session): Promise<undefined> {
  const { token, random, admin, faults } = session
  const { upload_id, urls } = await admin.initUpload({
    params: { bucket: 'plain' },
    body: { key: 'aborted/parts', part_size: 5 * 1024 ** 2, file_size: 5 * 1024 ** 2 },
  })
  const part = new URL(urls[0] ?? '').pathname
  for (let i = 0; i < 400; i++) {
    const socket = dial(session)
    const kind = i % 4
    const [method, to, type] =
      kind === 0
        ? ['PUT', part, 'application/octet-stream']
        : kind === 1
          ? ['POST', '/api/v1/buckets/plain/objects?prefix=aborted/', 'multipart/form-data; boundary=b']
          : ['PUT', `/api/v1/buckets/${kind === 2 ? 'plain' : 'tight'}/objects/aborted/${i}`, 'text/plain']
    const length = kind === 0 ? 5 * 1024 ** 2 : 200_000
    socket.write(
      `${method} ${to} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`,
    )
    if (kind === 1) socket.write('--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n')
    socket.write(Buffer.alloc(random.int(0, 150_000)))
    setTimeout(() => (random.chance(0.5) ? socket.destroy() : reset(socket)), random.int(0, 300))
    if (i % 10 === 0) await pause(20)
  }
  await pause(2000)
  await admin.abortUpload({ params: { bucket: 'plain' }, body: { upload_id } })
  for (const name of ['plain', 'tight']) {
    const { items } = await admin.listObjects({ params: { bucket: name }, query: { prefix: 'aborted/' } })
    faults.expect(items.length === 0, () => `${items.length} uploads that were broken off are there`)
  }
  return undefined
}

/** Connections that say nothing. */
async function idleConnections(session: Session): Promise<undefined> {
  const sockets: net.Socket[] = []
  for (let i = 0; i < 2000; i++) {
    sockets.push(dial(session))
    if (i % 100 === 0) await pause(20)
  }
  const count = () => sockets.filter(({ readyState }) => readyState === 'open').length
  for (let i = 0; i < 100 && count() < sockets.length; i++) await pause(100)
  const open = count()
  session.faults.expect(open === sockets.length, () => `only ${open} of 2,000 connections were taken`)
  await answersOthers(session, `${open} idle connections`)
  for (const socket of sockets) socket.destroy()
  return undefined
}

export const others: readonly Fault[] = [
  { name: 'postgres', run: postgresRestarts },
  { name: 'storage', run: storageRestarts },
  { name: 'clock', run: clockJumps },
  { name: 'aborts', run: abortedUploads },
  { name: 'flood', run: idleConnections },
  { name: 'slow', run: slowClients },
  { name: 'disk', run: diskFull },
]
