import type { View } from '../../routes.ts'

export const homeViews: readonly View[] = [{ path: '/', load: () => import('./Home.tsx'), inFrame: true }]
