import { ActionIcon, Tooltip } from '@mantine/core'
import { IconTerminal2 } from '@tabler/icons-react'
import { type ReactNode, useEffect } from 'react'
import { type ApiCall, curlOf } from '../api/curl.ts'
import { copyText } from './copy.ts'
import { text } from './messages.ts'
import { notify } from './notify.tsx'

interface Props {
  /** The one `h1`, and the first part of the window's title. */
  title: ReactNode
  /** The title of the window, where `title` is more than a text. */
  windowTitle?: string
  /** One line below. */
  hint?: ReactNode
  actions?: ReactNode
  /** The call that gives what the view shows. */
  call?: ApiCall
  /** The view fills the window and scrolls by itself. */
  full?: boolean
  children: ReactNode
}

/** The frame of every view: title, actions, the API call of the view. */
export function Page({ title, windowTitle, hint, actions, call, full = false, children }: Props) {
  const name = windowTitle ?? (typeof title === 'string' ? title : '')
  useEffect(() => {
    document.title = name ? `${name} – Stowage` : 'Stowage'
  }, [name])
  return (
    <div className={full ? 'page page-full' : 'page'}>
      <header className="page-head">
        <div className="page-title">
          <h1>{title}</h1>
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
    <Tooltip label={`${text.copyCall}: ${text.copyCallHint}`}>
      <ActionIcon aria-label={text.copyCall} onClick={copy}>
        <IconTerminal2 size={17} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  )
}
