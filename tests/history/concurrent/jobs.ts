// Jobs of writers. What one has done is what the audit log has of it; when that was, it says of each key.
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql } from 'kysely'
import type { Job } from '../../../contract/jobs.ts'
import { formatMoment } from '../../../server/base/moment.ts'
import type { Schema } from '../../../server/db/schema.ts'
import { finished } from '../jobs.ts'
import { type Item, itemOf, type Past, type State, without } from './order.ts'
import { ALL_KEYS, type JobStep, type Log, noteChange } from './steps.ts'
import type { Answer } from './world.ts'

/** A job from its request until it was seen to have ended. */
interface Ended {
  answer: Answer
  job: Job
}

/** Asks for a job and waits for its end. */
export async function runJob(log: Log, { job: kind, folder, to: nth, tags, killed }: JobStep): Promise<void> {
  const { world, bucket, changes } = log
  const whole = { kind, source_bucket: bucket, ...(kind === 'empty_bucket' ? {} : { prefix: folder }) }
  const known = changes.toSorted((a, b) => (a.moment < b.moment ? -1 : 1))
  const to = known[nth % Math.max(1, known.length)]?.moment
  if (kind === 'rollback' && to === undefined) return
  const other = folder === 'c/' ? 'd/' : 'c/'
  const body = {
    ...whole,
    ...(kind === 'rollback' ? { to } : {}),
    ...(kind === 'tag' ? { tags: { replace: { j: tags } } } : {}),
    ...(kind === 'move' || kind === 'copy' ? { dest_bucket: bucket, dest_prefix: other } : {}),
  }
  const answer = killed === null ? await world.ask('POST', '/jobs', { body }) : await world.killAtJob(body, killed)
  assert.equal(answer.status, 202, `${answer.what} ${answer.text}`)
  await noteJob(log, await ended(log, answer))
}

async function ended({ world }: Log, answer: Answer): Promise<Ended> {
  const job = await finished(world.clients[world.tick() % 2 ? 1 : 0], JSON.parse(answer.text))
  assert.equal(job.status, 'succeeded', `${answer.what} ${job.detail}`)
  return { answer: { ...answer, answered: world.tick() }, job }
}

/** Notes what a job has done to each key, and that it had nothing to do with the others. */
async function noteJob(log: Log, { answer, job }: Ended): Promise<void> {
  const { world, sights } = log
  const records = (
    await sql<{ action: string; object_key: string; details: string }>`
      select action, object_key, details from audit where details like ${`%${job.id}%`} and object_key is not null
      order by id`.execute(world.database.db as Kysely<Schema>)
  ).rows.map(({ details, ...one }) => ({ ...one, ...(JSON.parse(details) as { source?: { key: string } }) }))
  const moments = await momentsOf(log, job.id)
  const handled = new Set(job.errors.map(({ key }) => key))
  const effects = new Map<string, ((state: State, past: Past) => State)[]>()
  for (const { action, object_key: key, source } of records) {
    handled.add(source?.key ?? key)
    const moment = moments.get(key)
    // Of what was not current, nothing is to be seen.
    if (moment === undefined && action === 'version_delete') continue
    assert.ok(moment, `${answer.what}: ${action} of ${key} has no moment`)
    const effect = effectOf({ action, key, from: source?.key ?? key, what: answer.what }, job)
    effects.set(moment, [...(effects.get(moment) ?? []), effect])
  }
  for (const [moment, those] of effects) {
    noteChange(log, { ...answer, moment }, (state, past) => those.reduce((made, effect) => effect(made, past), state))
  }
  for (const key of ALL_KEYS)
    if (key.startsWith(job.prefix) && !handled.has(key))
      sights.push({ ...answer, key, holds: (item, past) => hasNothingToDo(job, item, past.at(job.to ?? '')[key]) })
}

function effectOf(
  { action, key, from, what }: { action: string; key: string; from: string; what: string },
  { kind, to, tags }: Job,
): (state: State, past: Past) => State {
  return (state, past) => {
    switch (action) {
      case 'move':
        return { ...without(state, from), [key]: itemOf(state, from, what) }
      case 'copy':
        return { ...state, [key]: itemOf(state, from, what) }
      case 'restore':
        return { ...state, [key]: itemOf(past.at(to ?? ''), key, what) }
      case 'update_object':
        return { ...state, [key]: { ...itemOf(state, key, what), tags: tags?.replace ?? {} } }
      case 'delete':
        if (kind === 'rollback') assert.ok(!past.at(to ?? '')[key], `${what}: ${key} was there`)
        itemOf(state, key, what)
        return without(state, key)
      case 'version_delete':
        return without(state, key)
      default:
        return assert.fail(`${what}: ${action} of ${key}`)
    }
  }
}

const hasNothingToDo = ({ kind, tags }: Job, item: Item | undefined, then: Item | undefined): boolean =>
  kind === 'rollback'
    ? isDeepStrictEqual(item, then)
    : item === undefined || (kind === 'tag' && isDeepStrictEqual(item.tags, tags?.replace))

/** When a job has changed each key. */
async function momentsOf({ world, bucket }: Log, jobId: string): Promise<Map<string, string>> {
  const { rows } = await sql<{ key: string; moment: string }>`
    with job as (select id from change_authors where job_id = ${jobId}),
      bucket as (select id from buckets where name = ${bucket})
    select key, moment from objects where bucket_id in (select id from bucket) and author in (select id from job)
    union select key, moment from former_objects
      where bucket_id in (select id from bucket) and author in (select id from job)
    union select key, ended from former_objects
      where bucket_id in (select id from bucket) and ended_by in (select id from job)`.execute(
    world.database.db as Kysely<Schema>,
  )
  return new Map(rows.map(({ key, moment }) => [key, formatMoment(Number(moment))]))
}
