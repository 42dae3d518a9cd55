import { Anchor } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Attention as Found } from '../../../../contract/attention.ts'
import type { Bucket } from '../../../../contract/buckets.ts'
import type { Disk } from '../../../../contract/system.ts'
import { totalsOf } from '../../api/buckets.ts'
import { formatBytes, formatShare, GB } from '../../i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import { NEARLY_FULL, TimeAgo } from '../../ui/values.tsx'
import { distinct } from '../storages/disks.ts'
import { text } from './messages.ts'

interface Item {
  id: string
  to: string
  search?: Record<string, string>
  words: ReactNode
}

/** What a user should look at: buckets that fill up, webhooks that fail, credentials that expire, scans that wait. */
export function Attention({ buckets, found }: { buckets: readonly Bucket[]; found: Found | undefined }) {
  const { disks = [], storages = [], webhooks = [] } = found?.administration ?? {}
  const items: Item[] = [
    ...distinct(disks).flatMap(aboutDisk),
    ...storages.map(({ name }) => ({
      id: `storage ${name}`,
      to: `/admin/storages/${name}`,
      words: text.storageDown(name),
    })),
    ...buckets.flatMap(aboutBucket),
    ...(found?.held_scans ?? []).map(({ bucket }) => ({
      id: `held ${bucket}`,
      to: `/b/${bucket}/scans`,
      words: text.scanHeld(bucket),
    })),
    ...webhooks.map(({ id, name, url, disabled_reason, failing_since, failed }): Item => {
      const at = { to: `/admin/webhooks/${id}`, search: { tab: 'deliveries' } }
      if (disabled_reason !== null) return { id: `off ${id}`, ...at, words: text.webhookOff(name || url) }
      if (failing_since !== null)
        return {
          id: `fails ${id}`,
          ...at,
          words: (
            <>
              {text.webhookFailing(name || url)} <TimeAgo time={failing_since} />
            </>
          ),
        }
      return { id: `fails ${id}`, ...at, words: text.webhookFails(name || url, failed) }
    }),
    ...(found?.tokens ?? []).map(({ id, name, expires_at }) => ({
      id: `token ${id}`,
      to: '/tokens',
      words: (
        <>
          {text.tokenExpires(name)} <TimeAgo time={expires_at} />
        </>
      ),
    })),
    ...(found?.access_keys ?? []).map(({ id, name, expires_at }) => ({
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
        found && (
          <p className="dim row">
            <IconCircleCheck size={17} aria-hidden /> {text.nothing}
          </p>
        )
      ) : (
        <ul className="home-attention">
          {items.map(({ id, to, search, words }) => (
            <li key={id}>
              <IconAlertTriangle size={17} aria-hidden />
              <Anchor component={Link} to={to} search={search ?? {}}>
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
