import { Menu } from '@mantine/core'
import type { FolderAction } from './FolderActions.tsx'

/** What can be done in a folder, as items of a menu. */
const FolderItems = ({ actions }: { actions: readonly FolderAction[] }) =>
  actions.map(({ label, Icon, run }) => (
    <Menu.Item key={label} leftSection={<Icon size={17} stroke={1.6} />} onClick={run}>
      {label}
    </Menu.Item>
  ))
export default FolderItems
