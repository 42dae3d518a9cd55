import { useDebouncedValue } from '@mantine/hooks'
import { IconBucket, IconFile, IconHistory, IconShieldLock, IconUser, IconWebhook } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { bucketsQuery } from '../api/buckets.ts'
import { useMe } from '../api/queries.ts'
import { client } from '../api/session.ts'
import { legible, nameOf, parentOf } from '../keys.ts'
import { text } from './messages.ts'
import type { Place } from './places.ts'

/** A place that the palette offers. */
export interface Found extends Place {
  search?: Record<string, string>
  /** Where it is, or what else is known of it. */
  hint?: string
}
export interface Section {
  title: string
  found: readonly Found[]
}

const PAUSE_MS = 150
const MOST = 8
/** Lists that are few enough to be searched here. */
const FEW = 200

/** What the server knows by a part of its name: only what the user may see. In a bucket, also its objects. */
export function useFound(typed: string, bucket: string | undefined): { sections: Section[]; isFetching: boolean } {
  const me = useMe()
  const [settled] = useDebouncedValue(typed.trim(), PAUSE_MS)
  const wanted = typed.trim().toLowerCase()
  const isAsked = settled.length >= 2
  const has = (name: string) => name.toLowerCase().includes(wanted)

  const buckets = useQuery(bucketsQuery)
  const people = useQuery({
    queryKey: ['palette', 'users', settled],
    queryFn: () => client.listUsers({ query: { q: settled.slice(0, 100), limit: MOST } }),
    enabled: isAsked && me.managesUsers,
    placeholderData: keepPreviousData,
  })
  const groups = useQuery({
    queryKey: ['palette', 'groups'],
    queryFn: () => client.listGroups({ query: { limit: FEW } }),
    enabled: isAsked && me.managesUsers,
  })
  const policies = useQuery({
    queryKey: ['palette', 'policies'],
    queryFn: () => client.listPolicies({ query: { limit: FEW } }),
    enabled: isAsked && me.canSomewhere('policy'),
  })
  const webhooks = useQuery({
    queryKey: ['palette', 'webhooks'],
    queryFn: () => client.listWebhooks({ query: { limit: FEW } }),
    enabled: isAsked && me.isAdmin,
  })
  const objects = useQuery({
    queryKey: ['palette', 'objects', bucket, settled],
    queryFn: () =>
      client.listObjects({ params: { bucket: bucket ?? '' }, query: { search: settled.slice(0, 200), limit: MOST } }),
    enabled: isAsked && bucket !== undefined && me.canIn('list', bucket),
    placeholderData: keepPreviousData,
  })

  const few = (found: Found[]) => found.slice(0, MOST)
  const sections: Section[] = [
    {
      title: text.buckets,
      found: few(
        (buckets.data ?? [])
          .filter(({ name }) => has(name))
          .map(({ name }) => ({ to: `/b/${name}`, label: name, icon: IconBucket })),
      ),
    },
    {
      title: bucket === undefined ? '' : text.objectsOf(bucket),
      found: (objects.data?.items ?? []).map(({ key }) => ({
        to: `/b/${bucket}`,
        search: { prefix: parentOf(key), sel: key },
        label: legible(nameOf(key, parentOf(key))),
        hint: legible(parentOf(key)),
        icon: IconFile,
      })),
    },
    {
      title: text.users,
      found: (people.data?.items ?? []).map(({ id, email, display_name }) => ({
        to: `/admin/users/${id}`,
        label: display_name || email,
        hint: email,
        icon: IconUser,
      })),
    },
    {
      title: text.groups,
      found: few(
        (groups.data?.items ?? [])
          .filter(({ name }) => has(name))
          .map(({ id, name }) => ({ to: `/admin/groups/${id}`, label: name, icon: IconShieldLock })),
      ),
    },
    {
      title: text.policies,
      found: few(
        (policies.data?.items ?? [])
          .filter(({ name }) => has(name))
          .map(({ id, name }) => ({ to: `/policies/${id}`, label: name, icon: IconHistory })),
      ),
    },
    {
      title: text.webhooks,
      found: few(
        (webhooks.data?.items ?? [])
          .filter(({ name, url }) => has(name ?? '') || has(url))
          .map(({ id, name, url }) => ({
            to: `/admin/webhooks/${id}`,
            label: name || url,
            hint: url,
            icon: IconWebhook,
          })),
      ),
    },
  ]
  const isFetching = settled !== typed.trim() || [people, objects].some((query) => query.isFetching)
  return { sections: isAsked ? sections : sections.slice(0, 1), isFetching }
}
