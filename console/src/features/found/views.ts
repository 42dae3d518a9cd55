import type { View } from '../../routes.ts'

export const foundViews: readonly View[] = [{ path: '/search', load: () => import('./Search.tsx') }]
