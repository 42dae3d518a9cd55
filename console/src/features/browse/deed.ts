import { usePreferences } from '../../preferences.ts'

/** An action on what is selected, or on a row. */
export interface Deed {
  id:
    | ('open' | 'about' | 'full' | 'reveal' | 'download' | 'share')
    | ('copy' | 'move' | 'rename' | 'copyLink' | 'copyKey' | 'access' | 'tag' | 'delete')
  label: string
  run: () => void
}

/** The keys of actions, of those that have one. */
export const keyOf = {
  open: 'i',
  about: 'i',
  full: 'f',
  download: 'd',
  share: 's',
  copy: 'c',
  move: 'm',
  rename: 'F2',
  delete: 'Delete',
} as const satisfies { readonly [id in Deed['id']]?: string }

/** The key of an action, if it has one and it acts: single keys can be turned off. */
export function useKeyOf(): (id: Deed['id']) => string | undefined {
  const { shortcuts } = usePreferences()
  return (id) => {
    const key = keyOf[id as keyof typeof keyOf]
    return shortcuts || key?.length > 1 ? key : undefined
  }
}
