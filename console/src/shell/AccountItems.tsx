import { Menu } from '@mantine/core'
import { IconClipboardList, IconHelp, IconLogout, IconUser } from '@tabler/icons-react'
import { useMe } from '../api/queries.ts'
import { signOut } from '../features/account/signOut.ts'
import { Link } from '../navigation/Link.tsx'
import { text } from './messages.ts'

/** Where the documentation is, if the service has it: its page then says so. */
const help = document.querySelector('link[rel=help]')?.getAttribute('href')

/** The account's menu. */
export default function AccountItems() {
  const me = useMe()
  return (
    <>
      <Menu.Label>
        <span className="account-name">{me.display_name}</span>
        <span className="account-mail">{me.email}</span>
      </Menu.Label>
      <Menu.Item component={Link} to="/account" leftSection={<IconUser size={15} />}>
        {text.account}
      </Menu.Item>
      <Menu.Item component="a" href="/docs" leftSection={<IconClipboardList size={15} />}>
        {text.apiPages}
      </Menu.Item>
      {help ? (
        <Menu.Item component="a" href={help} leftSection={<IconHelp size={15} />}>
          {text.help}
        </Menu.Item>
      ) : null}
      <Menu.Divider />
      <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => void signOut()}>
        {text.signOut}
      </Menu.Item>
    </>
  )
}
