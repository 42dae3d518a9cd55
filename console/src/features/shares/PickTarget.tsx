import { Button, Modal, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { bucketsQuery, isReadOnly } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { legible } from '../../keys.ts'
import { text as common } from '../../ui/messages.ts'
import { FolderPicker } from '../folders/FolderPicker.tsx'
import { text } from './messages.ts'

/** What a new link opens, or where files that others upload go. */
export interface Picked {
  bucket: string
  key?: string
  prefix?: string
}

/** Chooses the file or folder to share, or the folder that files are requested for. */
export function PickTarget({
  purpose,
  onPick,
  onClose,
}: {
  purpose: 'give' | 'take'
  onPick: (target: Picked) => void
  onClose: () => void
}) {
  const me = useMe()
  const buckets = useQuery(bucketsQuery)
  const takes = purpose === 'take'
  const names = (buckets.data ?? [])
    .filter((bucket) => me.canIn('share', bucket.name) && me.canIn(takes ? 'write' : 'read', bucket.name))
    .filter((bucket) => !takes || !isReadOnly(bucket))
    .map(({ name }) => name)
  const [chosen, setChosen] = useState<{ bucket: string; prefix: string }>()
  const at = chosen ?? { bucket: names[0] ?? '', prefix: '' }
  const may =
    at.bucket !== '' && me.can('share', at.bucket, at.prefix) && me.can(takes ? 'write' : 'read', at.bucket, at.prefix)
  const place = legible(`${at.bucket}/${at.prefix}`)
  return (
    <Modal opened onClose={onClose} title={takes ? text.requestFiles : text.newLink} size="lg">
      <div className="stack">
        <p className="dim">{takes ? text.requestHint : text.newLinkHint}</p>
        <Select
          label={text.bucket}
          data={names}
          value={at.bucket || null}
          searchable
          onChange={(bucket) => bucket && setChosen({ bucket, prefix: '' })}
        />
        {at.bucket === '' ? (
          buckets.data ? (
            <p className="bad">{text.noBucket}</p>
          ) : null
        ) : (
          <FolderPicker
            to={at}
            go={(prefix) => setChosen({ ...at, prefix })}
            mayCreate={takes && may}
            {...(takes ? {} : { onFile: (key: string) => onPick({ bucket: at.bucket, key }) })}
          />
        )}
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button disabled={!may} onClick={() => onPick(at)}>
            {takes ? text.requestInto(place) : text.shareFolder(place)}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
