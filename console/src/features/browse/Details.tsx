import { ActionIcon, Button, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import type { StoredObject } from '../../../../contract/objects.ts'
import { bucketQuery } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatCount } from '../../i18n.ts'
import { CopyButton } from '../../ui/CopyField.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { Bytes, Status, TimeAgo } from '../../ui/values.tsx'
import { LockStatus } from '../protection/LockStatus.tsx'
import { text } from './messages.ts'
import { legible } from './names.ts'
import { refreshObjects } from './running.tsx'

/** All properties of an object. Its type and metadata can be edited. */
export function Details({ object }: { object: StoredObject }) {
  const me = useMe()
  const [editing, setEditing] = useState(false)
  const mayEdit = me.can('write', object.bucket, object.key)
  const { key, size, etag, sha256, content_type, headers, metadata, tags } = object
  const { checksums = [], created_at, last_modified, created_by } = object
  if (editing) return <Edit object={object} onClose={() => setEditing(false)} />
  return (
    <div className="stack-tight details-facts">
      <dl className="facts">
        <dt>{text.key}</dt>
        <dd className="details-key">
          <bdi>{legible(key)}</bdi>
          <CopyButton value={key} label={text.copyKey} />
        </dd>
        <dt>{text.size}</dt>
        <dd>
          <Bytes bytes={size} /> {size < 1000 ? null : <span className="dim">({formatCount(size)} B)</span>}
        </dd>
        <dt>{text.type}</dt>
        <dd>{content_type}</dd>
        <dt>{text.modified}</dt>
        <dd>
          <TimeAgo time={last_modified} />
        </dd>
        <dt>{text.created}</dt>
        <dd>
          <TimeAgo time={created_at} />
        </dd>
        <dt>{text.uploader}</dt>
        <dd>
          <Person id={created_by} />
        </dd>
        <dt>{text.etag}</dt>
        <dd className="mono">{etag}</dd>
        {sha256 ? (
          <>
            <dt>{text.sha256}</dt>
            <dd className="mono">{sha256}</dd>
          </>
        ) : null}
        {checksums.map(({ algorithm, value }) => (
          <Fragment key={algorithm}>
            <dt>{algorithm.toUpperCase()}</dt>
            <dd className="mono">{value}</dd>
          </Fragment>
        ))}
        {headers ? <Pairs title={text.headers} of={headers} /> : null}
        <Pairs title={text.metadata} of={metadata} />
        {tags ? <Pairs title={text.tags} of={tags} /> : null}
        {object.lock ? (
          <>
            <dt>{text.lock}</dt>
            <dd className="row">
              <LockStatus lock={object.lock} explain />
            </dd>
          </>
        ) : null}
        <PublicRead object={object} />
      </dl>
      {mayEdit ? (
        <div>
          <Button variant="default" onClick={() => setEditing(true)}>
            {text.edit}
          </Button>
        </div>
      ) : null}
    </div>
  )
}

/** To whom an object's ACL makes it public, where ACLs have an effect. */
function PublicRead({ object: { bucket, acl = [] } }: { object: StoredObject }) {
  const about = useQuery(bucketQuery(bucket))
  const mayRead = (to: 'everyone' | 'authenticated') => acl.some((one) => one.to === to && one.permission === 'READ')
  const reader = mayRead('everyone') ? text.publicToAll : mayRead('authenticated') ? text.publicToKeys : undefined
  if (reader === undefined || !about.data?.public_access?.object_acls) return null
  return (
    <>
      <dt>{text.publicAccess}</dt>
      <dd>
        <Status tone="warn">{common.public}</Status> {reader}
      </dd>
    </>
  )
}

/** Names with their values. */
function Pairs({ title, of }: { title: string; of: Record<string, string> }) {
  const entries = Object.entries(of)
  return (
    <>
      <dt>{title}</dt>
      <dd>
        {entries.length === 0 ? (
          <span className="dim">{text.noMetadata}</span>
        ) : (
          <ul className="details-metadata">
            {entries.map(([name, value]) => (
              <li key={name}>
                <span className="mono">{name}</span> {value}
              </li>
            ))}
          </ul>
        )}
      </dd>
    </>
  )
}

/** The uploader's name, for users who can see it. */
export function Person({ id }: { id: string | null }) {
  const me = useMe()
  const isMe = id === me.id
  const user = useQuery({
    queryKey: ['user', id],
    queryFn: () => client.getUser({ params: { id: id ?? '' } }),
    enabled: id !== null && !isMe && me.managesUsers,
    retry: false,
  })
  if (id === null) return <span className="dim">{text.unknown}</span>
  if (isMe) return text.you
  return user.data ? user.data.email : <span className="mono">{id}</span>
}

interface Entry {
  id: number
  name: string
  value: string
}
let entryIds = 0
function Edit({ object, onClose }: { object: StoredObject; onClose: () => void }) {
  const [type, setType] = useState(object.content_type)
  const [entries, setEntries] = useState<Entry[]>(() =>
    Object.entries(object.metadata).map(([name, value]) => ({ id: entryIds++, name, value })),
  )
  const [sending, setSending] = useState(false)
  const set = (id: number, change: Partial<Entry>) =>
    setEntries((old) => old.map((entry) => (entry.id === id ? { ...entry, ...change } : entry)))
  const save = async () => {
    setSending(true)
    try {
      await client.updateObjectByQuery({
        params: { bucket: object.bucket },
        query: { key: object.key },
        headers: { 'if-match': `"${object.etag}"` },
        body: {
          content_type: type,
          metadata: Object.fromEntries(
            entries.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]),
          ),
        },
      })
      await refreshObjects()
      notify.ok(text.saved)
      onClose()
    } catch (error) {
      notify.problem(error)
      setSending(false)
    }
  }
  return (
    <form
      className="stack-tight details-facts"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <TextInput label={text.type} value={type} onChange={(event) => setType(event.currentTarget.value)} />
      <fieldset className="details-entries">
        <legend>{text.metadata}</legend>
        {entries.map(({ id, name, value }) => (
          <div key={id} className="details-entry">
            <TextInput
              aria-label={text.entryName}
              placeholder={text.entryName}
              value={name}
              onChange={(event) => set(id, { name: event.currentTarget.value.toLowerCase() })}
            />
            <TextInput
              aria-label={text.entryValue}
              placeholder={text.entryValue}
              value={value}
              onChange={(event) => set(id, { value: event.currentTarget.value })}
            />
            <ActionIcon
              aria-label={text.removeEntry(name)}
              onClick={() => setEntries((old) => old.filter((entry) => entry.id !== id))}
            >
              <IconTrash size={15} />
            </ActionIcon>
          </div>
        ))}
        <Button
          variant="subtle"
          leftSection={<IconPlus size={14} />}
          onClick={() => setEntries((old) => [...old, { id: entryIds++, name: '', value: '' }])}
        >
          {text.addEntry}
        </Button>
      </fieldset>
      <div className="dialog-actions">
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button type="submit" loading={sending}>
          {text.save}
        </Button>
      </div>
    </form>
  )
}
