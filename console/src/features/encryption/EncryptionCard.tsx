import '../jobs/jobs.css'
import './encryption.css'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Bucket } from '../../../../contract/buckets.ts'
import type { Job } from '../../../../contract/jobs.ts'
import { isReadOnly, refreshBucket } from '../../api/buckets.ts'
import { queries, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { notify } from '../../ui/notify.tsx'
import { undoSave } from '../../ui/undoSave.ts'
import { useForm } from '../../ui/useForm.ts'
import { Status } from '../../ui/values.tsx'
import { beginJob } from '../jobs/begin.ts'
import { isOver, statusOf, titleOf } from '../jobs/describe.ts'
import { Progress } from '../jobs/Progress.tsx'
import { latestJobsQuery } from '../jobs/queries.ts'
import { choiceOf } from './choice.ts'
import { EncryptionSelect } from './EncryptionSelect.tsx'
import { text } from './messages.ts'
import { Share } from './Share.tsx'

/** How much of a bucket is encrypted, how its new objects are, and the jobs that encrypt and decrypt what there is. */
export function EncryptionCard({ bucket }: { bucket: Bucket }) {
  const me = useMe()
  const mine = me.can('manage', bucket.name) && !isReadOnly(bucket)
  return (
    <section className="card protection-card stack" aria-labelledby="bucket-encryption">
      <h2 id="bucket-encryption">{text.title}</h2>
      <Share bucket={bucket} />
      {mine ? (
        <>
          <Default key={choiceOf(bucket.encryption)} bucket={bucket} />
          <Existing bucket={bucket} mayDecrypt={me.isAdmin} />
        </>
      ) : (
        <p>{text.newAre(describeDefault(bucket.encryption))}</p>
      )}
    </section>
  )
}

const describeDefault = (encryption: Bucket['encryption']): string =>
  encryption === null ? text.none : encryption.key === undefined ? text.byService : text.byKey(encryption.key)

/** How new objects are encrypted of which nobody says. */
function Default({ bucket: { name, encryption } }: { bucket: Bucket }) {
  const form = useForm({ encryption })
  const chosen = form.values.encryption
  const dirty = choiceOf(chosen) !== choiceOf(encryption)
  const write = async (value: Bucket['encryption']) => {
    const saved = await client.updateBucket({ params: { bucket: name }, body: { encryption: value } })
    await refreshBucket(name)
    return saved.encryption
  }
  const save = async () => {
    let saved = chosen
    const taken = await form.submit(async () => {
      saved = await write(chosen)
    })
    if (!taken) return
    const read = async () => (await client.getBucket({ params: { bucket: name } })).encryption
    notify.ok(text.saved, undoSave({ saved, before: encryption, read, write }))
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (dirty) void save()
      }}
    >
      <EncryptionSelect
        label={text.forNew}
        description={text.forNewHint}
        value={chosen}
        onChange={(value) => form.set('encryption', value)}
        error={Object.entries(form.faults).find(([path]) => path.startsWith('encryption'))?.[1]}
      />
      <div className="dialog-actions">
        <Button type="submit" loading={form.sending} disabled={!dirty}>
          {text.apply}
        </Button>
      </div>
    </form>
  )
}

/** Encrypts and decrypts what there is, with progress. */
function Existing({ bucket, mayDecrypt }: { bucket: Bucket; mayDecrypt: boolean }) {
  const { name } = bucket
  const job = useLatest(name)
  const [starting, setStarting] = useState(false)
  const begin = async (kind: 'encrypt' | 'decrypt') => {
    const question =
      kind === 'encrypt'
        ? { title: text.encryptTitle(name), children: text.encryptText, action: text.encrypt }
        : { title: text.decryptTitle(name), children: text.decryptText, action: text.decrypt }
    if (!(await confirm(question))) return
    setStarting(true)
    try {
      await beginJob({ kind, source_bucket: name })
    } catch (error) {
      notify.problem(error)
    }
    setStarting(false)
  }
  const isRunning = job !== undefined && !isOver(job)
  const hasEncrypted = (bucket.encrypted_objects ?? 0) > 0 || (bucket.encrypted_bytes ?? 0) > 0
  return (
    <div className="stack-tight encryption-existing">
      <h3>{text.existing}</h3>
      <p className="dim">{text.existingHint}</p>
      {job ? <Latest job={job} /> : null}
      {isRunning ? null : (
        <div className="encryption-actions">
          {mayDecrypt && hasEncrypted ? (
            <Button variant="default" loading={starting} onClick={() => void begin('decrypt')}>
              {text.decryptExisting}
            </Button>
          ) : null}
          <Button variant="default" loading={starting} onClick={() => void begin('encrypt')}>
            {text.encryptExisting}
          </Button>
        </div>
      )}
    </div>
  )
}

function Latest({ job }: { job: Job }) {
  const { tone, word } = statusOf(job)
  return (
    <div className="stack-tight">
      <p className="row">
        <Status tone={tone}>{word}</Status>
        <Link to={`/jobs/${job.id}`} className="job-link">
          {titleOf(job)}
        </Link>
      </p>
      <Progress job={job} />
    </div>
  )
}

/** The latest job that encrypts or decrypts a bucket. What is shown of the bucket follows it. */
function useLatest(name: string): Job | undefined {
  const jobs = useQuery(latestJobsQuery)
  const job = jobs.data?.find(
    ({ kind, source_bucket }) => source_bucket === name && (kind === 'encrypt' || kind === 'decrypt'),
  )
  const state = job && `${job.id} ${job.status} ${job.done}`
  useEffect(() => {
    if (state !== undefined) void queries.invalidateQueries({ queryKey: ['bucket', name] })
  }, [name, state])
  return job
}
