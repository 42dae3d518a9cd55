import type { View } from '../../routes.ts'

export const webhookViews: readonly View[] = [
  { path: '/admin/webhooks', load: () => import('./Webhooks.tsx') },
  { path: '/admin/webhooks/new', load: () => import('./NewWebhook.tsx') },
  { path: '/admin/webhooks/:id', load: () => import('./WebhookPage.tsx') },
]
