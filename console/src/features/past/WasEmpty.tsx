import { Button } from '@mantine/core'
import { IconFolderX } from '@tabler/icons-react'
import { EmptyView } from '../../ui/StateView.tsx'
import { text } from './messages.ts'

/** A folder that was empty, or not there, at the moment that is shown. */
export default function WasEmpty({ onLeave }: { onLeave: () => void }) {
  return (
    <EmptyView
      title={text.wasEmpty}
      icon={<IconFolderX size={28} stroke={1.4} />}
      action={
        <Button variant="default" onClick={onLeave}>
          {text.now}
        </Button>
      }
    >
      {text.wasEmptyHint}
    </EmptyView>
  )
}
