import { ActionIcon } from '@mantine/core'
import { IconTerminal2 } from '@tabler/icons-react'
import { type ReactNode, useEffect } from 'react'
import { type ApiCall, curlOf } from '../api/curl.ts'
import { titled } from '../branding.ts'
import { Link } from '../navigation/Link.tsx'
import { copyText } from './copy.ts'
import { text } from './messages.ts'
import { notify } from './notify.tsx'

interface Props {
  /** The page's `h1` and the start of the window title. */
  title: ReactNode
  /** The window title if `title` is more than text. */
  windowTitle?: string
  /** One line below the title. */
  hint?: ReactNode
  actions?: ReactNode
  /** The API call behind the view. */
  call?: ApiCall
  /** A view of a bucket: the path to it starts with the list of buckets. */
  inBuckets?: boolean
  /** The view fills the window and scrolls itself. */
  full?: boolean
  children: ReactNode
}

/** Every view's frame: title, actions, API call. */
export function Page({ title, windowTitle, hint, actions, call, inBuckets = false, full = false, children }: Props) {
  const name = windowTitle ?? (typeof title === 'string' ? title : '')
  useEffect(() => {
    document.title = titled(name)
  }, [name])
  return (
    <div className={full ? 'page page-full' : 'page'}>
      <header className="page-head">
        <div className="page-title">
          {inBuckets ? (
            <div className="page-path">
              <span className="page-parent">
                <Link to="/buckets">{text.buckets}</Link>
              </span>
              <h1>{title}</h1>
            </div>
          ) : (
            <h1>{title}</h1>
          )}
          {hint ? <p className="dim">{hint}</p> : null}
        </div>
        <div className="page-actions">
          {call ? <CopyCall call={call} /> : null}
          {actions}
        </div>
      </header>
      {children}
    </div>
  )
}

function CopyCall({ call }: { call: ApiCall }) {
  const copy = async () => {
    if (await copyText(curlOf(call))) notify.ok(text.copied)
  }
  return (
    <ActionIcon className="optional" aria-label={text.copyCall} title={text.copyCallHint} onClick={copy}>
      <IconTerminal2 size={17} stroke={1.6} />
    </ActionIcon>
  )
}
