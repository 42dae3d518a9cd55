// What is on disk before an upload is acknowledged, as the kernel sees it: docs/decisions/0002-durability.md.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createClient } from '../../client/derived.ts'
import { type ServerProcess, spawnServer } from '../support/process.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { type Call, noStrace, traced } from '../support/strace.ts'

const BUCKET = 'traced'
const AT_ONCE = 16
const pathOf = (key: string) => `/api/v1/buckets/${BUCKET}/objects/${key}`
/** SQLite writes a page to the log as two calls, of which this is the first: page number, database size if it ends a commit. */
const PAGE_HEADER = 24

const isSync = ({ name }: Call): boolean => /sync/.test(name)
const isOnLog = ({ files }: Call): boolean => files[0]?.endsWith('-wal') === true
const isTemporary = ({ files }: Call): boolean => files[0]?.endsWith('.tmp') === true
/** The last write of each commit. */
const commitsIn = (calls: Call[]): Call[] => {
  const writes = calls.filter((call) => call.name === 'pwrite64' && isOnLog(call))
  return writes.filter((_, i) => {
    const header = writes[i - 1]
    return header?.count === PAGE_HEADER && header.bytes.readUInt32BE(4) > 0
  })
}
const logSyncsAfter = (calls: Call[], call: Call) =>
  calls.filter((other) => other.name === 'fdatasync' && isOnLog(other) && other.began > call.ended)
/** The writes to such files that contain the body of this letter. */
const bodyIn = (calls: Call[], letter: string, where: (call: Call) => boolean) =>
  calls.filter(
    (call) => /^p?write/.test(call.name) && where(call) && call.bytes.toString('latin1').includes(letter.repeat(16)),
  )
/** Everything between the arrival of an upload and its answer. */
function within(calls: Call[], key: string): Call[] {
  const starts = (call: Call, text: string) => call.bytes.toString('latin1').startsWith(text)
  const arrival = calls.find((call) => call.name === 'read' && starts(call, `PUT ${pathOf(key)} `))
  assert.ok(arrival, `the upload of ${key} arrives`)
  const answer = calls.find(
    (call) =>
      call.name === 'write' &&
      call.began > arrival.ended &&
      call.files[0] === arrival.files[0] &&
      starts(call, 'HTTP/1.1 201 '),
  )
  assert.ok(answer, `the upload of ${key} is acknowledged`)
  return calls.filter(({ began, ended }) => began > arrival.ended && ended < answer.began)
}

describe('the order of syncs on SQLite and files', { skip: await noStrace() }, () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-order-'))
  const agent = new http.Agent({ keepAlive: true })
  let server: ServerProcess
  let token: string

  /** Stores bodies at once: each is one letter repeated, under this prefix and its letter. */
  const upload = (prefix: string, letters: string, size: number) =>
    Promise.all(
      [...letters].map(async (letter) => {
        const headers = { authorization: `Bearer ${token}`, 'content-length': size }
        const sent = http.request(server.url + pathOf(prefix + letter), { method: 'PUT', agent, headers })
        sent.end(letter.repeat(size))
        const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
        assert.equal(response.statusCode, 201)
        await once(response.resume(), 'end')
      }),
    )
  const alphabet = (count: number) => String.fromCharCode(...Array.from({ length: count }, (_, i) => 65 + i))

  before(async () => {
    server = await spawnServer(serverEnv(folder), ['serve', '--no-background'])
    const { url: baseUrl } = server
    const login = { username: ADMIN.email, password: ADMIN.password }
    token = (await createClient({ baseUrl }).login({ body: login })).access_token
    await createClient({ baseUrl, token }).createBucket({ body: { name: BUCKET } })
    // Opens the connections, and reserves the ids of blobs.
    await upload('first/', alphabet(AT_ONCE), 4096)
    await upload('first/large/', 'A', 65_536)
  })
  after(async () => {
    agent.destroy()
    await server.kill('SIGTERM')
    fs.rmSync(folder, { recursive: true, force: true })
  })

  const trace = (prefix: string, letters: string, size: number) =>
    traced(server.child.pid ?? 0, async () => {
      await upload(prefix, letters, size)
      // A client may have the answer before the trace has the end of the call that wrote it; the next request begins after.
      await fetch(`${server.url}/healthz`)
    })

  it('a small upload: one commit with the body in it, one sync of the log, the answer', async () => {
    const calls = within(await trace('small/', 'B', 4096), 'small/B')
    const [body] = bodyIn(calls, 'B', isOnLog)
    const commits = commitsIn(calls)
    const last = calls.findLast((call) => call.name === 'pwrite64')
    assert.ok(body && last)
    assert.deepEqual(commits, [last])
    assert.ok(body.began <= last.began)
    assert.deepEqual(calls.filter(isSync), logSyncsAfter(calls, last))
    assert.equal(calls.filter(isSync).length, 1)
    assert.deepEqual(
      calls.filter(({ name }) => ['openat', 'rename', 'unlink'].includes(name)),
      [],
    )
  })

  it('small uploads at once: fewer commits and syncs than uploads, none acknowledged before its own', async (t) => {
    const letters = alphabet(AT_ONCE)
    const calls = await trace('at-once/', letters, 4096)
    for (const letter of letters) {
      const own = within(calls, `at-once/${letter}`)
      const [body] = bodyIn(own, letter, isOnLog)
      assert.ok(body, `the body of ${letter} is in the log before its answer`)
      const commit = commitsIn(own).find(({ began }) => began >= body.began)
      assert.ok(commit, 'so is the commit')
      assert.ok(logSyncsAfter(own, commit).length > 0, 'and a sync that started after it')
    }
    const [commits, syncs] = [commitsIn(calls).length, calls.filter(isSync).length]
    t.diagnostic(`${AT_ONCE} uploads: ${commits} commits, ${syncs} syncs`)
    assert.ok(commits < AT_ONCE && syncs < AT_ONCE)
  })

  it('a larger upload: the bytes, their name, then the row', async () => {
    const calls = within(await trace('large/', 'C', 65_536), 'large/C')
    const [bytes] = bodyIn(calls, 'C', isTemporary)
    const temporary = bytes?.files[0] ?? ''
    const final = temporary.replace(/\.tmp$/, '')
    const log = path.join(folder, 'strongroom.db-wal')
    const commits = commitsIn(calls)
    const steps = calls.filter(
      (call) => isSync(call) || call.name === 'rename' || call === bytes || commits.includes(call),
    )
    assert.deepEqual(
      // One call or several, as the bytes arrive.
      steps.map((call) => [call === bytes ? 'write' : call.name, ...call.files]),
      [
        ['write', temporary],
        ['fdatasync', temporary],
        ['rename', temporary, final],
        ['fsync', path.dirname(final)],
        ['pwrite64', log],
        ['fdatasync', log],
      ],
    )
    for (const [i, step] of steps.entries()) assert.ok(i === 0 || step.began > (steps[i - 1]?.ended ?? 0))
    assert.deepEqual(bodyIn(calls, 'C', isOnLog), [])
  })
})
