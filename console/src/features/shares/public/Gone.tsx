import { IconLinkOff } from '@tabler/icons-react'
import { text } from './messages.ts'
import { Sheet } from './Sheet.tsx'

/** Expired, revoked, used-up and unknown links look the same, so that nothing is revealed. */
export const Gone = () => (
  <Sheet>
    <div className="state">
      <IconLinkOff size={32} stroke={1.4} />
      <h1>{text.goneTitle}</h1>
      <p className="dim">{text.goneHint}</p>
    </div>
  </Sheet>
)
