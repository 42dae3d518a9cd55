import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useView } from '../navigation/useView.ts'
import { confirm } from './confirm.tsx'
import { notify } from './notify.tsx'

/** Deletes the page's item after a confirmation and returns to its list. */
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
