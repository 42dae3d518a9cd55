import type { ComponentProps } from 'react'
import { useMe } from '../../api/queries.ts'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'

/** A page for administrators alone. */
export function AdminPage({ children, ...page }: ComponentProps<typeof Page>) {
  const me = useMe()
  return me.isAdmin ? (
    <Page {...page}>{children}</Page>
  ) : (
    <Page title={page.title}>
      <ForbiddenView right="admin" />
    </Page>
  )
}
