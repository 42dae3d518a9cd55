import { ActionIcon, Button } from '@mantine/core'
import { IconDots, IconUpload } from '@tabler/icons-react'
import { lazy } from 'react'
import { MenuButton } from '../../ui/MenuButton.tsx'
import { useMedia } from '../../ui/useMedia.ts'
import { text } from './messages.ts'

const FolderItems = lazy(() => import('./FolderItems.tsx'))

export interface FolderAction {
  label: string
  Icon: typeof IconDots
  run: () => void
  /** Its icon says enough. */
  bare?: boolean
}

/** What can be done in the folder. On a phone, all but the upload is in a menu. */
export function FolderActions({
  actions,
  upload,
}: {
  actions: readonly FolderAction[]
  upload: (() => void) | undefined
}) {
  const isPhone = useMedia('(max-width: 480px)')
  if (isPhone)
    return (
      <>
        <MenuButton label={text.more} size={44} position="bottom-end" items={<FolderItems actions={actions} />}>
          <IconDots size={20} stroke={1.6} />
        </MenuButton>
        {upload ? (
          <ActionIcon variant="filled" color="teal" size={44} aria-label={text.upload} onClick={upload}>
            <IconUpload size={20} stroke={1.6} />
          </ActionIcon>
        ) : null}
      </>
    )
  return (
    <>
      {actions.map(({ label, Icon, run, bare }) =>
        bare ? (
          <ActionIcon key={label} aria-label={label} title={label} onClick={run}>
            <Icon size={17} stroke={1.6} />
          </ActionIcon>
        ) : (
          <Button key={label} variant="default" leftSection={<Icon size={15} />} onClick={run}>
            {label}
          </Button>
        ),
      )}
      {upload ? (
        <Button leftSection={<IconUpload size={15} />} onClick={upload}>
          {text.upload}
        </Button>
      ) : null}
    </>
  )
}
