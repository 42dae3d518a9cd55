import { type For, Obstacle } from './conditions.ts'
import { type Fields, isFields } from './read.ts'
import { type Context, deniesSomething, translateStatement } from './statements.ts'

/** A policy of MinIO's as one of ours. */
export type Translation =
  /** Null: nothing in it says anything here. */
  | { document: Fields | null; notes: string[] }
  /** Why it is not translated; `personal`: it has to be for one person at a time. */
  | { obstacle: string; personal: boolean }

/** Bytes of a policy of a user, group or key, and of a bucket's. */
const MOST_BYTES = { identity: 10_240, bucket: 20_480 }

const statementsIn = (document: Fields): unknown[] => {
  const policy = isFields(document.Policy) ? document.Policy : document
  const list = policy.Statement ?? []
  return Array.isArray(list) ? list : [list]
}

/** Whether a policy denies something, or may: what cannot be read may. */
export const mayDeny = (document: Fields): boolean => statementsIn(document).some(deniesSomething)

/** Translates a policy whole, or not at all. */
export function translatePolicy(document: Fields, context: Context): Translation {
  const notes = new Set<string>()
  const statements: Fields[] = []
  const sids = new Set<unknown>()
  try {
    for (const given of statementsIn(document)) {
      const translated = translateStatement(given, context)
      for (const note of translated.notes) notes.add(note)
      for (const { Sid, ...statement } of translated.statements) {
        const isNew = Sid !== undefined && !sids.has(Sid)
        sids.add(Sid)
        statements.push(isNew ? { Sid, ...statement } : statement)
      }
    }
  } catch (error) {
    if (!(error instanceof Obstacle)) throw error
    return { obstacle: error.message, personal: error.isPersonal }
  }
  if (statements.length === 0) return { document: null, notes: [...notes] }
  const made = { Version: '2012-10-17', Statement: statements }
  const most = context.bucket === undefined ? MOST_BYTES.identity : MOST_BYTES.bucket
  if (Buffer.byteLength(JSON.stringify(made)) > most)
    return { obstacle: `it would have more than the ${most} bytes that a policy can have`, personal: false }
  return { document: made, notes: [...notes] }
}

/** Translates a policy of users: for all of them, or for one. */
export const translateFor = (document: Fields, of: For, ofKey = false): Translation =>
  translatePolicy(document, { of, ofKey })

const ALL = 'arn:aws:s3:::*'
/** MinIO's ready-made policies, by what they allow; as they are here, and still are in the export. */
const READY: { readonly [name: string]: (actions: readonly string[]) => boolean } = {
  readonly: (actions) => actions.join() === 's3:GetBucketLocation,s3:GetObject',
  readwrite: (actions) => actions.join() === 's3:*',
  writeonly: (actions) => actions.join() === 's3:PutObject',
  consoleAdmin: (actions) =>
    ['admin:*', 's3:*'].every((one) => actions.includes(one)) && actions.every((one) => one.endsWith(':*')),
  diagnostics: (actions) => actions.every((one) => one.startsWith('admin:')),
}

/** What the policy of a name is called here if it is MinIO's ready-made one, unchanged. */
export function readyMade(name: string, document: Fields): string | undefined {
  const isReady = Object.hasOwn(READY, name) ? READY[name] : undefined
  const statements = statementsIn(document).filter(isFields)
  const isPlain = statements.every(
    ({ Effect, Action, Resource, NotAction, NotResource, Condition }) =>
      Effect === 'Allow' &&
      [NotAction, NotResource].every((one) => one === undefined) &&
      (Condition === undefined || (isFields(Condition) && Object.keys(Condition).length === 0)) &&
      [Action].flat().every((one) => typeof one === 'string') &&
      (Resource === undefined
        ? [Action].flat().every((one) => !String(one).startsWith('s3:'))
        : [Resource].flat().every((one) => one === ALL)),
  )
  const actions = statements.flatMap(({ Action }) => [Action].flat().map(String)).sort()
  const isWhole = statements.length > 0 && statements.length === statementsIn(document).length
  return isReady && isPlain && isWhole && isReady(actions) ? `aws:${name}` : undefined
}
