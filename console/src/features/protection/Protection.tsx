import './protection.css'
import { Alert, Button, NumberInput, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Bucket } from '../../../../contract/buckets.ts'
import { type LockMode, lockModes } from '../../../../contract/locks.ts'
import type { PublicAccess } from '../../../../contract/public-access.ts'
import { bucketQuery, isReadOnly, refreshBucket } from '../../api/buckets.ts'
import { queries, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatBytes, formatTime } from '../../i18n.ts'
import { useView } from '../../navigation/useView.ts'
import { BucketTabs } from '../../ui/BucketTabs.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { undoSave } from '../../ui/undoSave.ts'
import { useForm } from '../../ui/useForm.ts'
import { EncryptionCard } from '../encryption/EncryptionCard.tsx'
import { text } from './messages.ts'
import { periodOf } from './period.ts'

/** What of a bucket can be removed, by whom and until when, and what decides that. */
export default function Protection() {
  const me = useMe()
  const { bucket: name = '' } = useView().params
  const bucket = useQuery(bucketQuery(name))
  const mine = me.can('manage', name)
  return (
    <Page
      inBuckets
      title={name}
      windowTitle={`${text.title} – ${name}`}
      call={{ operation: 'updateBucket', params: { bucket: name }, body: { versioning: 'enabled' } }}
    >
      <BucketTabs bucket={name} active="protection" />
      <StateView query={bucket}>
        {(data) => (
          <>
            <section className="card stack-tight" aria-labelledby="protection-summary">
              <h2 id="protection-summary">{text.summary}</h2>
              <ul className="protection-facts">
                {sentences(data).map((sentence) => (
                  <li key={sentence}>{sentence}</li>
                ))}
              </ul>
            </section>
            {data.public_access ? (
              <PublicAccessCard name={name} access={data.public_access} mayChange={mine && !isReadOnly(data)} />
            ) : null}
            {me.isAdmin && data.object_lock ? <Clock /> : null}
            {data.mode === 'read_only' ? null : <EncryptionCard bucket={data} />}
            {mine && !isReadOnly(data) ? (
              <>
                <Versioning bucket={data} />
                <ObjectLockCard key={JSON.stringify(data.object_lock)} bucket={data} />
              </>
            ) : null}
          </>
        )}
      </StateView>
    </Page>
  )
}

/** What of a bucket is public, and how to end that. */
function PublicAccessCard({ name, access, mayChange }: { name: string; access: PublicAccess; mayChange: boolean }) {
  const { actions, object_acls, blocked } = access
  const change = async () => {
    const yes =
      blocked || (await confirm({ title: text.blockTitle(name), children: text.blockText, action: text.blockPublic }))
    if (yes) await update(name, { public_access_blocked: !blocked }, blocked ? text.unblocked : text.blocked)
  }
  return (
    <section className="card protection-card stack" aria-labelledby="bucket-public">
      <h2 id="bucket-public">{text.publicAccess}</h2>
      <div className="stack-tight">
        {actions.length > 0 ? <p>{common.publicTo(actions)}</p> : null}
        {object_acls ? <p>{common.publicObjectsHint}</p> : null}
        {actions.length === 0 && !object_acls ? <p>{text.private}</p> : null}
        <p className="dim">{blocked ? text.publicBlocked : text.publicHow}</p>
      </div>
      {mayChange ? (
        <div className="dialog-actions">
          <Button variant="default" onClick={change}>
            {blocked ? text.allowPublic : text.blockPublic}
          </Button>
        </div>
      ) : null}
    </section>
  )
}

/** What is true of a bucket, a sentence for each. */
function sentences(bucket: Bucket): string[] {
  const { mode, public_access } = bucket
  if (mode === 'read_only') return [text.readOnly, text.readOnlyEngine]
  const isOpen = public_access?.actions.some((action) => action === 'write' || action === 'delete') ?? false
  return [...(isOpen ? [text.publicRemoves] : []), ...keepingSentences(bucket)]
}

function keepingSentences({ versioning, trash_days, object_lock }: Bucket): string[] {
  const trash = trash_days === 0 ? text.versionsGone : text.versionsTrash(trash_days)
  const kept =
    versioning === 'off'
      ? [trash_days === 0 ? text.nothingKept : text.trashOnly(trash_days)]
      : [versioning === 'enabled' ? text.versionsKept : text.versionsLeft, trash]
  const purge = trash_days === 0 ? [] : [text.purge]
  const ofVersions = versioning === 'off' ? purge : [text.purgeVersions]
  if (object_lock === null) return [...kept, ...ofVersions, text.notLocked]
  const { mode } = object_lock
  const locked =
    mode === null
      ? text.lockedSingly
      : (mode === 'compliance' ? text.lockedCompliance : text.lockedGovernance)(periodOf(object_lock))
  return [locked, text.holds, text.overwrite, ...kept, text.purgeUnlocked]
}

async function update(name: string, body: Parameters<typeof client.updateBucket>[0]['body'], done: string) {
  try {
    await client.updateBucket({ params: { bucket: name }, body })
    notify.ok(done)
  } catch (error) {
    notify.problem(error)
  }
  await refreshBucket(name)
}

/** Whether what is replaced and deleted stays as a version. */
function Versioning({ bucket: { name, versioning, version_bytes, object_lock } }: { bucket: Bucket }) {
  const isOn = versioning === 'enabled'
  const change = async () => {
    // What is suspended can be turned on again, but not off.
    const yes =
      versioning !== 'off' ||
      (await confirm({ title: text.enableTitle(name), children: text.enableText, action: text.enable }))
    if (yes) await update(name, { versioning: isOn ? 'suspended' : 'enabled' }, isOn ? text.suspended : text.enabled)
  }
  return (
    <section className="card protection-card stack" aria-labelledby="bucket-versioning">
      <h2 id="bucket-versioning">{text.versioning}</h2>
      <div>
        <p>{text.versioningIs(versioning)}</p>
        {versioning === 'off' || version_bytes === null ? null : (
          <p className="dim">{text.versionBytes(formatBytes(version_bytes))}</p>
        )}
        {object_lock === null ? null : <p className="dim">{text.lockKeepsOn}</p>}
      </div>
      {object_lock === null ? (
        <div className="dialog-actions">
          <Button variant="default" onClick={change}>
            {isOn ? text.suspend : text.enable}
          </Button>
        </div>
      ) : null}
    </section>
  )
}

/** How new versions are locked. */
function ObjectLockCard({ bucket }: { bucket: Bucket }) {
  const { name, versioning, object_lock } = bucket
  const turnOn = async () => {
    const yes = await confirm({ title: text.turnOnTitle(name), children: text.turnOnText, action: text.turnOn })
    if (yes) await update(name, { object_lock: {} }, text.turnedOn)
  }
  const isPossible = versioning === 'enabled'
  return (
    <section className="card protection-card stack" aria-labelledby="bucket-lock">
      <h2 id="bucket-lock">{text.objectLock}</h2>
      {object_lock === null ? (
        <>
          <p>{isPossible ? text.lockOff : text.lockNeedsVersions}</p>
          <div className="dialog-actions">
            <Button variant="default" disabled={!isPossible} onClick={turnOn}>
              {text.turnOn}
            </Button>
          </div>
        </>
      ) : (
        <>
          <p>{text.lockOn}</p>
          <Defaults name={name} before={object_lock} />
        </>
      )}
    </section>
  )
}

type ObjectLockChange = NonNullable<Parameters<typeof client.updateBucket>[0]['body']['object_lock']>
/** The defaults of a bucket's versions as a change that would make them so. */
function asChange(lock: Bucket['object_lock']): ObjectLockChange {
  if (!lock || lock.mode === null) return {}
  const { mode, days, years } = lock
  return years === null ? { mode, days: days ?? 1 } : { mode, years }
}

function Defaults({ name, before }: { name: string; before: NonNullable<Bucket['object_lock']> }) {
  const initial = {
    mode: before.mode,
    length: (before.years ?? before.days ?? 30) as number | string,
    unit: (before.years === null ? 'days' : 'years') as 'days' | 'years',
  }
  const form = useForm(initial)
  const { mode, length, unit } = form.values
  const dirty = mode !== initial.mode || (mode !== null && (length !== initial.length || unit !== initial.unit))
  const save = async () => {
    const period = { [unit]: Number(length) }
    const locked = { days: null, years: null, ...period }
    const yes =
      mode !== 'compliance' ||
      (await confirm({
        title: text.complianceTitle(periodOf(locked)),
        children: text.complianceText,
        action: text.complianceAction,
      }))
    if (!yes) return
    const write = async (object_lock: ObjectLockChange) => {
      const saved = await client.updateBucket({ params: { bucket: name }, body: { object_lock } })
      await refreshBucket(name)
      return asChange(saved.object_lock)
    }
    let saved = asChange(before)
    const taken = await form.submit(async () => {
      saved = await write(mode === null ? {} : { mode, ...period })
    })
    if (!taken) return
    const read = async () => asChange((await client.getBucket({ params: { bucket: name } })).object_lock)
    notify.ok(text.saved, undoSave({ saved, before: asChange(before), read, write }))
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (dirty && form.check({ length: mode !== null && length === '' && common.required })) void save()
      }}
    >
      <Select
        label={text.byDefault}
        description={text.modeHint(mode ?? 'none')}
        data={(['none', ...lockModes] as const).map((value) => ({ value, label: text.mode(value) }))}
        value={mode ?? 'none'}
        onChange={(value) => form.set('mode', value === 'none' ? null : (value as LockMode))}
        allowDeselect={false}
      />
      {mode === null ? null : (
        <div className="protection-period">
          <NumberInput
            label={text.period}
            value={length}
            onChange={(value) => form.set('length', value)}
            error={
              form.faults.length ?? Object.entries(form.faults).find(([path]) => path.startsWith('object_lock'))?.[1]
            }
            min={1}
            max={unit === 'years' ? 100 : 36_500}
            allowDecimal={false}
            hideControls
          />
          <Select
            label={text.unit}
            data={(['days', 'years'] as const).map((value) => ({ value, label: text[value] }))}
            value={unit}
            onChange={(value) => form.set('unit', value === 'years' ? 'years' : 'days')}
            allowDeselect={false}
          />
        </div>
      )}
      <div className="dialog-actions">
        <Button type="submit" loading={form.sending} disabled={!dirty}>
          {text.save}
        </Button>
      </div>
    </form>
  )
}

/** Why the clock must be confirmed before locks that have ended count as ended for good. */
function Clock() {
  const clock = useQuery({ queryKey: ['clock'], queryFn: () => client.getClock({}) })
  const [sending, setSending] = useState(false)
  const { doubt = null, now = '' } = clock.data ?? {}
  if (doubt === null) return null
  const approve = async () => {
    const yes = await confirm({
      title: text.confirmClockTitle,
      children: text.confirmClockText(formatTime(now)),
      action: text.confirmClock,
    })
    if (!yes) return
    setSending(true)
    try {
      await client.confirmClock({})
      notify.ok(text.clockConfirmed)
    } catch (error) {
      notify.problem(error)
    }
    setSending(false)
    await queries.invalidateQueries({ queryKey: ['clock'] })
  }
  return (
    <Alert title={text.clockTitle} className="alert-warn">
      <div className="stack-tight">
        <p>{doubt}</p>
        <div>
          <Button variant="default" loading={sending} onClick={approve}>
            {text.confirmClock}
          </Button>
        </div>
      </div>
    </Alert>
  )
}
