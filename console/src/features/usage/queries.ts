import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from '../../api/session.ts'

export type Usage = Awaited<ReturnType<typeof client.usage>>
export type History = Awaited<ReturnType<typeof client.usageHistory>>
export type Point = History['series'][number]['points'][number]
export type Types = Awaited<ReturnType<typeof client.usageTypes>>

export const periods = ['7', '30', '90'] as const
export type Period = (typeof periods)[number]
export const periodOf = (text: string | undefined): Period => periods.find((one) => one === text) ?? '30'
/** Buckets that are told apart. */
const TOP = 8

const HOUR = 3600_000
export const STEP_MS = { hour: HOUR, day: 24 * HOUR } as const
/** A week by the hour, more by the day. */
const stepOf = (period: Period): 'hour' | 'day' => (period === '7' ? 'hour' : 'day')

const REFRESH = 60_000

/** What the history of a period is asked by: the server's clock says up to when. */
export const historyOf = (period: Period, bucket?: string) => ({
  ...{ days: Number(period), step: stepOf(period), top: TOP },
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
