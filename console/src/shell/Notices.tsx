import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { attentionQuery } from '../api/attention.ts'
import { useMe } from '../api/queries.ts'
import { Link } from '../navigation/Link.tsx'
import { TimeAgo } from '../ui/values.tsx'
import { text } from './messages.ts'

/** Milliseconds before the first look, so that the first view is not kept waiting, and between two looks. */
const FIRST_MS = 1500
const EVERY_MS = 60_000

/** What administrators are told above every view: storages that cannot be reached, and a disk on which nothing new is stored. */
export function Notices() {
  const { isAdmin } = useMe()
  return isAdmin ? <Troubles /> : null
}

function Troubles() {
  const [enabled, setEnabled] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setEnabled(true), FIRST_MS)
    return () => clearTimeout(timer)
  }, [])
  const { data } = useQuery({ ...attentionQuery, enabled, refetchInterval: EVERY_MS, throwOnError: false })
  const { storages: down = [], disks = [] } = data?.administration ?? {}
  const [first] = down
  const isShort = disks.some(({ state }) => state === 'short')
  return (
    <>
      {isShort ? (
        <p className="banner" role="status">
          {text.diskShort} <Link to="/admin/storages">{text.whatToDo}</Link>
        </p>
      ) : null}
      {first ? (
        <p className="banner" role="status">
          {down.length === 1 ? text.storageDown(first.name) : text.storagesDown(down.map(({ name }) => name))}{' '}
          {down.length === 1 ? (
            <>
              {text.noticed} <TimeAgo time={first.health.since} />.{' '}
              <Link to={`/admin/storages/${first.name}`}>{text.seeStorage}</Link>
            </>
          ) : (
            <Link to="/admin/storages">{text.seeStorages}</Link>
          )}
        </p>
      ) : null}
    </>
  )
}
