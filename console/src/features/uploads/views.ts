import type { View } from '../../routes.ts'

export const uploadViews: readonly View[] = [{ path: '/b/:bucket/uploads', load: () => import('./BucketUploads.tsx') }]
