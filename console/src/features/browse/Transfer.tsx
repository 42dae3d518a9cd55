import '@mantine/core/styles/Radio.css'
import { Button, Modal, Radio, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { bucketsQuery, isReadOnly } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { formatBytes } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { PublicBadge } from '../../ui/PublicBadge.tsx'
import { FolderPicker } from '../folders/FolderPicker.tsx'
import { bytesOf, type IfTaken, isFolder, type Picked, type Target, transfer, whyNot } from './bulk.tsx'
import { text } from './messages.ts'

/** Asks for the destination of a copy or move (a bucket and a new or existing folder) and how to handle conflicts. */
export function Transfer({
  picked,
  kind,
  onClose,
  onDone,
}: {
  picked: Picked
  kind: 'copy' | 'move'
  onClose: () => void
  onDone: () => void
}) {
  const me = useMe()
  const buckets = useQuery(bucketsQuery)
  // Nothing can be copied into a read-only bucket.
  const targets = buckets.data?.filter((bucket) => !isReadOnly(bucket)).map(({ name }) => name)
  const isTarget = targets?.includes(picked.bucket) ?? true
  const first = targets?.find((name) => me.can('write', name)) ?? targets?.[0] ?? ''
  const [chosen, setTo] = useState<Target>()
  const to = chosen ?? (isTarget ? { bucket: picked.bucket, prefix: picked.prefix } : { bucket: first, prefix: '' })
  const [ifTaken, setIfTaken] = useState<IfTaken>('skip')
  const [sending, setSending] = useState(false)
  const refusal =
    to.bucket === ''
      ? text.noTarget
      : (whyNot(picked, kind, to) ?? (me.can('write', to.bucket, to.prefix) ? undefined : text.mayNotWrite))
  // Where the objects are is where the dialog starts: no mistake of the user's.
  const isUntouched = chosen === undefined && refusal === text.samePlace
  const nFolders = picked.all ? 0 : picked.rows.filter(isFolder).length
  const what = picked.isExact
    ? text.status(nFolders, picked.count - nFolders)
    : text.selectedMatches(legible(picked.search))
  const bytes = picked.all || nFolders > 0 ? '' : formatBytes(bytesOf(picked.rows))
  const go = async () => {
    setSending(true)
    try {
      await transfer(picked, kind, to, ifTaken)
      onDone()
    } catch (error) {
      notify.problem(error)
      setSending(false)
    }
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={picked.isExact ? text.transferTitle(kind, picked.count - nFolders, nFolders) : text.transferAll(kind)}
      size="lg"
    >
      <div className="stack">
        <Select
          label={text.bucket}
          value={to.bucket}
          data={targets ?? []}
          searchable
          onChange={(bucket) => bucket && setTo({ bucket, prefix: '' })}
        />
        <PublicBadge access={buckets.data?.find(({ name }) => name === to.bucket)?.public_access} />
        {to.bucket === '' ? null : (
          <FolderPicker
            to={to}
            go={(prefix) => setTo({ ...to, prefix })}
            mayCreate={me.can('write', to.bucket, to.prefix)}
          />
        )}
        <Radio.Group label={text.conflict} value={ifTaken} onChange={(value) => setIfTaken(value as IfTaken)}>
          <div className="stack-tight">
            <Radio value="skip" label={text.conflictSkip} />
            <Radio value="replace" label={text.conflictReplace} />
            <Radio value="both" label={text.conflictBoth} />
          </div>
        </Radio.Group>
        <p className={refusal && !isUntouched ? 'bad' : 'dim'} role="status">
          {isUntouched
            ? text.pickFolder
            : (refusal ?? text.transferSummary(what, bytes, legible(`${to.bucket}/${to.prefix}`)))}
        </p>
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button disabled={refusal !== undefined} loading={sending} onClick={() => void go()}>
            {text.transferDo(kind)}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
