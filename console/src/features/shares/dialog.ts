import { lazy } from 'react'

/** The share dialog, loaded on demand. */
export const ShareDialog = lazy(() => import('./ShareDialog.tsx'))
