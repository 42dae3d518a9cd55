import { Anchor } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Bucket } from '../../../../contract/buckets.ts'
import type { Disk } from '../../../../contract/system.ts'
import { totalsOf } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { latestScansQuery } from '../../api/scans.ts'
import { formatBytes, formatShare, GB } from '../../i18n.ts'
import { NEARLY_FULL, TimeAgo } from '../../ui/values.tsx'
import { disksQuery, distinct } from '../storages/disks.ts'
import { storagesQuery } from '../storages/queries.ts'
import { unreachableOf } from '../storages/state.ts'
import { text } from './messages.ts'
import { credentialsQuery, webhooksQuery } from './queries.ts'

/** Of so many attached buckets the scans are read. */
const MOST_SCANS = 20

interface Item {
  id: string
  to: string
  search?: Record<string, string>
  words: ReactNode
}

/** What a user should look at: buckets that fill up, webhooks that fail, credentials that expire, scans that wait. */
export function Attention({ buckets }: { buckets: readonly Bucket[] }) {
  const me = useMe()
  const credentials = useQuery(credentialsQuery)
  const webhooks = useQuery({ ...webhooksQuery, enabled: me.isAdmin })
  const storages = useQuery({ ...storagesQuery, enabled: me.isAdmin })
  const disks = useQuery({ ...disksQuery, enabled: me.isAdmin })
  const attached = buckets
    .filter(({ name, mode }) => mode === 'read_only' && me.can('manage', name))
    .slice(0, MOST_SCANS)
  const scans = useQueries({ queries: attached.map(({ name }) => latestScansQuery(name)) })
  const isSoon = ({ status }: { status: string }) => status === 'expiring'
  const items: Item[] = [
    ...distinct(disks.data ?? []).flatMap(aboutDisk),
    ...unreachableOf(storages.data ?? []).map(({ name }) => ({
      id: `storage ${name}`,
      to: `/admin/storages/${name}`,
      words: text.storageDown(name),
    })),
    ...buckets.flatMap(aboutBucket),
    ...attached.flatMap(({ name }, i): Item[] =>
      scans[i]?.data?.held ? [{ id: `held ${name}`, to: `/b/${name}/scans`, words: text.scanHeld(name) }] : [],
    ),
    ...(webhooks.data?.items ?? []).flatMap(({ id, name, url, disabled_reason, failing_since, recent }): Item[] => {
      const at = { to: `/admin/webhooks/${id}`, search: { tab: 'deliveries' } }
      if (disabled_reason !== null) return [{ id: `off ${id}`, ...at, words: text.webhookOff(name || url) }]
      if (failing_since !== null)
        return [
          {
            id: `fails ${id}`,
            ...at,
            words: (
              <>
                {text.webhookFailing(name || url)} <TimeAgo time={failing_since} />
              </>
            ),
          },
        ]
      return recent.failed > 0
        ? [{ id: `fails ${id}`, ...at, words: text.webhookFails(name || url, recent.failed) }]
        : []
    }),
    ...(credentials.data?.tokens ?? []).filter(isSoon).map(({ id, name, expires_at }) => ({
      id: `token ${id}`,
      to: '/tokens',
      words: (
        <>
          {text.tokenExpires(name)} <TimeAgo time={expires_at} />
        </>
      ),
    })),
    ...(credentials.data?.keys ?? []).filter(isSoon).map(({ id, name, expires_at }) => ({
      id: `key ${id}`,
      to: '/access-keys',
      words: (
        <>
          {text.keyExpires(name)} <TimeAgo time={expires_at} />
        </>
      ),
    })),
  ]
  return (
    <section className="card stack-tight" aria-labelledby="attention">
      <h2 id="attention">{text.attention}</h2>
      {items.length === 0 ? (
        <p className="dim row">
          <IconCircleCheck size={17} aria-hidden /> {text.nothing}
        </p>
      ) : (
        <ul className="home-attention">
          {items.map(({ id, to, search, words }) => (
            <li key={id}>
              <IconAlertTriangle size={17} aria-hidden />
              <Anchor component={Link} to={to} {...({ search: search ?? {} } as object)}>
                {words}
              </Anchor>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function aboutDisk({ of, state, free_bytes }: Disk): Item[] {
  if (state === 'room') return []
  const words = state === 'short' ? text.diskShort : text.diskNearlyFull(formatBytes(free_bytes))
  return [{ id: `disk ${of}`, to: '/admin/storages', words }]
}

function aboutBucket(bucket: Bucket): Item[] {
  const { name, source, history_quota_gb } = bucket
  const { quota_gb, counted_bytes = 0, history_bytes = 0 } = totalsOf(bucket) ?? {}
  const share = quota_gb ? counted_bytes / (quota_gb * GB) : 0
  return [
    ...(share >= NEARLY_FULL
      ? [
          {
            id: `full ${name}`,
            to: `/b/${name}/overview`,
            words: share >= 1 ? text.full(name) : text.nearlyFull(name, formatShare(share)),
          },
        ]
      : []),
    ...(history_quota_gb !== null && history_bytes > history_quota_gb * GB
      ? [
          {
            id: `history ${name}`,
            to: `/b/${name}/history`,
            search: { tab: 'snapshots' },
            words: text.historyFull(name),
          },
        ]
      : []),
    ...(source?.findings
      ? [{ id: `findings ${name}`, to: `/b/${name}/findings`, words: text.findings(name, source.findings) }]
      : []),
  ]
}
