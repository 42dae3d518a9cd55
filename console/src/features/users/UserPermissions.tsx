import { Alert, Anchor, Table } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Group } from '../../../../contract/groups.ts'
import { matchesPattern } from '../../../../contract/patterns.ts'
import { type BucketAction, bucketActions } from '../../../../contract/permissions.ts'
import type { User } from '../../../../contract/users.ts'
import { bucketsQuery } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { placeWords } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { TableFrame } from '../../ui/TableFrame.tsx'
import { Explain } from '../groups/Explain.tsx'
import { actionHints } from '../groups/messages.ts'
import { groupsQuery } from '../groups/queries.ts'
import { text } from './messages.ts'
import { groupsOf } from './queries.ts'

/** One row of the matrix, and the groups that grant each permission on it. */
interface Place {
  bucket_pattern: string
  prefix: string
  from: Map<BucketAction, Group[]>
}

function placesOf(groups: readonly Group[]): Place[] {
  const places = new Map<string, Place>()
  for (const group of groups)
    for (const { bucket_pattern, prefix, actions } of group.grants) {
      const name = `${bucket_pattern}\0${prefix}`
      const place = places.get(name) ?? { bucket_pattern, prefix, from: new Map() }
      places.set(name, place)
      for (const action of actions) {
        const known = place.from.get(action) ?? []
        if (!known.includes(group)) place.from.set(action, [...known, group])
      }
    }
  return [...places.values()]
}

/** A user's permissions, and the groups that grant them. */
export function UserPermissions({ user }: { user: User }) {
  const me = useMe()
  const groups = useQuery(groupsQuery)
  // Only administrators see all buckets, so only they get a correct number.
  const buckets = useQuery({ ...bucketsQuery, enabled: me.isAdmin })
  return (
    <div className="stack">
      <StateView query={groups}>
        {(all) => {
          const own = groupsOf(user, all)
          const admin = own.filter(({ global }) => global.includes('admin'))
          const manages = own.filter(({ global }) => global.includes('users.manage'))
          const places = placesOf(own)
          return (
            <section className="stack" aria-label={text.effective}>
              <h2>{text.effective}</h2>
              {admin.length > 0 ? (
                <Alert>
                  {text.everythingFrom} <Names groups={admin} />
                </Alert>
              ) : null}
              {manages.length > 0 ? (
                <Alert>
                  {text.managesFrom} <Names groups={manages} />
                </Alert>
              ) : null}
              {places.length > 0 ? (
                <>
                  <p className="dim">{text.effectiveHint}</p>
                  <Matrix places={places} buckets={buckets.data?.map(({ name }) => name)} />
                </>
              ) : admin.length + manages.length === 0 ? (
                <EmptyView title={text.noRights}>{text.noRightsHint}</EmptyView>
              ) : null}
            </section>
          )
        }}
      </StateView>
      <section className="stack-tight" aria-label={text.ask}>
        <h2>{text.ask}</h2>
        <Explain userId={user.id} />
      </section>
    </div>
  )
}

const Names = ({ groups }: { groups: readonly Group[] }) =>
  groups.map(({ id, name }, i) => (
    <span key={id}>
      {i > 0 ? ', ' : ''}
      <Anchor component={Link} to={`/admin/groups/${id}`} search={{ tab: 'permissions' }}>
        {name}
      </Anchor>
    </span>
  ))

function Matrix({ places, buckets }: { places: readonly Place[]; buckets: readonly string[] | undefined }) {
  return (
    <TableFrame label={text.effective}>
      <Table className="list-table users-matrix" aria-label={text.effective}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.bucket}</Table.Th>
            {bucketActions.map((action) => (
              <Table.Th key={action} className="users-cell" title={actionHints[action]}>
                {action}
              </Table.Th>
            ))}
            <Table.Th>{text.from}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {places.map(({ bucket_pattern, prefix, from }) => {
            const at = placeWords(bucket_pattern, prefix)
            const count = buckets?.filter((name) => matchesPattern(bucket_pattern, name)).length
            return (
              <Table.Tr key={at}>
                <Table.Th scope="row" className="users-place">
                  {at}
                  {count === undefined || !bucket_pattern.includes('*') ? null : (
                    <span className="dim small users-second">{text.matches(count)}</span>
                  )}
                </Table.Th>
                {bucketActions.map((action) => {
                  const groups = from.get(action)
                  const words = groups
                    ? text.allowedFrom(action, at, groups.map(({ name }) => name).join(', '))
                    : text.notAllowed(action, at)
                  return (
                    <Table.Td key={action} className="users-cell" title={words}>
                      {groups ? <IconCheck size={16} className="ok" aria-hidden /> : <span aria-hidden>·</span>}
                      <span className="visually-hidden">{words}</span>
                    </Table.Td>
                  )
                })}
                <Table.Td>
                  <Names groups={[...new Set([...from.values()].flat())]} />
                </Table.Td>
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
    </TableFrame>
  )
}
