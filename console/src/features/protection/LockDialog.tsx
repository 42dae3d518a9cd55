import { Button, Modal, Select, Switch, TextInput } from '@mantine/core'
import { type Lock, type LockMode, lockModes } from '../../../../contract/locks.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { text } from './messages.ts'
import { isLocked } from './period.ts'

/** A time as a field shows it, in the local time zone. */
const fieldOf = (time: string): string => {
  const at = new Date(time)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

interface LockedVersion {
  bucket: string
  key: string
  version_id: string
  lock?: Lock | undefined
}

/** Locks a version, changes its lock as far as that may be, and holds or releases it. */
export function LockDialog({
  version: { bucket, key, version_id, lock },
  onClose,
  onDone,
}: {
  version: LockedVersion
  onClose: () => void
  onDone: () => Promise<unknown>
}) {
  const me = useMe()
  const form = useForm({
    mode: (lock && isLocked(lock) ? lock.mode : null) as LockMode | null,
    until: lock?.until && isLocked(lock) ? fieldOf(lock.until) : '',
    legal_hold: lock?.legal_hold ?? false,
  })
  const { mode, until, legal_hold } = form.values
  const kept = lock && isLocked(lock) ? lock : { mode: null, until: null }
  const time = mode === null || until === '' ? null : new Date(until).toISOString()
  // The field shows minutes: what was not changed stays to the millisecond.
  const end = time !== null && kept.until !== null && fieldOf(kept.until) === until ? kept.until : time
  const changes = mode !== kept.mode || end !== kept.until
  const extends_ = mode === kept.mode && end !== null && kept.until !== null && end >= kept.until
  const bypasses = changes && kept.mode === 'governance' && !extends_
  const save = async () => {
    const holds = legal_hold !== (lock?.legal_hold ?? false)
    if (!changes && !holds) return onClose()
    const taken = await form.submit(() =>
      client.lockObject({
        params: { bucket },
        body: {
          key,
          version_id,
          ...(changes ? { mode, until: end } : {}),
          ...(holds ? { legal_hold } : {}),
          ...(bypasses ? { bypass_lock: true } : {}),
        },
      }),
    )
    if (!taken) return
    notify.ok(text.locked)
    await onDone()
    onClose()
  }
  return (
    <Modal opened onClose={onClose} title={text.lockTitle}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (mode === null || until !== '') void save()
        }}
      >
        <Select
          label={text.lockMode}
          description={text.modeHint(mode ?? 'none')}
          data={(['none', ...lockModes] as const).map((value) => ({ value, label: text.modeName(value) }))}
          value={mode ?? 'none'}
          onChange={(value) => form.set('mode', value === 'none' ? null : (value as LockMode))}
          error={form.faults.mode}
          allowDeselect={false}
          data-autofocus
        />
        {mode === null ? null : (
          <TextInput {...form.field('until')} type="datetime-local" label={text.until} required withAsterisk={false} />
        )}
        {bypasses ? <p className="warn small">{text.bypasses}</p> : null}
        <Switch
          label={text.legalHold}
          description={text.legalHoldHint}
          checked={legal_hold}
          disabled={!me.can('manage', bucket, key)}
          onChange={(event) => form.set('legal_hold', event.currentTarget.checked)}
        />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.sending} disabled={mode !== null && until === ''}>
            {text.save}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
