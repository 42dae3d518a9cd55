import type { View } from '../../routes.ts'

export const tokenViews: readonly View[] = [{ path: '/tokens', load: () => import('./Tokens.tsx') }]
