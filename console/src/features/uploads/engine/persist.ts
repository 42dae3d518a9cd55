import { type Batch, groupOf, type Item } from './item.ts'
import { othersAlive, owner } from './tabs.ts'

const FLUSH_MS = 300
/** Marks that there may be unfinished uploads. Pages without it do not load the uploads' code. */
const NOTED = 'strongroom-uploads'

interface BatchRecord extends Batch {
  owner: string
  user: string
}
interface ItemRecord {
  id: string
  batch: string
  path: string
  key: string
  size: number
  modified: number
  overwrite: boolean
  upload?: { id: string; partSize: number }
  fingerprint?: string
}

const note = (some: boolean): void => {
  try {
    if (some) localStorage.setItem(NOTED, '1')
    else localStorage.removeItem(NOTED)
  } catch {
    // No storage: a reload forgets the uploads.
  }
}

let opening: Promise<IDBDatabase | undefined> | undefined
const open = (): Promise<IDBDatabase | undefined> => {
  opening ??= new Promise((resolve) => {
    try {
      const request = indexedDB.open('strongroom-uploads', 1)
      request.onupgradeneeded = () => {
        request.result.createObjectStore('batches', { keyPath: 'id' })
        request.result.createObjectStore('items', { keyPath: 'id' }).createIndex('batch', 'batch')
      }
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => resolve(undefined)
    } catch {
      // Not allowed in some private windows.
      resolve(undefined)
    }
  })
  return opening
}
const finished = (tx: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    tx.oncomplete = () => resolve()
    tx.onabort = tx.onerror = () => reject(tx.error)
  })
const answer = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

const recordOf = (item: Item): ItemRecord => {
  const { id, batch, path, key, size, modified, overwrite, upload, fingerprint } = item
  return {
    id,
    batch: batch.id,
    path,
    key,
    size,
    modified,
    overwrite,
    ...(upload ? { upload: { id: upload.id, partSize: upload.partSize } } : {}),
    ...(fingerprint === undefined ? {} : { fingerprint }),
  }
}

const changed = new Map<string, ItemRecord | null>()
let timer: ReturnType<typeof setTimeout> | undefined

/** Writes changes. If the browser refuses, only the ability to resume is lost. */
export async function flush(): Promise<void> {
  clearTimeout(timer)
  timer = undefined
  const batch = new Map(changed)
  changed.clear()
  const database = await open()
  if (!database || batch.size === 0) return
  const tx = database.transaction('items', 'readwrite')
  const store = tx.objectStore('items')
  for (const [id, record] of batch)
    if (record === null) store.delete(id)
    else store.put(record)
  tx.commit()
  await finished(tx).catch(() => undefined)
}
/** Who leaves within that moment still leaves what is true. */
addEventListener('pagehide', () => void flush())
const soon = (): void => {
  timer ??= setTimeout(() => void flush(), FLUSH_MS)
}

/** Saves a file's state within a moment. */
export function save(item: Item): void {
  changed.set(item.id, recordOf(item))
  soon()
}
/** It will not be resumed any more. */
export function forget(item: Item): void {
  changed.set(item.id, null)
  soon()
}

/** Saves a batch of files, for `user` alone. */
export async function saveBatch(batch: Batch, items: readonly Item[], user: string): Promise<void> {
  note(true)
  const database = await open()
  if (!database) return
  for (const item of items) changed.set(item.id, recordOf(item))
  const put = (record: BatchRecord) => {
    const tx = database.transaction('batches', 'readwrite')
    tx.objectStore('batches').put(record)
    return finished(tx)
  }
  const record = { ...batch, owner, user }
  // Not every browser can store handles.
  await (async () => put(record))()
    .catch(() => put({ ...record, handles: [] }))
    .catch(() => undefined)
  await flush()
}

/**
 * Takes over what closed pages of `user` left unfinished. One transaction decides, so two pages never take the same.
 */
export async function takeOrphans(user: string): Promise<Item[]> {
  const database = await open()
  if (!database) return []
  const alive = await othersAlive()
  const tx = database.transaction(['batches', 'items'], 'readwrite')
  const batches = tx.objectStore('batches')
  const items = tx.objectStore('items')
  const found: Item[] = []
  const all = (await answer(batches.getAll())) as BatchRecord[]
  for (const record of all) {
    if (record.owner === owner || alive.has(record.owner)) continue
    const keys = await answer(items.index('batch').count(record.id))
    if (keys === 0) {
      batches.delete(record.id)
      continue
    }
    if (record.user !== user) continue
    batches.put({ ...record, owner })
    const { owner: _owner, user: _user, ...batch } = record
    for (const one of (await answer(items.index('batch').getAll(record.id))) as ItemRecord[])
      found.push(revive(one, batch))
  }
  const left = await answer(batches.count())
  await finished(tx).catch(() => undefined)
  if (left === 0) note(false)
  return found
}

const revive = ({ upload, fingerprint, batch: _batch, ...record }: ItemRecord, batch: Batch): Item => ({
  ...record,
  batch,
  group: groupOf(record.path),
  file: undefined,
  state: 'lost',
  sent: 0,
  uncertain: true,
  problem: undefined,
  clash: undefined,
  copies: 0,
  upload: upload && { ...upload, parts: new Map(), urls: new Map(), known: false },
  fingerprint,
  running: undefined,
})
