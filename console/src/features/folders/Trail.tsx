import './folders.css'
import { IconDots } from '@tabler/icons-react'
import { lazy, type ReactNode } from 'react'
import { legible, stepsTo } from '../../keys.ts'
import { MenuButton } from '../../ui/MenuButton.tsx'
import { useMedia } from '../../ui/useMedia.ts'
import { text } from './messages.ts'

const StepItems = lazy(() => import('./StepItems.tsx'))

/** So many steps are shown, however long their names are; more if they have room. */
const AT_MOST = 4
const ROOM = 90
const NARROW_ROOM = 30
const PHONE = '(max-width: 480px)'
interface Way {
  bucket: string
  prefix: string
  go: (prefix: string) => void
}
interface Step {
  name: string
  prefix: string
}

/** The path from the bucket to a folder; `crumb` shows a step above it. A long path has its middle in a menu. */
export function Trail({ bucket, prefix, go, crumb }: Way & { crumb: (step: Step) => ReactNode }) {
  const steps = [{ name: bucket, prefix: '' }, ...stepsTo(prefix)]
  const isNarrow = useMedia('(max-width: 900px)')
  const isPhone = useMedia(PHONE)
  const letters = steps.reduce((sum, { name }) => sum + name.length + 3, 0)
  const isFolded = isPhone ? steps.length > 1 : steps.length > AT_MOST && letters > (isNarrow ? NARROW_ROOM : ROOM)
  // On a phone, only where one is has room.
  const [from, to] = isPhone ? [0, -1] : [1, -2]
  const hidden = isFolded ? steps.slice(from, to) : []
  const shown = isFolded ? steps.slice(to) : steps.slice(1)
  const [root] = steps
  const here = steps.at(-1)
  const show = (step: Step) => (step === here ? <span className="crumb-here">{label(step.name)}</span> : crumb(step))
  return (
    <span className="crumbs">
      {root && !hidden.includes(root) ? show(root) : null}
      {hidden.length > 0 ? (
        <span className="crumb-step">
          <MenuButton
            label={text.crumbsHidden}
            size={isPhone ? 44 : 24}
            items={<StepItems steps={hidden.map(({ name, prefix }) => ({ prefix, label: label(name) }))} go={go} />}
          >
            <IconDots size={15} />
          </MenuButton>
        </span>
      ) : null}
      {shown.map((step) => (
        <span key={step.prefix} className="crumb-step">
          {show(step)}
        </span>
      ))}
    </span>
  )
}
/** A folder's name. */
export const label = (name: string) => <bdi>{legible(name) || text.noName}</bdi>

/** As buttons, for a dialog. */
export const Steps = ({ bucket, prefix, go }: { bucket: string; prefix: string; go: (prefix: string) => void }) => (
  <Trail
    bucket={bucket}
    prefix={prefix}
    go={go}
    crumb={(step) => (
      <button type="button" className="crumb" onClick={() => go(step.prefix)}>
        {label(step.name)}
      </button>
    )}
  />
)
