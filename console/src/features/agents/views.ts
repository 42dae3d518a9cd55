import type { View } from '../../routes.ts'

export const agentViews: readonly View[] = [
  { path: '/agents', load: () => import('./Agents.tsx') },
  { path: '/agents/:id', load: () => import('./AgentPage.tsx') },
  { path: '/connect', load: () => import('./Connect.tsx') },
]
