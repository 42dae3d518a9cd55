import { Button, Modal, Select, Switch } from '@mantine/core'
import { useState } from 'react'
import { type Lock, type LockMode, lockModes } from '../../../../contract/locks.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatTime } from '../../i18n.ts'
import { legible, nameOf, parentOf } from '../../keys.ts'
import { type Expiry, ExpiryField, endOf, localValue } from '../../ui/ExpiryField.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { text } from './messages.ts'
import { isLocked } from './period.ts'

/** For how long versions are usually locked. */
const USUAL = ['30d', '1y', '7y']
const fieldOf = (time: string): string => localValue(new Date(time))

interface LockedVersion {
  bucket: string
  key: string
  version_id: string
  last_modified: string
  lock?: Lock | undefined
}

/** Locks a version, changes its lock as far as that may be, and holds or releases it. */
export function LockDialog({
  version: { bucket, key, version_id, last_modified, lock },
  onClose,
  onDone,
}: {
  version: LockedVersion
  onClose: () => void
  onDone: () => Promise<unknown>
}) {
  const me = useMe()
  const kept = lock && isLocked(lock) ? lock : { mode: null, until: null }
  // What opens the dialog says “Lock”: only a version that is held already is shown as it is.
  const form = useForm({
    mode: (kept.mode ?? (lock?.legal_hold ? null : 'governance')) as LockMode | null,
    until: (kept.until ? { choice: 'custom', at: fieldOf(kept.until) } : { choice: USUAL[0], at: '' }) as Expiry,
    legal_hold: lock?.legal_hold ?? false,
  })
  const { mode, until, legal_hold } = form.values
  const [opened] = useState(() => Date.now())
  const time = mode === null ? null : (endOf(until, opened)?.toISOString() ?? null)
  // The field shows minutes: what was not changed stays to the millisecond.
  const isKept = kept.until !== null && until.choice === 'custom' && fieldOf(kept.until) === until.at
  const end = mode !== null && isKept ? kept.until : time
  const changes = mode !== kept.mode || end !== kept.until
  const extends_ = mode === kept.mode && end !== null && kept.until !== null && end >= kept.until
  const bypasses = changes && kept.mode === 'governance' && !extends_
  const holds = legal_hold !== (lock?.legal_hold ?? false)
  const isReady = (changes || holds) && (mode === null || end !== null)
  const save = async () => {
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
  const name = legible(nameOf(key, parentOf(key)))
  return (
    <Modal opened onClose={onClose} title={text.lockTitle}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) void save()
        }}
      >
        <p className="dim">{text.lockWhat(name, formatTime(last_modified))}</p>
        <Select
          label={text.lockMode}
          description={mode === null ? text.notLockedHint : text.modeHint(mode)}
          data={(['none', ...lockModes] as const).map((value) => ({ value, label: text.modeName(value) }))}
          value={mode ?? 'none'}
          onChange={(value) => form.set('mode', value === 'none' ? null : (value as LockMode))}
          error={form.faults.mode}
          allowDeselect={false}
          data-autofocus
        />
        {mode === null ? null : (
          <ExpiryField
            label={text.until}
            lengths={USUAL}
            value={until}
            onChange={(next) => form.set('until', next)}
            error={form.faults.until}
          />
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
          <Button type="submit" loading={form.sending} disabled={!isReady}>
            {kept.mode === null && mode !== null ? text.lockDo : text.save}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
