import { ActionIcon, Alert, Anchor } from '@mantine/core'
import { IconZoomQuestion } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { OtherAccess, UserAccess } from '../../../../contract/bucket-access.ts'
import { bucketActions } from '../../../../contract/names.ts'
import { bucketQuery } from '../../api/buckets.ts'
import { useCursorList } from '../../api/pages.ts'
import { type Me, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { legible, parentOf, placeWords } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { BucketTabs } from '../../ui/BucketTabs.tsx'
import { actionsShape, type Column, ListTable } from '../../ui/ListTable.tsx'
import { text as common } from '../../ui/messages.ts'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { Status } from '../../ui/values.tsx'
import { text as policies, said } from '../access-policies/messages.ts'
import { sentenceText } from '../access-policies/sentences.ts'
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
                  search={key === undefined ? { prefix } : { prefix: parentOf(key), sel: key }}
                >
                  {accessText.show}
                </Anchor>
                <Anchor component={Link} to={`/b/${bucket}/access`} search={{}}>
                  {accessText.wholeBucket}
                </Anchor>
              </p>
            )}
            <p className="dim">{accessText.hint}</p>
          </header>
          <Everyone bucket={bucket} />
          <StateView query={list}>
            {(rows) =>
              rows.length === 0 && !list.more.available ? (
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
          <Others bucket={bucket} query={query} />
          <p className="dim">
            {accessText.linksHint}{' '}
            <Anchor component={Link} to="/shares" search={{ bucket }}>
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

/** Who else has access: anyone, and whoever comes with a session of a role or from an identity provider. */
function Others({ bucket, query }: { bucket: string; query: { key?: string; prefix?: string } }) {
  const list = useCursorList<OtherAccess>(['access-others', bucket, query], (cursor) =>
    client.listOtherBucketAccess({ params: { bucket }, query: { ...query, ...cursor } }),
  )
  return (
    <section className="stack" aria-labelledby="access-others">
      <header className="stack-tight">
        <h2 id="access-others" className="groups-access-title">
          {accessText.others}
        </h2>
        <p className="dim">{accessText.othersHint}</p>
      </header>
      <StateView query={list}>
        {(rows) =>
          rows.length === 0 && !list.more.available ? (
            <p>{accessText.othersNone}</p>
          ) : (
            <ListTable
              label={accessText.others}
              columns={otherColumns}
              rows={rows}
              rowKey={({ kind, name }) => `${kind} ${name}`}
              more={list.more}
            />
          )
        }
      </StateView>
    </section>
  )
}

/** The groups that grant it, each with the place of its grant, and the statements that allow or deny it. */
const Through = ({ via = [], reasons, isLinked }: Partial<Pick<UserAccess, 'via'>> & Because) => (
  <ul className="groups-access-via">
    {via.map(({ group_id, group, grant }) => (
      <li key={`${group_id} ${grant?.id}`}>
        {isLinked ? (
          <Anchor component={Link} to={`/admin/groups/${group_id}`} search={{ tab: 'permissions' }}>
            {group}
          </Anchor>
        ) : (
          group
        )}{' '}
        <span className="dim small">{grant ? placeWords(grant.bucket_pattern, grant.prefix) : text.viaAdmin}</span>
      </li>
    ))}
    {reasons.map(({ kind, statement }, i) =>
      statement ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: what decisions refer to them by
        <li key={i}>
          <Status tone={statement.effect === 'Allow' ? 'ok' : 'bad'}>
            {statement.effect === 'Allow' ? policies.allows : policies.denies}
          </Status>{' '}
          {sentenceText(statement.sentence)}
          <span className="dim small groups-description">{calledAs(statement)}</span>
        </li>
      ) : kind === 'grant' || kind === 'administrator' || kind === 'statement' ? null : (
        <li key={kind}>{accessText.reason(kind)}</li>
      ),
    )}
  </ul>
)

interface Because extends Pick<UserAccess, 'reasons'> {
  isLinked: boolean
}
type Statement = NonNullable<UserAccess['reasons'][number]['statement']>

const calledAs = ({ policy, sid, index }: Statement): string => {
  const name = sid || String(index + 1)
  return policy ? accessText.ofOwner(policy.name, policy.owner, name) : accessText.ofBucket(name)
}

type Rights = Omit<OtherAccess, 'kind' | 'name'>

/** What somebody may do: everywhere here, in part, under conditions, and what a policy denies. */
function Permissions({ decisions, reasons, ...of }: Rights) {
  const isEverything =
    reasons.some(({ kind }) => kind === 'administrator') && of.permissions.length === bucketActions.length
  // Older versions and the bucket's policy are told where they are not as the permission that they come with.
  const beside = decisions.filter(
    ({ permission, action, effect }) =>
      action !== null &&
      action in DEEDS &&
      effect !== decisions.find((one) => one.permission === permission && !((one.action ?? '') in DEEDS))?.effect,
  )
  const named = (isDenied: boolean) =>
    beside
      .filter(({ effect }) => (effect === 'denied') === isDenied)
      .flatMap(({ action }) => said.deed(DEEDS[action as keyof typeof DEEDS]))
  const denied = [...of.permissions_denied, ...named(true)].join(', ')
  const lines = [
    of.permissions_in_part.length > 0 && accessText.inPart(of.permissions_in_part.join(', ')),
    of.permissions_if.length > 0 && accessText.ifSo(of.permissions_if.join(', ')),
    named(false).length > 0 && accessText.also(named(false).join(', ')),
  ].filter((line) => line !== false)
  return (
    <>
      <span>{isEverything ? text.everything : of.permissions.join(', ')}</span>
      {lines.map((line) => (
        <span key={line} className="dim small groups-description">
          {line}
        </span>
      ))}
      {denied === '' ? null : <span className="bad small groups-description">{accessText.denied(denied)}</span>}
    </>
  )
}

const DEEDS = {
  's3:GetObjectVersion': 'read_versions',
  's3:DeleteObjectVersion': 'delete_versions',
  's3:PutBucketPolicy': 'change_policy',
} as const

/** What somebody may do, and through what, which stands below it where there is no room beside. */
const rightsColumns = (isLinked: boolean): Column<Rights & Partial<Pick<UserAccess, 'via'>>>[] => [
  {
    key: 'permissions',
    breaks: true,
    title: accessText.permissions,
    cell: ({ via, ...rights }) => (
      <>
        <Permissions {...rights} />
        <div className="groups-access-narrow">
          <Through via={via} reasons={rights.reasons} isLinked={isLinked} />
        </div>
      </>
    ),
  },
  {
    key: 'through',
    breaks: true,
    title: accessText.through,
    optional: true,
    cell: ({ via, reasons }) => <Through via={via} reasons={reasons} isLinked={isLinked} />,
  },
]

const otherColumns: Column<OtherAccess>[] = [
  {
    key: 'who',
    breaks: true,
    title: accessText.who,
    cell: ({ kind, name }) => <strong>{accessText.other(kind, legible(name))}</strong>,
  },
  ...rightsColumns(false),
]

/** The columns; user managers can follow a row to the user, their groups and the check of one permission. */
const columnsFor = (me: Me, { bucket, key }: { bucket: string; key: string }): Column<UserAccess>[] => [
  {
    key: 'user',
    breaks: true,
    title: accessText.user,
    cell: ({ user_id, email, display_name }) => (
      <>
        {me.managesUsers ? (
          <Anchor component={Link} to={`/admin/users/${user_id}`} search={{ tab: 'permissions' }} fw={600}>
            {display_name}
          </Anchor>
        ) : (
          <strong>{display_name}</strong>
        )}
        <span className="dim small groups-description">{email}</span>
      </>
    ),
  },
  ...rightsColumns(me.managesUsers),
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
              search={{ tab: 'explain', user: user_id, bucket, key, action: permissions[0] ?? 'read' }}
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
