import { Button } from '@mantine/core'
import { IconClockX } from '@tabler/icons-react'
import { describeProblem } from '../../api/problem.ts'
import { EmptyView } from '../../ui/StateView.tsx'
import { text } from './messages.ts'

/** Why the bucket cannot be shown at a moment. */
export default function UnknownMoment({
  error,
  onChoose,
  onLeave,
}: {
  error: unknown
  onChoose: () => void
  onLeave: () => void
}) {
  return (
    <EmptyView
      title={text.unknown}
      icon={<IconClockX size={28} stroke={1.4} />}
      action={
        <div className="row">
          <Button variant="default" onClick={onChoose}>
            {text.change}
          </Button>
          <Button onClick={onLeave}>{text.now}</Button>
        </div>
      }
    >
      {describeProblem(error).detail}
    </EmptyView>
  )
}
