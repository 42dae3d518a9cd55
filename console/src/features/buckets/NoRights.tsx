import { Button } from '@mantine/core'
import { IconUsersGroup } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { meQuery, useMe } from '../../api/queries.ts'
import { locale } from '../../i18n.ts'
import { EmptyView } from '../../ui/StateView.tsx'
import { text } from './messages.ts'

/** For users without permissions: whom to ask, and for what. */
export function NoRights() {
  const me = useMe()
  const cache = useQueryClient()
  const names = new Intl.ListFormat(locale).format(me.groups.map(({ name }) => `“${name}”`))
  return (
    <EmptyView
      icon={<IconUsersGroup size={28} stroke={1.4} />}
      title={me.groups.length === 0 ? text.noGroupTitle : text.noRightsTitle}
      action={
        <>
          <p>
            <span className="dim">{text.yourAccount}</span> <strong>{me.email}</strong>
          </p>
          <Button variant="default" onClick={() => void cache.invalidateQueries(meQuery)}>
            {text.lookAgain}
          </Button>
        </>
      }
    >
      {me.groups.length === 0 ? text.noGroupHint : text.noRightsHint(names)}
    </EmptyView>
  )
}
