import type { View } from '../../../routes.ts'

export const linkViews: readonly View[] = [{ path: '/s/$token', load: () => import('./LinkPage.tsx'), open: true }]
