import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DEFAULT_STORAGE, type Storage, type StorageTest } from '../../../../contract/storages.ts'
import { bucketsQuery } from '../../api/buckets.ts'
import { client } from '../../api/session.ts'
import { useForm } from '../../ui/useForm.ts'
import { type Draft, draftOf, isPlace, placeOf } from '../storages/draft.ts'
import { storagesQuery } from '../storages/queries.ts'

export const steps = ['place', 'test', 'name', 'scan'] as const
export type Step = (typeof steps)[number]

const EMPTY = draftOf()
const LONGEST = 63
const subjectOf = (storage: string, prefix: string) => JSON.stringify([storage, prefix.trim()])

/** What is to be attached: a place on a registered storage or on a new one, its test, and its names here. */
export function usePlan(asked: string | undefined) {
  const cache = useQueryClient()
  const all = useQuery(storagesQuery)
  const buckets = useQuery(bucketsQuery)
  // Nothing can be attached to the default storage, where bytes of our own are.
  const storages = (all.data ?? []).filter(
    ({ name, kind, enabled }) => kind === 's3' && enabled && name !== DEFAULT_STORAGE,
  )
  const [source, setSource] = useState<'registered' | 'new' | undefined>(asked === undefined ? undefined : 'registered')
  const place = useForm<Draft>(EMPTY)
  const isEntered = JSON.stringify(place.values) !== JSON.stringify(EMPTY)
  // Where a new place was entered, it stays: the list of storages can change at any time.
  const from = source ?? (storages.length > 0 && !isEntered ? 'registered' : 'new')
  const isNew = from === 'new'
  const known = useForm({ storage: asked ?? '', prefix: '' })
  const names = useForm({ name: '' })
  const [proposed, setProposed] = useState({ storage: '', bucket: '' })
  const [tested, setTested] = useState<{ subject: string; test: StorageTest }>()

  const { prefix } = known.values
  const chosen = known.values.storage || (storages[0]?.name ?? '')
  const registered = storages.find(({ name }) => name === chosen)
  const engineBucket = (isNew ? place.values.bucket.trim() : registered?.bucket) ?? ''
  // A test of another place says nothing.
  const subject = isNew ? JSON.stringify(placeOf(place.values)) : subjectOf(chosen, prefix)
  const ask = () =>
    isNew
      ? client.testNewStorage({ body: { ...placeOf(place.values), mode: 'read_only' } })
      : client.testStorage({
          params: { storage: chosen },
          body: { mode: 'read_only', ...(prefix.trim() === '' ? {} : { prefix: prefix.trim() }) },
        })

  return {
    isPending: all.isPending,
    storages,
    from,
    setFrom: setSource,
    isNew,
    /** A new storage. */
    place,
    /** A registered one, and a prefix on it. */
    known,
    registered,
    /** The name of the bucket here. */
    names,
    isReady: isNew ? isPlace(place.values) : registered !== undefined,
    isTouched: isNew ? isEntered : prefix !== '',
    /** What it shows, in the engine's words. */
    location: isNew
      ? `${engineBucket}/${asFolder(place.values.prefix)}`
      : `${engineBucket}/${asFolder(prefix) || (registered?.prefix ?? '')}`,
    test: tested?.subject === subject ? tested.test : undefined,
    /** Tests the place and returns whether there is a result; otherwise the faults are at their fields. */
    ask: () => (isNew ? place : known).submit(async () => setTested({ subject, test: await ask() })),
    /** Proposes names where none was chosen. */
    propose(): void {
      const bucket = freeName(engineBucket, buckets.data ?? [])
      const storage = freeName(engineBucket.replaceAll(/[.-]+/g, '-'), all.data ?? [])
      if (names.values.name === '' || names.values.name === proposed.bucket) names.set('name', bucket)
      if (place.values.name === '' || place.values.name === proposed.storage) place.set('name', storage)
      setProposed({ storage, bucket })
    },
    /** The new storage was registered: from now on it is one that was chosen, with the same test. */
    async register(storage: string): Promise<void> {
      await cache.invalidateQueries({ queryKey: ['storages'] })
      known.set('storage', storage)
      known.set('prefix', '')
      setSource('registered')
      setTested((old) => old && { ...old, subject: subjectOf(storage, '') })
    },
  }
}
export type Plan = ReturnType<typeof usePlan>

/** A prefix with its slash, as the server completes it. */
function asFolder(prefix: string): string {
  const given = prefix.trim()
  return given === '' || given.endsWith('/') ? given : `${given}/`
}

/** A name that no other has: with a number if need be. */
function freeName(wanted: string, others: readonly { name: string }[]): string {
  const taken = new Set(others.map(({ name }) => name))
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? '' : `-${n}`
    const name = `${wanted.slice(0, LONGEST - suffix.length)}${suffix}`
    if (!taken.has(name)) return name
  }
}

/** The last step that can be opened: one needs a result of the test, another a good one. */
export const lastStep = ({ test }: Plan): Step => (test === undefined ? 'place' : test.ok ? 'name' : 'test')

/** Where a storage is, for reading: `s3.example.org`. */
export const engineOf = (endpoint: Storage['endpoint']): string | undefined => endpoint?.replace(/^https?:\/\//, '')
