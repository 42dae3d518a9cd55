import { Loader } from '@mantine/core'
import { IconFileOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { codeOf, describeProblem } from '../../../api/problem.ts'
import { objectText } from '../object-messages.ts'

export const Nothing = ({ children }: { children: ReactNode }) => (
  <div className="contents contents-none">
    <IconFileOff size={26} stroke={1.4} aria-hidden />
    <span>{children}</span>
  </div>
)

/** The server's sentence where it says more, such as of an archived object or one that others changed. */
export const Broken = ({ error }: { error?: unknown }) => (
  <Nothing>
    {['archived', 'conflict', 'damaged', 'not_found'].includes(codeOf(error) ?? '')
      ? describeProblem(error).detail
      : objectText.brokenPreview}
  </Nothing>
)

export const Waiting = () => (
  <div className="contents contents-none" role="status">
    <Loader size="sm" />
  </div>
)
