import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../../client/derived.ts'
import type { Change, Content, Path } from './model.ts'
import { bytesOf, makeContent } from './noise.ts'
import { bucketOf, hasTrash, keyOf, type Tools } from './worker.ts'

const FOLDER = 120
const TURNS = ['copy', 'move', 'undo', 'move', 'delete'] as const

/** A client that has whole folders copied, moved, moved back and deleted by jobs, again and again. */
export function foreman(own: string, { model, random, noise, fault, send, persist }: Tools) {
  const base = new Map<Path, Content>()
  let fills = 0
  let round = 0
  let turn = 0
  /** The folder that the next job works on. */
  let folder = ''
  /** The move that may be undone next, and where it came from. */
  let moved = { id: '', from: '' }

  /**
   * The folder that all jobs start with, uploaded in forms of 20 files. Where an answer is lost, nobody knows what is in it:
   * then the next step fills another one.
   */
  async function fill(): Promise<void> {
    const prefix = `${own}base${++fills}/`
    for (let i = 0; i < FOLDER; i += 20) {
      const form = new FormData()
      const pairs: { path: Path; to: Content }[] = []
      for (let n = i; n < i + 20; n++) {
        const to = makeContent(noise, random, random.int(1, 500), false)
        const file = String(n).padStart(4, '0')
        pairs.push({ path: `plain/${prefix}${file}`, to })
        form.append('file', new Blob([bytesOf(noise, to)]), file)
      }
      const done = await send((client) =>
        client.uploadForm({ params: { bucket: 'plain' }, query: { prefix }, body: form }),
      )
      const paths = pairs.map(({ path }) => path)
      const change: Change = { action: 'upload', effects: pairs, trashed: [], untrashed: [], recorded: paths }
      model.begin(change)
      if (done.kind === 'lost') {
        model.doubt(change)
        return base.clear()
      }
      model.acknowledge(change)
      for (const { path, to } of pairs) base.set(path, to)
    }
  }

  return async function step(): Promise<void> {
    if (base.size === 0) return fill()
    const does = TURNS[turn] as (typeof TURNS)[number]
    const kind = does === 'undo' ? 'move' : does
    const from = does === 'copy' ? `plain/${own}base${fills}/` : folder
    const to = {
      copy: `plain/${own}${round}/`,
      move: `bare/${own}${round}/moved${turn}/`,
      undo: moved.from,
      delete: '',
    }[does]
    const items = [...model.objects].filter(([path]) => path.startsWith(from))
    const placeOf = (path: Path) => to + path.slice(from.length)
    const change: Change = {
      action: kind,
      effects: [
        ...(kind === 'delete' ? [] : items.map(([path, content]) => ({ path: placeOf(path), to: content }))),
        ...(kind === 'copy' ? [] : items.map(([path]) => ({ path, to: null }))),
      ],
      trashed: kind === 'delete' && hasTrash(from) ? items.map(([path, { etag }]) => ({ path, etag })) : [],
      untrashed: [],
      recorded: items.map(([path]) => (kind === 'delete' ? path : placeOf(path))),
    }
    model.begin(change)
    const source = { source_bucket: bucketOf(from), prefix: keyOf(from) }
    const target = kind === 'delete' ? {} : { dest_bucket: bucketOf(to), dest_prefix: keyOf(to) }
    const id = await create(does === 'undo' ? { kind: 'restore', of: moved.id } : { kind, ...source, ...target })
    const job = await finished(id)
    if (job.status !== 'succeeded' || job.done !== items.length || job.failed !== 0) {
      fault(
        `job ${id} (${does} of ${items.length}): ${job.status}, ${job.done} done, ${job.failed} failed, ${job.detail}`,
      )
      folder = ''
      turn = 0
      round++
      return model.doubt(change)
    }
    model.acknowledge(change)
    model.things.jobs.push({ id, kind, items: items.length })
    if (does === 'move') moved = { id, from }
    folder = to
    turn = (turn + 1) % TURNS.length
    if (turn === 0) round++
  }

  /** Asks for a job until there is one: where the answer is lost it is looked for among all. */
  async function create(body: Body): Promise<string> {
    for (;;) {
      const made = await send((client) => client.createJob({ body }))
      if (made.kind === 'done') return made.value.id
      if (made.kind === 'refused') throw new Error(`a job was refused: ${made.code}, ${made.detail}`)
      // What a killed process had sent to the database may take a moment.
      await pause(2000)
      const listed = await persist((client) => client.listJobs({ query: { limit: 20 } }))
      const found =
        listed.kind === 'done' &&
        listed.value.items.find(
          (job) =>
            job.kind === body.kind &&
            (body.of !== undefined
              ? job.of === body.of
              : job.prefix === body.prefix &&
                job.source_bucket === body.source_bucket &&
                (job.dest_prefix ?? undefined) === body.dest_prefix),
        )
      if (found) return found.id
    }
  }
  async function finished(id: string) {
    for (;;) {
      const job = await persist((client) => client.getJob({ params: { id } }))
      if (job.kind === 'refused') throw new Error(`job ${id}: ${job.code}, ${job.detail}`)
      if (!['queued', 'running'].includes(job.value.status)) return job.value
      await pause(200)
    }
  }
}
type Body = Parameters<Client['createJob']>[0]['body']

/** A client that makes, changes and removes users and groups and changes settings. */
export function administrator({ model, random, fault, send }: Tools) {
  let made = 0
  const ids = new Map<string, string>()
  const { expected } = model.things

  /** Carries it out; `name` is there afterwards (or not). */
  async function change<T>(action: string, name: string | null, there: boolean, call: Parameters<typeof send<T>>[0]) {
    const outcome = await send(call)
    if (outcome.kind === 'refused') {
      fault(`${action} of ${name}: ${outcome.code}, ${outcome.detail}`)
      return undefined
    }
    model.note(action, outcome.kind === 'done' ? 'acknowledged' : 'lost')
    if (name !== null) expected.set(name, outcome.kind === 'done' ? there : null)
    return outcome.kind === 'done' ? outcome.value : undefined
  }
  const known = (kind: string) => [...ids.keys()].filter((name) => name.startsWith(kind) && expected.get(name) === true)

  return async function step(): Promise<void> {
    const turn = random.int(0, 6)
    const n = made++
    if (turn === 0) {
      const email = `u${n}@load.example`
      const user = await change('user_create', `user ${email}`, true, (client) =>
        client.createUser({ body: { email, display_name: `User ${n}` } }),
      )
      if (user) ids.set(`user ${email}`, user.id)
    } else if (turn === 1) {
      const name = `Load ${n}`
      const grants = [{ bucket_pattern: 'plain', prefix: `u${n}/`, actions: ['read' as const, 'write' as const] }]
      const group = await change('group_create', `group ${name}`, true, (client) =>
        client.createGroup({ body: { name, grants } }),
      )
      if (group) ids.set(`group ${name}`, group.id)
    } else if (turn === 2) {
      const name = random.pick(known('user'))
      const id = name && ids.get(name)
      if (id) await change('user_delete', name, false, (client) => client.deleteUser({ params: { id } }))
    } else if (turn === 3) {
      const name = random.pick(known('group'))
      const id = name && ids.get(name)
      if (id)
        await change('group_delete', name, false, (client) =>
          client.deleteGroup({ params: { id }, query: { force: true } }),
        )
    } else if (turn === 4) {
      const name = random.pick(known('group'))
      const [id, user_id] = [name && ids.get(name), ids.get(random.pick(known('user')) ?? '')]
      if (id && user_id)
        await change('group_update', null, true, (client) =>
          client.addMembers({ params: { id }, body: { user_ids: [user_id] } }),
        )
    } else {
      const default_expires_in = `${random.int(1, 30)}d`
      await change('settings_update', null, true, (client) =>
        client.updateSettings({ body: { shares: { default_expires_in } } }),
      )
    }
  }
}
