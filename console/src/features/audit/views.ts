import type { View } from '../../routes.ts'

export const auditViews: readonly View[] = [{ path: '/admin/audit', load: () => import('./Audit.tsx') }]
