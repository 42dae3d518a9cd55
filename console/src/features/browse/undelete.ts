import { describeProblem } from '../../api/problem.ts'
import { client } from '../../api/session.ts'
import { allWith } from './allWith.ts'
import type { ItemFault } from './itemFaults.tsx'

const PAGE = 1000
const MOST = 10_000

/** A delete marker: what hides a key's object in a bucket that keeps versions. */
export interface Marker {
  key: string
  version_id: string
}

/** Takes back deletions: without its marker, a key has its object again. Returns how many, and what failed. */
export async function undelete(
  bucket: string,
  markers: readonly Marker[],
): Promise<{ done: number; faults: ItemFault[] }> {
  const faults: ItemFault[] = []
  await allWith(markers, async ({ key, version_id }) => {
    try {
      await client.deleteObjectByQuery({ params: { bucket }, query: { key, version_id } })
    } catch (error) {
      faults.push({ key, detail: describeProblem(error).detail })
    }
  })
  return { done: markers.length - faults.length, faults }
}

/** The markers of all that is deleted in a folder and below it; undefined if there are more than 10,000. */
export async function markersBelow(bucket: string, folder: string): Promise<Marker[] | undefined> {
  const markers: Marker[] = []
  const folders = [folder]
  for (const prefix of folders) {
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof client.listDeleted>> = await client.listDeleted({
        params: { bucket },
        query: { prefix, limit: PAGE, ...(cursor === null ? {} : { cursor }) },
      })
      for (const { name, folder, version_id } of page.items)
        if (folder) folders.push(name)
        else if (version_id !== null) markers.push({ key: name, version_id })
      if (markers.length > MOST || folders.length > MOST) return undefined
      cursor = page.next_cursor
    } while (cursor !== null)
  }
  return markers
}
