// What is lost when a machine burns: random work, kill -9, the whole data folder deleted at a random moment, in two of three
// runs with the first copies of all bytes in it, and the database recovered from the backup place into a new folder. Run by hand for many; tests/faults/loss.test.ts does a few.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Client, createClient } from '../../client/derived.ts'
import { childrenOf, type ServerProcess, spawnServer, strongroom } from '../support/process.ts'
import { ADMIN, serverEnv } from '../support/server.ts'
import { type Random, random } from './random.ts'

const CLIENTS = 8
const KEYS_EACH = 12
/** Less than this is kept in the database. */
const LARGEST_INLINE = 32 * 1024

export interface Loss {
  acknowledged: number
  /** Acknowledged until the moment that was said, and not there. Must be none. */
  lost: string[]
  /** Acknowledged after it, and not there. */
  afterwards: number
  /** From the moment that was said to the kill, in seconds. */
  lag: number
  wrongBytes: number
  /** Where the bytes burn as well: contents whose rows are there, and whose bytes were not on the mirror yet. */
  bytesLost: number
  /** From when the oldest copy was due that the recovered database says to be missing, to the kill, in seconds; 0 if none is. */
  copiesLag: number
}

/** What burns with the database: the first copies of the bytes, of which a mirror has others; or nothing else. */
export type Burning = 'one' | 'both' | 'rows'

/** What a key was set to, in order; nulls: deleted. */
interface Change {
  hash: string | null
  md5: string | null
  sent: number
  /** When it was acknowledged; undefined if that never came. */
  done: number | undefined
}

/** One run. `failing`: the backup place fails at random. */
export async function loseOnce(
  seed: number,
  { failing, burning }: { failing: boolean; burning: Burning },
): Promise<Loss> {
  const hasMirror = burning !== 'rows'
  const chosen = random(seed)
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-loss-'))
  const place = path.join(root, 'place')
  fs.mkdirSync(path.join(root, 'disk'))
  fs.writeFileSync(path.join(root, 'no-disk'), '')
  fs.symlinkSync('disk', place)
  const envOf = (machine: string): Record<string, string> => ({
    ...serverEnv(path.join(root, machine)),
    STORAGE_URL: `file:${path.join(root, ...(hasMirror ? [machine, 'bytes'] : ['bytes']))}`,
    STORAGE_FOLDERS: path.join(root, 'nas'),
    // A machine under load is no mirror that is down.
    MIRROR_TIMEOUT_SECONDS: '60',
    BACKUP_URL: `file:${path.join(place, 'backup')}`,
    LOG_LEVEL: 'fatal',
    UPLOADS_PER_SENDER: '0',
  })
  try {
    const workers = chosen.chance(0.5) ? '1' : '2'
    const body = { username: ADMIN.email, password: ADMIN.password }
    const login = async (url: string) => (await createClient({ baseUrl: url }).login({ body })).access_token
    const connect = async (url: string) => createClient({ baseUrl: url, token: await login(url) })
    if (burning !== 'rows') await setMirror(envOf('first'), { connect, root, acknowledge: burning })
    const service = await spawnServer(envOf('first'), ['serve', '--workers', workers])
    const token = await login(service.url)
    const admin = createClient({ baseUrl: service.url, token })
    await admin.createBucket({ body: { name: 'files', trash_days: 0 } })
    const following = async () => (await admin.getBackup()).state === 'following'
    while (!(await following())) await pause(50)

    const history = new Map<string, Change[]>()
    let over = false
    const clients = Array.from({ length: CLIENTS }, (_, i) =>
      work({ url: service.url, token, prefix: `${i}/`, chosen: random(seed * 100 + i), history, isOver: () => over }),
    )
    const until = performance.now() + chosen.int(1500, 6000)
    while (performance.now() < until) {
      await pause(chosen.int(100, 900))
      if (failing) breakPlace(place, chosen.chance(0.5))
    }
    const killed = Date.now()
    killAll(service)
    over = true
    await Promise.all(clients)
    breakPlace(place, false)
    fs.rmSync(path.join(root, 'first'), { recursive: true })

    const { out, err, code } = await strongroom(['recover'], envOf('second'))
    const moment = Date.parse(/acknowledged until (\S+) is there/.exec(out)?.[1] ?? '')
    if (code !== 0 || Number.isNaN(moment)) throw new Error(`seed ${seed}: ${out}${err}`)
    const fresh = await spawnServer(envOf('second'), ['serve', ...(hasMirror ? ['--accept-new-storage'] : [])])
    try {
      const due = (await (await connect(fresh.url)).getStorage({ params: { storage: 'default' } })).mirror?.due_since
      const dueSince = due ? Date.parse(due) : killed
      const found = await compare(fresh.url, await login(fresh.url), history, { moment, dueSince, burning })
      const [lag, copiesLag] = [(killed - moment) / 1000, (killed - dueSince) / 1000]
      return { ...found, acknowledged: acknowledgedIn(history), lag, copiesLag }
    } finally {
      await fresh.kill('SIGKILL')
    }
  } finally {
    fs.rmSync(root, { recursive: true, force: true })
  }
}

/** A first start, which gives the default storage a mirror that the processes of the second all know of. */
async function setMirror(
  env: Record<string, string>,
  {
    connect,
    root,
    acknowledge,
  }: { connect: (url: string) => Promise<Client>; root: string; acknowledge: 'one' | 'both' },
): Promise<void> {
  fs.mkdirSync(path.join(root, 'nas'))
  const service = await spawnServer(env)
  const admin = await connect(service.url)
  await admin.createStorage({ body: { name: 'nas', kind: 'file', folder: path.join(root, 'nas', 'bytes') } })
  await admin.updateStorage({ params: { storage: 'default' }, body: { mirror: { storage: 'nas', acknowledge } } })
  await service.kill('SIGTERM')
}

/** The place is a file instead of a folder while it is broken: nothing can be read or written there. */
function breakPlace(place: string, broken: boolean): void {
  const draft = `${place}.new`
  fs.rmSync(draft, { force: true })
  fs.symlinkSync(broken ? 'no-disk' : 'disk', draft)
  fs.renameSync(draft, place)
}

function killAll({ child }: ServerProcess): void {
  const pid = child.pid as number
  for (const one of [pid].concat(childrenOf(pid))) process.kill(one, 'SIGKILL')
}

interface Work {
  url: string
  token: string
  prefix: string
  chosen: Random
  history: Map<string, Change[]>
  isOver: () => boolean
}

async function work({ url, token, prefix, chosen, history, isOver }: Work): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  while (!isOver()) {
    const key = `${prefix}${chosen.int(0, KEYS_EACH)}`
    const changes = history.get(key) ?? []
    history.set(key, changes)
    const isDelete = (changes.at(-1)?.hash ?? null) !== null && chosen.chance(0.2)
    const size = chosen.chance(0.25) ? chosen.int(LARGEST_INLINE, 400_000) : chosen.int(0, 6000)
    const bytes = Buffer.alloc(size, `${key} ${changes.length} ${chosen.next()} `)
    const [hash, md5] = isDelete ? [null, null] : [sha256(bytes), createHash('md5').update(bytes).digest('hex')]
    const change: Change = { hash, md5, sent: Date.now(), done: undefined }
    changes.push(change)
    const target = `${url}/api/v1/buckets/files/objects/${key}`
    try {
      const answer = isDelete
        ? await fetch(`${target}?permanent=true`, { method: 'DELETE', headers })
        : await fetch(target, { method: 'PUT', headers, body: bytes })
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`${answer.status}`)
      change.done = Date.now()
    } catch {
      // In doubt: nothing more is done with this key.
      return
    }
  }
}

const acknowledgedIn = (history: Map<string, Change[]>): number =>
  [...history.values()].flat().filter(({ done }) => done !== undefined).length

async function compare(
  url: string,
  token: string,
  history: Map<string, Change[]>,
  { moment, dueSince, burning }: { moment: number; dueSince: number; burning: Burning },
): Promise<Pick<Loss, 'lost' | 'afterwards' | 'wrongBytes' | 'bytesLost'>> {
  const lost: string[] = []
  let [afterwards, wrongBytes, bytesLost] = [0, 0, 0]
  for (const [key, changes] of history) {
    const target = `${url}/api/v1/buckets/files/objects/${key}`
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(target, { headers })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const hash = answer.status === 404 ? null : sha256(bytes)
    const isUnreadable = answer.status !== 404 && !answer.ok
    const etag = isUnreadable ? (await fetch(target, { method: 'HEAD', headers })).headers.get('etag') : undefined
    // Each key has one client that waits for each answer, so what is there is one of its changes, or nothing before the first.
    const at = changes.findLastIndex((one) => (isUnreadable ? `"${one.md5}"` === etag : one.hash === hash))
    if (at < 0 && hash !== null) wrongBytes++
    if (isUnreadable) {
      bytesLost++
      // With one copy acknowledged, what was not copied yet may be gone: all that was due, and nothing else.
      const done = changes[at]?.done
      if (burning !== 'one' || (done !== undefined && done < dueSince))
        lost.push(`${key}: the bytes of ${at}, ${answer.status}, due since ${new Date(dueSince).toISOString()}`)
    }
    const sure = changes.findLastIndex(({ done }) => done !== undefined && done <= moment)
    if (at < sure) lost.push(`${key}: ${at} of ${sure}, ${answer.status}`)
    afterwards += changes.filter(({ done }, i) => i > Math.max(at, sure) && done !== undefined).length
  }
  return { lost, afterwards, wrongBytes, bytesLost }
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

const BURNING: readonly Burning[] = ['both', 'one', 'rows']

/** Many runs, every second one with a place that fails; prints a line for each, and what came of all. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      minutes: { type: 'string', default: '60' },
    },
  })
  const until = Date.now() + Number(values.minutes) * 60_000
  const all: (Loss & { failing: boolean; burning: Burning })[] = []
  for (let i = 0; i < Number(values.runs) && Date.now() < until; i++) {
    const seed = Number(values.seed) + i
    const failing = i % 2 === 1
    const burning = BURNING[(i >> 1) % BURNING.length] as Burning
    const found = await loseOnce(seed, { failing, burning })
    all.push({ ...found, failing, burning })
    process.stdout.write(
      `${seed}\t${burning}\t${failing ? 'failing' : 'sound'}\t${found.acknowledged} acknowledged\tlag ${found.lag.toFixed(2)} s\tcopies ${found.copiesLag.toFixed(2)} s\tbytes gone ${found.bytesLost}\tafter the moment ${found.afterwards}\tlost ${found.lost.length}\twrong ${found.wrongBytes}\t${found.lost.join('; ')}\n`,
    )
  }
  for (const burning of BURNING)
    for (const failing of [false, true]) {
      const some = all.filter((one) => one.failing === failing && one.burning === burning)
      const middle = (of: (one: Loss) => number) => {
        const sorted = some.map(of).sort((a, b) => a - b)
        return `median ${sorted[sorted.length >> 1]?.toFixed(2)} s, most ${sorted.at(-1)?.toFixed(2)} s`
      }
      const sum = (of: (one: Loss) => number) => some.reduce((total, one) => total + of(one), 0)
      process.stdout.write(
        `${burning}, ${failing ? 'failing' : 'sound'}: ${some.length} runs, ${sum((one) => one.acknowledged)} acknowledged, lost ${sum((one) => one.lost.length)}, wrong bytes ${sum((one) => one.wrongBytes)}, after the moment ${sum((one) => one.afterwards)}, bytes not copied yet ${sum((one) => one.bytesLost)}; lag ${middle((one) => one.lag)}; of copies ${middle((one) => one.copiesLag)}\n`,
      )
    }
  process.exitCode = all.some(({ lost, wrongBytes }) => lost.length + wrongBytes > 0) ? 1 : 0
}
if (import.meta.main) await main()
