// What a writer may do, and what that makes of the model.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Change, type Item, itemOf, type Sight, without } from './order.ts'
import { type Answer, etagOf, type World } from './world.ts'

export const KEYS = ['a', 'b', 'c/1', 'c/2', 'd/1'] as const
/** All that there can be, but for what was restored next to another. */
export const ALL_KEYS = [...KEYS, 'd/2', 'c-1', 'c-2', 'd-1', ...KEYS.map((one) => `e/${one}`)]
const FOLDERS = ['c/', 'd/'] as const
const key = fc.constantFrom(...KEYS)
const some = fc.uniqueArray(key, { minLength: 2, maxLength: 4 })
const kind = <Kind extends string>(name: Kind) => fc.constant(name)

export const JOBS = ['move', 'copy', 'delete', 'empty_bucket', 'tag', 'rollback'] as const
const job = fc.record({
  kind: kind('job'),
  job: fc.constantFrom(...JOBS, 'rollback' as const, 'move' as const),
  folder: fc.constantFrom(...FOLDERS),
  to: fc.nat(30),
  tags: fc.constantFrom('1', '2'),
  /** After how many ms its process is killed. */
  killed: fc.oneof({ weight: 19, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(40) }),
})
export type JobStep = typeof job extends fc.Arbitrary<infer Value> ? Value : never

export const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: kind('put'), key, how: fc.constantFrom('any', 'new', 'same'), tagged: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kind('form'), keys: some }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('remove'), key }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('describe'), key, what: fc.constantFrom('tags', 'metadata') }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: kind('transfer'),
      of: fc.constantFrom('copy', 'move'),
      key,
      to: key,
      free: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kind('many'), of: fc.constantFrom('copy', 'move', 'delete'), keys: some }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind('restore'),
      nth: fc.nat(4),
      conflict: fc.constantFrom('fail', 'replace', 'keep_both'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('version'), key, nth: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('snapshot') }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('read'), key }) },
  { weight: 3, arbitrary: job },
)
export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** What the writers of a run have done and seen. */
export interface Log {
  world: World
  bucket: string
  changes: Change[]
  sights: Sight[]
  /** Which items of the trash were asked back, with what became of that. */
  restores: { id: string; answer: Answer }[]
  snapshots: Map<string, string>
}
let written = 0
const json = <T>(answer: Answer) => JSON.parse(answer.text) as T
type Said = Parameters<World['itemOf']>[0] & { key: string }

/** Notes what a request that was answered well has done, at the moment that the answer names. */
export function noteChange({ changes }: Pick<Log, 'changes'>, answer: Answer, apply: Change['apply']): void {
  assert.ok(answer.moment, `${answer.what}: no moment`)
  changes.push({ ...answer, moment: answer.moment, apply })
}
const see = ({ sights }: Log, { what, sent, answered }: Answer, on: string, holds: Sight['holds']) =>
  void sights.push({ what, sent, answered, key: on, holds })
const isThere = (item: Item | undefined) => item !== undefined
const isAbsent = (item: Item | undefined) => item === undefined
function unexpected({ what, text }: Answer): never {
  assert.fail(`${what} ${text}`)
}

const steps: { [K in Exclude<Step['kind'], 'job'>]: (log: Log, step: Extract<Step, { kind: K }>) => Promise<void> } = {
  async put(log, { key: on, how, tagged }) {
    const { world, bucket } = log
    const url = `/buckets/${bucket}/objects/${encodeURIComponent(on)}`
    const number = ++written
    // Some are kept in the database, the others in files.
    const text = world.contents(number % 2 ? `text ${number}` : `a text for a file, number ${number}`)
    const headers: Record<string, string> = { 'content-type': 'text/plain' }
    if (tagged) headers['x-tags'] = 't=0'
    if (how === 'new') headers['if-none-match'] = '*'
    let known: string | undefined
    if (how === 'same') {
      const read = await world.ask('GET', url)
      known = read.status === 200 ? read.text : undefined
      see(log, read, on, (item) => item?.text === known)
      if (known === undefined) return
      headers['if-match'] = `"${etagOf(known)}"`
    }
    const answer = await world.ask('PUT', url, { body: text, headers })
    if (answer.status === 412)
      return see(log, answer, on, (item) => (how === 'new' ? isThere(item) : item?.text !== known))
    if (answer.status !== 201 && answer.status !== 200) unexpected(answer)
    const item = { text, type: 'text/plain', metadata: {}, tags: tagged ? { t: '0' } : ({} as Item['tags']) }
    noteChange(log, answer, (state) => {
      if (how === 'new') assert.ok(!state[on], `${answer.what}: ${on} was there`)
      if (how === 'same') assert.equal(state[on]?.text, known, answer.what)
      assert.equal(answer.status === 201, !state[on], `${answer.what}: created, or not`)
      return { ...state, [on]: item }
    })
  },

  async form(log, { keys }) {
    const { world, bucket } = log
    const form = new FormData()
    const number = ++written
    const names = keys.map((on) => on.replace('/', '-'))
    for (const name of names)
      form.append('file', new Blob([world.contents(`${number} ${name}`)], { type: 'text/css' }), name)
    const answer = await world.ask('POST', `/buckets/${bucket}/objects`, { body: form })
    if (answer.status !== 201) unexpected(answer)
    const item = (name: string): Item => ({ text: `${number} ${name}`, type: 'text/css', metadata: {}, tags: {} })
    noteChange(log, answer, (state) => ({ ...state, ...Object.fromEntries(names.map((name) => [name, item(name)])) }))
  },

  async remove(log, { key: on }) {
    const answer = await log.world.ask('DELETE', `/buckets/${log.bucket}/objects/${encodeURIComponent(on)}`)
    if (answer.status === 404) return see(log, answer, on, isAbsent)
    if (answer.status !== 204) unexpected(answer)
    noteChange(log, answer, (state) => {
      itemOf(state, on, answer.what)
      return without(state, on)
    })
  },

  async describe(log, { key: on, what }) {
    const number = String(++written)
    const body = what === 'tags' ? { tags: { t: number } } : { metadata: { n: number }, content_type: 'text/markdown' }
    const answer = await log.world.ask('PATCH', `/buckets/${log.bucket}/objects/${encodeURIComponent(on)}`, { body })
    if (answer.status === 404) return see(log, answer, on, isAbsent)
    if (answer.status !== 200) unexpected(answer)
    const { content_type: type, ...described } = { content_type: undefined, ...body }
    noteChange(log, answer, (state) => {
      const item = { ...itemOf(state, on, answer.what), ...described, ...(type === undefined ? {} : { type }) }
      assert.deepEqual(log.world.itemOf(json(answer)), item, answer.what)
      return { ...state, [on]: item }
    })
  },

  async transfer(log, { of, key: on, to, free }) {
    if (on === to) return
    const body = { source_bucket: log.bucket, source_key: on, dest_key: to, ...(free ? { if_none_match: '*' } : {}) }
    const answer = await log.world.ask('POST', `/buckets/${log.bucket}/objects/${of}`, { body })
    if (answer.status === 404) return see(log, answer, on, isAbsent)
    if (answer.status === 412 && free) return see(log, answer, to, isThere)
    if (answer.status !== 200) unexpected(answer)
    noteChange(log, answer, (state) => {
      const item = itemOf(state, on, answer.what)
      if (free) assert.ok(!state[to], `${answer.what}: ${to} was there`)
      assert.deepEqual(log.world.itemOf(json(answer)), item, answer.what)
      return { ...(of === 'move' ? without(state, on) : state), [to]: item }
    })
  },

  async many(log, { of, keys }) {
    const body = of === 'delete' ? { keys } : { source_bucket: log.bucket, keys, dest_prefix: 'e/', source_prefix: '' }
    const answer = await log.world.ask('POST', `/buckets/${log.bucket}/objects/bulk-${of}`, { body })
    if (answer.status !== 200) unexpected(answer)
    const { succeeded, errors } = json<{ succeeded: string[]; errors: { key: string; code: string }[] }>(answer)
    for (const { key: on, code } of errors) {
      assert.equal(code, 'not_found', `${answer.what} ${answer.text}`)
      see(log, answer, on, isAbsent)
    }
    assert.equal(succeeded.length + errors.length, keys.length, `${answer.what} ${answer.text}`)
    if (succeeded.length === 0) return
    const sources = succeeded.map((one) => (of === 'delete' ? one : one.slice('e/'.length)))
    noteChange(log, answer, (state) => {
      const items = sources.map((on) => [`e/${on}`, itemOf(state, on, answer.what)] as const)
      const left = of === 'copy' ? state : without(state, ...sources)
      return of === 'delete' ? left : { ...left, ...Object.fromEntries(items) }
    })
  },

  async restore(log, { nth, conflict }) {
    const { items } = await log.world.clients[nth % 2 ? 1 : 0].listTrash({ params: { bucket: log.bucket } })
    const one = items[nth]
    if (!one) return
    const body = { ids: [one.id], on_conflict: conflict }
    const answer = await log.world.ask('POST', `/buckets/${log.bucket}/trash/restore`, { body })
    log.restores.push({ id: one.id, answer })
    if (answer.status === 404) return
    if (answer.status === 409 && conflict === 'fail') return see(log, answer, one.key, isThere)
    if (answer.status !== 200) unexpected(answer)
    const said = json<{ items: Said[] }>(answer).items[0] ?? unexpected(answer)
    const item = log.world.itemOf(said)
    assert.equal(item.text, log.world.textOf(one.etag))
    noteChange(log, answer, (state, past) => {
      assert.ok(past.had(one.key, item), `${answer.what}: ${one.key} was never ${JSON.stringify(item)}`)
      if (conflict !== 'replace') assert.ok(!state[said.key], `${answer.what}: ${said.key} was there`)
      if (said.key !== one.key) itemOf(state, one.key, answer.what)
      return { ...state, [said.key]: item }
    })
  },

  async version(log, { key: on, nth }) {
    const { items } = await log.world.clients[nth % 2 ? 1 : 0].listVersions({
      params: { bucket: log.bucket },
      query: { key: on },
    })
    const one = items.filter(({ latest, marker }) => !latest && !marker)[nth]
    if (!one) return
    const body = { key: on, version_id: one.version_id }
    const answer = await log.world.ask('POST', `/buckets/${log.bucket}/versions/restore`, { body })
    // Emptied meanwhile.
    if (answer.status === 404) return
    if (answer.status !== 200) unexpected(answer)
    const item = log.world.itemOf(json(answer))
    assert.equal(item.text, log.world.textOf(one.etag ?? ''))
    noteChange(log, answer, (state, past) => {
      assert.ok(past.had(on, item), `${answer.what}: ${on} was never ${JSON.stringify(item)}`)
      return { ...state, [on]: item }
    })
  },

  async snapshot(log) {
    const name = `snapshot-${++written}`
    const answer = await log.world.ask('POST', `/buckets/${log.bucket}/snapshots`, { body: { name } })
    if (answer.status !== 201) unexpected(answer)
    const { moment } = json<{ moment: string }>(answer)
    log.snapshots.set(name, moment)
    noteChange(log, { ...answer, moment }, (state) => state)
  },

  async read(log, { key: on }) {
    const answer = await log.world.ask('GET', `/buckets/${log.bucket}/objects/${encodeURIComponent(on)}`)
    if (answer.status !== 200 && answer.status !== 404) unexpected(answer)
    see(log, answer, on, (item) => item?.text === (answer.status === 200 ? answer.text : undefined))
  },
}

export const take = (log: Log, one: Exclude<Step, { kind: 'job' }>): Promise<void> =>
  (steps[one.kind] as (log: Log, step: Step) => Promise<void>)(log, one)

/** Asserts that every item of the trash came back once at most, and was missed by nobody before. */
export function assertRestoredOnce({ restores }: Log): void {
  for (const [id, those] of Map.groupBy(restores, (one) => one.id)) {
    const done = those.filter(({ answer }) => answer.status === 200)
    assert.ok(done.length <= 1, `${id} was restored ${done.length} times`)
    for (const { answer } of those)
      if (answer.status === 404)
        assert.ok(
          done.some((one) => one.answer.sent < answer.answered),
          `${answer.what}: nobody had restored it`,
        )
  }
}
