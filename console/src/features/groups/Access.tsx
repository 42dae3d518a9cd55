import { ActionIcon, Alert, Anchor } from '@mantine/core'
import { IconZoomQuestion } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { UserAccess } from '../../../../contract/buckets.ts'
import { bucketQuery } from '../../api/buckets.ts'
import { useCursorList } from '../../api/pages.ts'
import { type Me, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { legible, parentOf } from '../../keys.ts'
import { useView } from '../../navigation.ts'
import { BucketTabs } from '../../ui/BucketTabs.tsx'
import { actionsShape, type Column, ListTable } from '../../ui/ListTable.tsx'
import { text as common } from '../../ui/messages.ts'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { accessText, text } from './messages.ts'
import './groups.css'

/** Who has access to a bucket, or to the folder or object in it that the address names. */
export default function Access() {
  const me = useMe()
  const { params, search } = useView()
  const { bucket = '' } = params
  const { key, prefix = '' } = search
  const at = key ?? prefix
  const maySee = me.seesAccess(bucket)
  const query = key === undefined ? (prefix === '' ? {} : { prefix }) : { key }
  const list = useCursorList<UserAccess>(
    ['access', bucket, query],
    (cursor) => client.listBucketAccess({ params: { bucket }, query: { ...query, ...cursor } }),
    { enabled: maySee },
  )
  const title = accessText.title(legible(at === '' ? bucket : `${bucket}/${at}`))
  return (
    <Page
      inBuckets
      title={bucket}
      windowTitle={title}
      call={{ operation: 'listBucketAccess', params: { bucket }, query }}
    >
      <BucketTabs bucket={bucket} active="access" />
      {maySee ? (
        <section className="stack" aria-labelledby="access-title">
          <header className="stack-tight">
            <h2 id="access-title" className="groups-access-title">
              {title}
            </h2>
            {at === '' ? null : (
              <p className="row">
                <Anchor
                  component={Link}
                  to={`/b/${bucket}`}
                  search={(key === undefined ? { prefix } : { prefix: parentOf(key), sel: key }) as never}
                >
                  {accessText.show}
                </Anchor>
                <Anchor component={Link} to={`/b/${bucket}/access`} search={{} as never}>
                  {accessText.wholeBucket}
                </Anchor>
              </p>
            )}
            <p className="dim">{accessText.hint}</p>
          </header>
          <Everyone bucket={bucket} />
          <StateView query={list}>
            {(rows) =>
              rows.length === 0 ? (
                <EmptyView title={accessText.none}>{accessText.noneHint}</EmptyView>
              ) : (
                <ListTable
                  label={title}
                  columns={columnsFor(me, { bucket, key: at })}
                  rows={rows}
                  rowKey={({ user_id }) => user_id}
                  more={list.more}
                />
              )
            }
          </StateView>
          <p className="dim">
            {accessText.linksHint}{' '}
            <Anchor component={Link} to="/shares" search={{ bucket } as never}>
              {accessText.links}
            </Anchor>
          </p>
        </section>
      ) : (
        <ForbiddenView right="manage" />
      )}
    </Page>
  )
}

/** That a bucket is public: then users are not all who have access. */
function Everyone({ bucket }: { bucket: string }) {
  const about = useQuery(bucketQuery(bucket))
  const access = about.data?.public_access
  if (!access || (access.actions.length === 0 && !access.object_acls)) return null
  return (
    <Alert className="alert-warn">
      {access.actions.length > 0 ? common.publicTo(access.actions) : common.publicObjectsHint}{' '}
      <Anchor component={Link} to={`/b/${bucket}/protection`}>
        {common.tabProtection}
      </Anchor>
    </Alert>
  )
}

/** The groups that grant it, each with the place of its grant. */
const Through = ({ via, isLinked }: { via: UserAccess['via']; isLinked: boolean }) => (
  <ul className="groups-access-via">
    {via.map(({ group_id, group, grant }) => (
      <li key={`${group_id} ${grant?.id}`}>
        {isLinked ? (
          <Anchor component={Link} to={`/admin/groups/${group_id}`} search={{ tab: 'permissions' } as never}>
            {group}
          </Anchor>
        ) : (
          group
        )}{' '}
        <span className="dim small">
          {grant ? legible(text.place(grant.bucket_pattern, grant.prefix)) : text.viaAdmin}
        </span>
      </li>
    ))}
  </ul>
)

/** The columns; user managers can follow a row to the user, their groups and the check of one permission. */
const columnsFor = (me: Me, { bucket, key }: { bucket: string; key: string }): Column<UserAccess>[] => [
  {
    key: 'user',
    breaks: true,
    title: accessText.user,
    cell: ({ user_id, email, display_name }) => (
      <>
        {me.managesUsers ? (
          <Anchor component={Link} to={`/admin/users/${user_id}`} search={{ tab: 'permissions' } as never} fw={600}>
            {display_name}
          </Anchor>
        ) : (
          <strong>{display_name}</strong>
        )}
        <span className="dim small groups-description">{email}</span>
      </>
    ),
  },
  {
    key: 'permissions',
    breaks: true,
    title: accessText.permissions,
    cell: ({ permissions, permissions_in_part, via }) => (
      <>
        {via.some(({ grant }) => grant === null) ? (
          text.everything
        ) : (
          <>
            <span>{permissions.join(', ')}</span>
            {permissions_in_part.length > 0 ? (
              <span className="dim small groups-description">{accessText.inPart(permissions_in_part.join(', '))}</span>
            ) : null}
          </>
        )}
        <div className="groups-access-narrow">
          <Through via={via} isLinked={me.managesUsers} />
        </div>
      </>
    ),
  },
  {
    key: 'through',
    breaks: true,
    title: accessText.through,
    optional: true,
    cell: ({ via }) => <Through via={via} isLinked={me.managesUsers} />,
  },
  ...(me.managesUsers
    ? [
        {
          key: 'check',
          ...actionsShape,
          width: 52,
          cell: ({ user_id, display_name, permissions }: UserAccess) => (
            <ActionIcon
              component={Link}
              to="/admin/groups"
              search={{ tab: 'explain', user: user_id, bucket, key, action: permissions[0] ?? 'read' } as never}
              aria-label={accessText.checkOf(display_name)}
              title={accessText.check}
            >
              <IconZoomQuestion size={17} stroke={1.6} />
            </ActionIcon>
          ),
        },
      ]
    : []),
]
