import type { Outcome, Sender } from './client.ts'
import type { Change, Content, Model, Path } from './model.ts'
import { bytesOf, makeContent, PART, partEtag, partsOf, sha256 } from './noise.ts'
import type { Random } from './random.ts'

/** Buckets of the load: one of each kind of trash and quota. */
export const BUCKETS = {
  plain: { name: 'plain', trash_days: 7 },
  bare: { name: 'bare', trash_days: 0 },
  tight: { name: 'tight', trash_days: 7, quota_gb: 3 / 1024 },
} as const
const names = Object.keys(BUCKETS) as (keyof typeof BUCKETS)[]
const MOST_KEYS = 60
/** More than enough to share commits. */
const TOGETHER = 12

export interface Tools extends Sender {
  model: Model
  random: Random
  noise: Buffer<ArrayBuffer>
  /** Hears of what must not be. */
  fault(text: string): void
}

export const bucketOf = (path: Path): string => path.slice(0, path.indexOf('/'))
export const keyOf = (path: Path): string => path.slice(path.indexOf('/') + 1)
export const hasTrash = (path: Path): boolean => BUCKETS[bucketOf(path) as keyof typeof BUCKETS].trash_days > 0

/** One client: its keys are its own in every bucket, and it does one thing, or uploads a few objects, at a time. */
export function worker(own: string, tools: Tools) {
  const { model, random, noise, fault, send, persist } = tools
  const { int, pick, chance } = random
  /** Contents by their ETag, for what comes back from the trash. */
  const known = new Map<string, Content>()
  let made = 0

  const free = (path: Path) => !model.locked.has(path)
  const mine = (): Path[] => [...model.objects.keys()].filter((path) => keyOf(path).startsWith(own) && free(path))
  const newPath = (): Path => `${pick(names)}/${own}${pick(['', 'a/', 'b ü/', 'ä%+#?/'])}${made++}`
  /** Most are small, some are empty, few are large. */
  const size = () => (chance(0.05) ? 0 : chance(0.06) ? int(100_000, 400_000) : int(1, 24_000))
  const content = (bytes: number, inParts = false): Content => {
    const one = makeContent(noise, random, bytes, inParts)
    known.set(one.etag, one)
    return one
  }
  const overwritten = (path: Path) => {
    const old = model.objects.get(path)
    return old && hasTrash(path) ? [{ path, etag: old.etag }] : []
  }
  const upload = (pairs: { path: Path; to: Content }[]): Change => ({
    action: 'upload',
    effects: pairs,
    trashed: pairs.flatMap(({ path }) => overwritten(path)),
    untrashed: [],
    recorded: pairs.map(({ path }) => path),
  })

  /** Carries a change out; `allowed` are the codes it may be refused with. */
  async function carryOut<T>(
    change: Change,
    allowed: readonly string[],
    call: () => Promise<Outcome<T>>,
  ): Promise<T | undefined> {
    model.begin(change)
    const outcome = await call()
    if (outcome.kind === 'done') {
      model.acknowledge(change)
      return outcome.value
    }
    if (outcome.kind === 'lost') {
      model.doubt(change)
      return undefined
    }
    model.refuse(change)
    if (!allowed.includes(outcome.code))
      fault(`${change.action} of ${change.recorded.join(', ')} was refused: ${outcome.code}, ${outcome.detail}`)
    return undefined
  }

  async function put(path: Path, bytes = size()): Promise<void> {
    // Overwriting nothing with nothing leaves no trace, so its outcome could not be determined if the response was lost.
    const to = content(model.objects.get(path)?.size === 0 ? int(1, 24_000) : bytes)
    const params = { bucket: bucketOf(path), key: keyOf(path) }
    const object = await carryOut(upload([{ path, to }]), ['quota_exceeded'], () =>
      send((client) => client.putObject({ params, body: bytesOf(noise, to) })),
    )
    if (object && object.etag !== to.etag)
      fault(`${path} was stored with the ETag ${object.etag} instead of ${to.etag}`)
  }

  /** Small ones that are in flight together. */
  async function putTogether(): Promise<void> {
    const name = pick(names) as string
    const prefix = `${name}/${own}together${made++}/`
    await Promise.all(Array.from({ length: TOGETHER }, (_, i) => put(`${prefix}${i}`, int(1, 16_000))))
  }

  async function putForm(): Promise<void> {
    const name = pick(names) as string
    const prefix = `${own}form${made++}/`
    const pairs = Array.from({ length: int(2, 8) }, (_, i) => ({ path: `${name}/${prefix}${i}`, to: content(size()) }))
    const form = new FormData()
    for (const { path, to } of pairs)
      form.append('file', new Blob([bytesOf(noise, to)]), keyOf(path).slice(prefix.length))
    await carryOut(upload(pairs), ['quota_exceeded'], () =>
      send((client) => client.uploadForm({ params: { bucket: name }, query: { prefix }, body: form })),
    )
  }

  /** An upload in parts: whatever happens, it is gone on with until it is complete; some are given up or forgotten. */
  async function putParts(path: Path): Promise<void> {
    const to = content(chance(0.1) ? PART + int(1, 200_000) : int(1, 60_000), true)
    const params = { bucket: bucketOf(path) }
    const parts = partsOf(bytesOf(noise, to))
    const file_size = chance(0.7) ? { file_size: to.size } : {}
    const begun = await send((client) =>
      client.initUpload({ params, body: { key: keyOf(path), part_size: PART, ...file_size } }),
    )
    if (begun.kind === 'refused' && begun.code !== 'quota_exceeded')
      fault(`init of ${path}: ${begun.code}, ${begun.detail}`)
    if (begun.kind !== 'done') return
    const { upload_id, urls } = begun.value
    if (chance(0.05)) return
    const change = upload([{ path, to }])
    model.begin(change)
    const giveUp = async () => {
      const outcome = await persist((client) => client.abortUpload({ params, body: { upload_id } }))
      if (outcome.kind === 'refused' && outcome.code !== 'not_found') fault(`abort of ${path}: ${outcome.code}`)
      model.refuse(change)
    }
    for (const [i, part] of parts.entries()) {
      const answer = await persist((_client, base) => sendPart(base, urls[i] ?? '', part))
      if (answer.kind === 'done' && answer.value === 200) continue
      if (answer.kind === 'done' && answer.value === 413 && !('file_size' in file_size)) return giveUp()
      fault(`part ${i + 1} of ${path} was answered ${answer.kind === 'done' ? answer.value : answer.code}`)
      return giveUp()
    }
    if (chance(0.05)) return giveUp()
    const named = parts.map((part, i) => ({ part_number: i + 1, etag: partEtag(part) }))
    for (let tries = 0; ; tries++) {
      const done = await persist((client) => client.completeUpload({ params, body: { upload_id, parts: named } }))
      if (done.kind === 'done') {
        if (done.value.etag !== to.etag) fault(`${path} was completed with the ETag ${done.value.etag}`)
        return model.acknowledge(change)
      }
      if (done.code !== 'conflict' || tries === 3) {
        fault(`completing ${path}: ${done.code}, ${done.detail}`)
        return model.doubt(change)
      }
      // A part whose bytes and row do not belong together since a crash has to be sent again.
      const status = await persist((client) => client.getUpload({ params: { ...params, upload_id } }))
      if (status.kind === 'done')
        for (const { part_number, url } of status.value.urls) {
          const part = parts[part_number - 1]
          if (part) await persist((_client, base) => sendPart(base, url, part))
        }
    }
  }

  async function transfer(kind: 'copy' | 'move'): Promise<void> {
    const from = pick(mine())
    const taken = pick(mine())
    const path = chance(0.2) && taken ? taken : newPath()
    const to = from && model.objects.get(from)
    if (!from || !to || path === from || model.objects.get(path)?.etag === to.etag) return
    const body = { source_bucket: bucketOf(from), source_key: keyOf(from), dest_key: keyOf(path) }
    const change: Change = {
      action: kind,
      effects: [{ path, to }, ...(kind === 'move' ? [{ path: from, to: null }] : [])],
      trashed: overwritten(path),
      untrashed: [],
      recorded: [path],
    }
    await carryOut(change, ['quota_exceeded'], () =>
      send((client) =>
        client[kind === 'copy' ? 'copyObject' : 'moveObject']({ params: { bucket: bucketOf(path) }, body }),
      ),
    )
  }

  const deletion = (paths: readonly Path[], permanent: boolean): Change => ({
    action: 'delete',
    effects: paths.map((path) => ({ path, to: null })),
    trashed: permanent ? [] : paths.flatMap(overwritten),
    untrashed: [],
    recorded: [...paths],
  })
  async function remove(): Promise<void> {
    const path = pick(mine())
    if (!path) return
    const permanent = chance(0.2)
    const params = { bucket: bucketOf(path), key: keyOf(path) }
    await carryOut(deletion([path], permanent), [], () =>
      send((client) => client.deleteObject({ params, query: { permanent } })),
    )
  }
  async function removeMany(): Promise<void> {
    const name = pick(names) as string
    const paths = mine().filter((path) => bucketOf(path) === name)
    const some = paths.filter(() => chance(0.4))
    if (some.length === 0) return
    const done = await carryOut(deletion(some, false), [], () =>
      send((client) => client.bulkDelete({ params: { bucket: name }, body: { keys: some.map(keyOf) } })),
    )
    if (done && done.errors.length > 0) fault(`bulk delete: ${JSON.stringify(done.errors)}`)
  }

  async function restore(): Promise<void> {
    const path = pick([...model.trash.keys()].filter((one) => keyOf(one).startsWith(own) && free(one)))
    if (!path || model.objects.has(path)) return
    const params = { bucket: bucketOf(path) }
    const listed = await persist((client) => client.listTrash({ params, query: { prefix: keyOf(path), limit: 1000 } }))
    const item = listed.kind === 'done' ? listed.value.items.find(({ key }) => key === keyOf(path)) : undefined
    const to = item && known.get(item.etag)
    if (!item || !to) return fault(`${path} is not in the trash any more`)
    const change: Change = {
      action: 'restore',
      effects: [{ path, to }],
      trashed: [],
      untrashed: [{ path, etag: to.etag }],
      recorded: [path],
    }
    await carryOut(change, ['quota_exceeded'], () =>
      send((client) => client.restoreTrash({ params, body: { ids: [item.id] } })),
    )
  }

  async function read(): Promise<void> {
    const path = pick(mine())
    const is = path && model.objects.get(path)
    if (!path || !is) return
    const start = is.size > 2 && chance(0.5) ? int(0, is.size - 1) : undefined
    const headers: Record<string, string> =
      start === undefined ? {} : { range: `bytes=${start}-${int(start, is.size)}` }
    const outcome = await send(async (client) => {
      const response = await client.getObject({ params: { bucket: bucketOf(path), key: keyOf(path) }, headers })
      return { response, bytes: Buffer.from(await response.arrayBuffer()) }
    })
    if (outcome.kind === 'refused') return fault(`reading ${path}: ${outcome.code}, ${outcome.detail}`)
    if (outcome.kind === 'lost') return
    const { response, bytes } = outcome.value
    const [, from, to] = /bytes (\d+)-(\d+)\//.exec(response.headers.get('content-range') ?? '') ?? []
    const whole = bytesOf(noise, is)
    const wanted = start === undefined ? whole : whole.subarray(Number(from), Number(to) + 1)
    if (sha256(bytes) !== sha256(wanted) || response.headers.get('etag') !== `"${is.etag}"`)
      fault(`${path} was read with other bytes`)
  }

  async function share(): Promise<void> {
    const path = pick(mine())
    if (!path) return
    const params = { bucket: bucketOf(path), key: keyOf(path) }
    // Longer than the clock is put forward.
    const made = await send((client) => client.shareObject({ params, body: { expires_in: '7d' } }))
    if (made.kind === 'lost') return model.note('share_create', 'lost')
    if (made.kind === 'refused') return fault(`a link to ${path}: ${made.code}`)
    model.note('share_create', 'acknowledged')
    const { token, id } = made.value
    const link = { path, active: true as boolean | null }
    model.things.links.set(token, link)
    const opened = await send(async (client) => (await client.openShare({ params: { token } })).arrayBuffer())
    if (opened.kind === 'refused') fault(`a link to ${path} cannot be opened: ${opened.code}`)
    if (chance(0.5)) return
    const revoked = await send((client) => client.revokeShare({ params: { id } }))
    link.active = revoked.kind === 'done' ? false : null
    if (revoked.kind === 'refused') fault(`a link to ${path} cannot be revoked: ${revoked.code}`)
    else model.note('share_revoke', revoked.kind === 'done' ? 'acknowledged' : 'lost')
    if (link.active === null) return
    const again = await send((client) => client.openShare({ params: { token } }))
    if (again.kind === 'done') fault(`a revoked link to ${path} was opened`)
  }

  /** Does one thing. */
  return async function step(): Promise<void> {
    const keys = mine()
    if (keys.length < 5) return put(newPath())
    if (keys.length > MOST_KEYS) return chance(0.5) ? removeMany() : remove()
    const turn = int(0, 100)
    if (turn < 18) return put(newPath())
    if (turn < 26) return putTogether()
    if (turn < 36) return put(pick(keys) as Path)
    if (turn < 41) return putForm()
    if (turn < 47) return putParts(chance(0.3) ? (pick(keys) as Path) : newPath())
    if (turn < 54) return transfer('copy')
    if (turn < 62) return transfer('move')
    if (turn < 72) return remove()
    if (turn < 74) return removeMany()
    if (turn < 80) return restore()
    if (turn < 84) return share()
    return read()
  }
}

async function sendPart(base: string, url: string, body: Uint8Array<ArrayBuffer>): Promise<number> {
  const response = await fetch(base + new URL(url).pathname, {
    method: 'PUT',
    body,
    signal: AbortSignal.timeout(60_000),
  })
  await response.arrayBuffer()
  // To be sent again.
  if (response.status >= 500) throw Object.assign(new Error(`part: ${response.status}`), { code: 'ECONNRESET' })
  return response.status
}
