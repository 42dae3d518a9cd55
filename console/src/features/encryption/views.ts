import type { View } from '../../routes.ts'

export const encryptionViews: readonly View[] = [
  { path: '/admin/kms-keys', load: () => import('./KmsKeys.tsx') },
  { path: '/admin/kms-keys/new', load: () => import('./NewKmsKey.tsx') },
]
