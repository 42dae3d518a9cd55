import { useSyncExternalStore } from 'react'
import { isAway, onReach } from '../api/reach.ts'

/** Whether the server does not respond at the moment. */
export const useAway = (): boolean => useSyncExternalStore(onReach, isAway)
