import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useView } from '../navigation.ts'
import { confirm } from './confirm.tsx'
import { notify } from './notify.tsx'

/** Deletes what a page is of, once that is confirmed, and goes back to the list it was in. */
export function useRemoval({ list, listKey }: { list: string; listKey: QueryKey }) {
  const cache = useQueryClient()
  const { go } = useView()
  return async (
    question: { title: string; children: ReactNode; action: string },
    remove: () => Promise<unknown>,
    removed: string,
  ): Promise<void> => {
    if (!(await confirm(question))) return
    try {
      await remove()
      notify.ok(removed)
      await go(list)
      await cache.invalidateQueries({ queryKey: listKey })
    } catch (error) {
      notify.problem(error)
    }
  }
}
