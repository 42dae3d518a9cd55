import { Anchor, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import type { StoredObject } from '../../../../contract/objects.ts'
import { bucketQuery, useReadOnly } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { legible } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { CopyButton } from '../../ui/CopyField.tsx'
import { text as common } from '../../ui/messages.ts'
import { Person } from '../../ui/Person.tsx'
import { Status, TimeAgo } from '../../ui/values.tsx'
import { useAt } from '../past/at.ts'
import { LockStatus } from '../protection/LockStatus.tsx'
import { Dimensions } from './Dimensions.tsx'
import { Edit } from './Edit.tsx'
import { ExactBytes } from './ExactBytes.tsx'
import { text } from './messages.ts'
import { objectText } from './object-messages.ts'

/** All properties of an object. Its type, metadata and tags can be edited; in a read-only bucket only the tags. */
export function Details({ object }: { object: StoredObject }) {
  const me = useMe()
  const [editing, setEditing] = useState(false)
  const readOnly = useReadOnly(object.bucket)
  const at = useAt()
  const mayEdit = at === undefined && readOnly !== undefined && me.can('write', object.bucket, object.key)
  const { key, size, etag, sha256, content_type, headers, metadata, tags, encryption } = object
  const { checksums = [], created_at, last_modified, created_by } = object
  if (editing) return <Edit object={object} tagsOnly={readOnly === true} onClose={() => setEditing(false)} />
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
          <ExactBytes bytes={size} />
        </dd>
        <dt>{text.type}</dt>
        <dd>{content_type}</dd>
        {/^image\/(?!svg)/.test(content_type) && size > 0 && !object.erased && encryption?.algorithm !== 'SSE-C' ? (
          <Dimensions object={object} />
        ) : null}
        <dt>{text.modified}</dt>
        <dd>
          <TimeAgo time={last_modified} />
        </dd>
        {readOnly ? null : (
          <>
            <dt>{objectText.created}</dt>
            <dd>
              <TimeAgo time={created_at} />
            </dd>
            <dt>{objectText.uploader}</dt>
            <dd>
              <Person id={created_by} />
            </dd>
          </>
        )}
        <dt>{objectText.etag}</dt>
        <dd className="mono">{etag}</dd>
        <dt>{objectText.sha256}</dt>
        {sha256 ? <dd className="mono">{sha256}</dd> : <dd className="dim">{objectText.noSha256}</dd>}
        {checksums.map(({ algorithm, value }) => (
          <Fragment key={algorithm}>
            <dt>{algorithm.toUpperCase()}</dt>
            <dd className="mono">{value}</dd>
          </Fragment>
        ))}
        {headers ? <Pairs title={objectText.headers} of={headers} /> : null}
        <Pairs title={objectText.metadata} of={metadata} />
        {tags ? <Pairs title={objectText.tags} of={tags} /> : null}
        {encryption ? (
          <>
            <dt>{objectText.encryption}</dt>
            <dd>{encryptionWords(encryption)}</dd>
          </>
        ) : null}
        {object.lock ? (
          <>
            <dt>{objectText.lock}</dt>
            <dd className="row">
              <LockStatus lock={object.lock} explain />
            </dd>
          </>
        ) : null}
        <PublicRead object={object} />
        {me.seesAccess(object.bucket) ? (
          <>
            <dt>{objectText.access}</dt>
            <dd>
              <Anchor component={Link} to={`/b/${object.bucket}/access`} search={{ key }}>
                {text.whoHasAccess}
              </Anchor>
            </dd>
          </>
        ) : null}
      </dl>
      {mayEdit ? (
        <div>
          <Button variant="default" onClick={() => setEditing(true)}>
            {readOnly ? objectText.editTags : objectText.edit}
          </Button>
        </div>
      ) : null}
    </div>
  )
}

function encryptionWords({ algorithm, key }: NonNullable<StoredObject['encryption']>): string {
  if (algorithm === 'SSE-C') return objectText.byClient
  return key === undefined ? objectText.byService : objectText.byKey(key)
}

/** To whom an object's ACL makes it public, where ACLs have an effect. */
function PublicRead({ object: { bucket, acl = [] } }: { object: StoredObject }) {
  const about = useQuery(bucketQuery(bucket))
  const mayRead = (to: 'everyone' | 'authenticated') => acl.some((one) => one.to === to && one.permission === 'READ')
  const reader = mayRead('everyone')
    ? objectText.publicToAll
    : mayRead('authenticated')
      ? objectText.publicToKeys
      : undefined
  if (reader === undefined || !about.data?.public_access?.object_acls) return null
  return (
    <>
      <dt>{objectText.publicAccess}</dt>
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
          <span className="dim">{objectText.noMetadata}</span>
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
