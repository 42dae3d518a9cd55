import { ActionIcon, Button, Modal, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconFolderOpen } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isBucketPattern } from '../../../../contract/names.ts'
import { matchesPattern } from '../../../../contract/patterns.ts'
import { client } from '../../api/session.ts'
import { lastSegment, legible } from '../../keys.ts'
import { text as common } from '../../ui/messages.ts'
import { FolderPicker } from '../folders/FolderPicker.tsx'
import { text } from './messages.ts'

const PAUSE_MS = 250

interface Props {
  label: string
  /** Which row of the matrix it is. */
  row: string
  pattern: string
  prefix: string
  /** Bucket names to choose a folder in. */
  buckets: readonly string[]
  readOnly: boolean
  onChange: (prefix: string) => void
}

/** A grant's prefix: typed, or chosen from the folders of a bucket that the grant is for. */
export function PrefixField({ label, row, pattern, prefix, buckets, readOnly, onChange }: Props) {
  const [choosing, setChoosing] = useState(false)
  const matching = isBucketPattern(pattern) ? buckets.filter((name) => matchesPattern(pattern, name)) : []
  const hint = matching.length === 0 ? text.chooseBucketFirst : text.chooseFolder
  return (
    <>
      <TextInput
        aria-label={label}
        value={prefix}
        onChange={(event) => onChange(event.currentTarget.value)}
        placeholder={text.wholeBucket}
        readOnly={readOnly}
        autoComplete="off"
        spellCheck={false}
        rightSection={
          readOnly ? null : (
            <ActionIcon
              aria-label={`${text.chooseFolder}, ${row}`}
              title={hint}
              disabled={matching.length === 0}
              onClick={() => setChoosing(true)}
            >
              <IconFolderOpen size={16} stroke={1.6} />
            </ActionIcon>
          )
        }
      />
      {choosing ? (
        <ChooseFolder
          buckets={matching}
          prefix={prefix}
          onClose={() => setChoosing(false)}
          onChoose={(chosen) => {
            onChange(chosen)
            setChoosing(false)
          }}
        />
      ) : null}
    </>
  )
}

function ChooseFolder({
  buckets,
  prefix,
  onClose,
  onChoose,
}: {
  buckets: readonly string[]
  prefix: string
  onClose: () => void
  onChoose: (prefix: string) => void
}) {
  const [at, setAt] = useState({ bucket: buckets[0] ?? '', prefix: prefix.slice(0, prefix.lastIndexOf('/') + 1) })
  return (
    <Modal opened onClose={onClose} title={text.chooseFolder} size="lg">
      <div className="stack">
        {buckets.length > 1 ? (
          <Select
            label={text.pattern}
            description={text.chooseIn}
            data={[...buckets]}
            value={at.bucket}
            searchable
            allowDeselect={false}
            onChange={(bucket) => bucket && setAt({ bucket, prefix: '' })}
          />
        ) : null}
        <FolderPicker to={at} go={(next) => setAt({ ...at, prefix: next })} mayCreate />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button onClick={() => onChoose(at.prefix)}>
            {at.prefix === '' ? text.takeBucket : text.takeFolder(legible(at.prefix))}
          </Button>
        </div>
      </div>
    </Modal>
  )
}

/** What a prefix without a slash at its end matches besides a folder, and that slash. */
export function LooseWarning({
  bucket,
  prefix,
  row,
  onChange,
}: {
  /** Undefined: a pattern for several. */
  bucket: string | undefined
  prefix: string
  row: string
  onChange: (prefix: string) => void
}) {
  const [asked] = useDebouncedValue(prefix, PAUSE_MS)
  const found = useQuery({
    queryKey: ['browse', bucket, asked, 'loose'],
    queryFn: ({ signal }) =>
      client.browse({ params: { bucket: bucket ?? '' }, query: { prefix: asked, folders: 'first', limit: 3 }, signal }),
    enabled: bucket !== undefined && asked !== '' && !asked.endsWith('/'),
  })
  const entries = [...(found.data?.common_prefixes ?? []), ...(found.data?.objects ?? []).map(({ key }) => key)]
  const example = asked === prefix ? entries.find((one) => one !== prefix && one !== `${prefix}/`) : undefined
  const start = legible(lastSegment(prefix))
  return (
    <span className="groups-loose" role="status">
      <span className="warn small">
        {example === undefined ? text.loose(start) : text.looseSuch(start, legible(lastSegment(example)))}
      </span>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={`${text.addSlash}, ${row}`}
        onClick={() => onChange(`${prefix}/`)}
      >
        {text.addSlash}
      </Button>
    </span>
  )
}
