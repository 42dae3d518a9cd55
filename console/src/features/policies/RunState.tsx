import type { PolicyRun } from '../../../../contract/policies.ts'
import { Status, type Tone } from '../../ui/values.tsx'
import { text } from './messages.ts'

const tones: Record<PolicyRun['status'], Tone> = {
  queued: 'idle',
  running: 'note',
  succeeded: 'ok',
  stopped: 'warn',
  failed: 'bad',
  cancelled: 'idle',
}
export const RunState = ({ run: { status } }: { run: Pick<PolicyRun, 'status'> }) => (
  <Status tone={tones[status]}>{text[status]}</Status>
)
