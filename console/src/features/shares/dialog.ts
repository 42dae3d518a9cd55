import { lazy } from 'react'
import { wholeLanguage } from '../../i18n.ts'

/** The share dialog, loaded on demand. */
export const ShareDialog = lazy(() => wholeLanguage().then(() => import('./ShareDialog.tsx')))
