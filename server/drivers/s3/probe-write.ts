import { randomBytes, randomUUID } from 'node:crypto'
import { ignore } from './bytes.ts'
import { S3Failure } from './client.ts'
import { type Engine, failed, type Outcome, ProbeFault, passed, quoted, reasonOf, warning } from './probe-engine.ts'

/** In base64, the MD5 of no bytes that are sent here. */
const WRONG_MD5 = Buffer.alloc(16).toString('base64')
const ADVICE = 'Strongroom never does; give it a policy that only reads.'
/** What engines answer with 403 as well, but says nothing about permissions. */
const NO_REFUSAL = ['QuotaExceeded', 'SignatureDoesNotMatch', 'RequestTimeTooSkewed']

/** Whether a write was refused because writing is, so that nothing can have been written. */
const isRefusal = (error: unknown): boolean =>
  error instanceof S3Failure && [401, 403, 405].includes(error.status ?? 0) && !NO_REFUSAL.includes(error.code)

/** Does what the driver does with an object and with an upload in parts, below the prefix, and removes both. */
export async function checkWrite(engine: Engine, prefix: string): Promise<Outcome> {
  const key = `${prefix}probe-${randomUUID()}`
  const bytes = randomBytes(64)
  let step = 'Writing an object'
  let upload: { id?: string | undefined } | undefined
  try {
    const { VersionId: version } = await engine.put(key, bytes)
    step = 'Reading back an object'
    const back = await engine.get({ Key: key }, bytes.length)
    if (!back.bytes.equals(bytes)) throw new ProbeFault('The storage sent other bytes than were written.')
    step = 'Starting an upload in parts'
    upload = {}
    upload.id = (await engine.begin(key)).UploadId
    if (!upload.id) throw new ProbeFault('The storage gave no upload ID.')
    step = 'Listing uploads in parts'
    const isListed = (await engine.uploads(key)).includes(upload.id)
    step = 'Aborting an upload in parts'
    await engine.abort(key, upload.id)
    upload = undefined
    step = 'Deleting an object'
    const { VersionId: marker } = await engine.remove(key)
    // Where versions are kept, removing them takes a permission that Strongroom can do without.
    for (const id of [version, marker]) if (id) await engine.remove(key, id).catch(ignore)
    if (isListed) return passed('Objects and uploads in parts can be written and removed.')
    return warning(
      'Objects can be written and removed, but unfinished uploads are not listed: those that a crash leaves have to be removed in the storage.',
    )
  } catch (error) {
    const told = `${step} failed. ${reasonOf(error)}`
    const refused = isRefusal(error)
    const gone = await Promise.all([
      step === 'Writing an object' && refused ? true : discard(engine, key),
      !upload || (!upload.id && refused) ? true : discardUpload(engine, key, upload.id),
    ])
    return failed(gone.every(Boolean) ? told : `${told} Something of ${quoted(key)} may be left behind.`)
  }
}

/**
 * Finds out whether the credentials can write without writing: by an object whose Content-MD5 is not that of its bytes.
 * Engines look at permissions first, and refuse it in any case.
 */
export async function checkReadOnly(engine: Engine, prefix: string): Promise<Outcome> {
  const key = `${prefix}strongroom-write-probe-${randomUUID()}`
  let written: { VersionId?: string | undefined }
  try {
    written = await engine.put(key, Buffer.from('strongroom'), WRONG_MD5)
  } catch (error) {
    if (isRefusal(error)) return passed('The credentials cannot write.')
    // It may be there nevertheless, if the answer was lost or came too late.
    if (!(await discard(engine, key)))
      return failed(`The test may have left ${quoted(key)} behind; delete it if it is there. ${reasonOf(error)}`)
    if (error instanceof S3Failure && error.status === 400) return warning(`The credentials could write. ${ADVICE}`)
    return warning(`Whether the credentials can write could not be found out. ${reasonOf(error)}`)
  }
  try {
    await erase(engine, key, written.VersionId)
    return warning(
      `The credentials can write. ${ADVICE} The storage ignores Content-MD5, so the test wrote an object, and deleted it again.`,
    )
  } catch {
    return failed(`The test has left ${quoted(key)} behind; delete it. The credentials can write. ${ADVICE}`)
  }
}

/** Deletes an object for good: with its version, and with the marker that a bucket with versions puts in its place. */
async function erase(engine: Engine, key: string, version: string | undefined): Promise<void> {
  const { DeleteMarker, VersionId } = await engine.remove(key, version)
  if (DeleteMarker && VersionId && VersionId !== version) await engine.remove(key, VersionId)
}

/** Erases an object if it is there: deleting what is not would leave a marker. Returns whether it is gone. */
async function discard(engine: Engine, key: string): Promise<boolean> {
  try {
    await erase(engine, key, (await engine.head(key)).VersionId)
    return true
  } catch (error) {
    return error instanceof S3Failure && error.status === 404
  }
}

/** Aborts an upload, or all of the key if its id is unknown. Returns whether that succeeded. */
async function discardUpload(engine: Engine, key: string, id: string | undefined): Promise<boolean> {
  try {
    for (const one of id ? [id] : await engine.uploads(key)) await engine.abort(key, one)
    return true
  } catch (error) {
    return error instanceof S3Failure && error.status === 404
  }
}
