import { hash } from 'node:crypto'
import type { Row } from '../../db/schema.ts'

const sha256 = (text: string): string => hash('sha256', text)

/** The hash that the first link follows. */
export const GENESIS = '0'.repeat(64)

type Hashed = Omit<Row<'audit'>, 'mac'>

/**
 * A record's hash: SHA-256 of its canonical JSON (RFC 8785) with every field but `mac`, names in order, and `details`
 * as the stored text. With only strings, integers and nulls, JSON.stringify produces exactly that form. It must never
 * change: the hashes of old records depend on it.
 */
export const hashRow = (row: Hashed): string =>
  sha256(
    JSON.stringify({
      action: row.action,
      actor_email: row.actor_email,
      actor_ip: row.actor_ip,
      actor_type: row.actor_type,
      actor_user_id: row.actor_user_id,
      auth_method: row.auth_method,
      bucket: row.bucket,
      details: row.details,
      error_code: row.error_code,
      id: row.id,
      method: row.method,
      object_key: row.object_key,
      request_id: row.request_id,
      resource_id: row.resource_id,
      resource_type: row.resource_type,
      result: row.result,
      route: row.route,
      session_id: row.session_id,
      status_code: row.status_code,
      time: row.time,
      token_id: row.token_id,
      user_agent: row.user_agent,
    } satisfies { [F in keyof Hashed]: Hashed[F] }),
  )

/** A link's hash: SHA-256 of the previous link's hash and the record's hash, both as 64 hex digits. */
export const hashLink = (previous: string, rowHash: string): string => sha256(previous + rowHash)

type Head = Omit<Row<'audit_head'>, 'id' | 'mac'>
/** The text that the head's MAC covers. */
export const headText = (head: Head): string =>
  JSON.stringify([
    'audit-head',
    head.seq,
    head.chain_hash,
    head.anchor_seq,
    head.anchor_hash,
    head.checkpoints,
    head.distrusted_seq,
  ])

type Checkpoint = Row<'audit_checkpoints'>
/** The text that a checkpoint's signature covers: canonical JSON (RFC 8785). */
export const checkpointText = ({ chain_hash, key_id, n, prev_checkpoint, seq, time }: Omit<Checkpoint, 'signature'>) =>
  JSON.stringify({ chain_hash, key_id, n, prev_checkpoint, seq, time })

/** A checkpoint as one line, as written to the log and the file. */
export const checkpointLine = ({ chain_hash, key_id, n, prev_checkpoint, seq, signature, time }: Checkpoint) =>
  JSON.stringify({ chain_hash, key_id, n, prev_checkpoint, seq, signature, time })

/** The hash that the next checkpoint stores of this one. */
export const hashCheckpoint = (checkpoint: Checkpoint): string => sha256(checkpointLine(checkpoint))

/** Parses a checkpoint line; undefined if it is not one. */
export function readCheckpoint(line: string): Checkpoint | undefined {
  try {
    const { chain_hash, key_id, n, prev_checkpoint, seq, signature, time } = JSON.parse(line) as Checkpoint
    const whole = Number.isSafeInteger(n) && Number.isSafeInteger(seq)
    const texts = [chain_hash, key_id, signature, time].every((one) => typeof one === 'string')
    return whole && texts
      ? { chain_hash, key_id, n, prev_checkpoint: prev_checkpoint ?? null, seq, signature, time }
      : undefined
  } catch {
    return undefined
  }
}
