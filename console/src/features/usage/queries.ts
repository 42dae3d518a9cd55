import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from '../../api/session.ts'

export type Usage = Awaited<ReturnType<typeof client.usage>>
export type History = Awaited<ReturnType<typeof client.usageHistory>>
export type Point = History['series'][number]['points'][number]
export type Types = Awaited<ReturnType<typeof client.usageTypes>>

export const periods = ['7', '30', '90'] as const
export type Period = (typeof periods)[number]
export const periodOf = (text: string | undefined): Period => periods.find((one) => one === text) ?? '30'
/** Buckets shown separately. */
const TOP = 8

const HOUR = 3600_000
export const STEP_MS = { hour: HOUR, day: 24 * HOUR } as const
/** A week by hours, longer periods by days. */
const stepOf = (period: Period): 'hour' | 'day' => (period === '7' ? 'hour' : 'day')

const REFRESH = 60_000

/** The query for a period's history; it ends at the server's current time. */
export const historyOf = (period: Period, bucket?: string) => ({
  days: Number(period),
  step: stepOf(period),
  top: TOP,
  ...(bucket === undefined ? {} : { bucket }),
})
export const historyQuery = (period: Period, bucket?: string) =>
  queryOptions({
    queryKey: ['usage', 'history', period, bucket ?? ''],
    queryFn: () => client.usageHistory({ query: historyOf(period, bucket) }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH,
  })
export const typesQuery = (bucket?: string) =>
  queryOptions({
    queryKey: ['usage', 'types', bucket ?? ''],
    queryFn: () => client.usageTypes({ query: bucket === undefined ? {} : { bucket } }),
  })
