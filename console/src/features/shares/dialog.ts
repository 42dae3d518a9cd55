import { lazy } from 'react'

/** The dialog of share links, fetched when it is asked for. */
export const ShareDialog = lazy(() => import('./ShareDialog.tsx'))
