import { useState } from 'preact/hooks'
import { contentsUrl, probe, Refused } from './api.ts'
import { text } from './language.ts'
import type { Link } from './useLink.ts'
import { fitsZip, saveZip } from './zip.ts'

/** When to look whether a download has been counted. */
const COUNTED_MS = [500, 1500, 4000]
const pause = (ms: number) => new Promise((go) => setTimeout(go, ms))

export interface Downloads {
  /** For the click on a download link; `name` is undefined for all files. */
  take(event: MouseEvent, name?: string): void
  /** Downloads files and folders of the link as one zip. */
  takeChosen(names: readonly string[]): void
  /** What was refused, in words. */
  refused: string | undefined
  /** The last download of the link was this page's. */
  tookLast: boolean
}

/**
 * Downloads through the link. A browser shows a refused download as its own failure, if at all, so this asks first
 * whether the server would send it; and, where downloads are limited, afterwards how many are left.
 */
export function useDownloads({ look }: Pick<Link, 'look'>): Downloads {
  const [refused, setRefused] = useState<string>()
  const [tookLast, setTookLast] = useState(false)
  /** Downloads with `save` if the server would send what is at `href`. */
  const start = async (href: string, name: string | undefined, save: () => void) => {
    setRefused(undefined)
    const before = await look()
    if (!before) return
    try {
      await probe(href)
    } catch (error) {
      const why = error instanceof Refused && error.status > 0 ? error.message : text.offline
      setRefused(`${name === undefined ? text.refusedAll : text.refused(name)} ${why}`)
      return
    }
    save()
    if (before.downloads_left === null) return
    for (const ms of COUNTED_MS) {
      await pause(ms)
      const after = await look()
      if (!after) setTookLast(before.downloads_left === 1)
      if (after?.downloads_left !== before.downloads_left) return
    }
  }
  return {
    refused,
    tookLast,
    take(event, name) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
      event.preventDefault()
      const { href, download } = event.currentTarget as HTMLAnchorElement
      void start(href, name, () => {
        const anchor = document.createElement('a')
        anchor.href = href
        anchor.download = download
        anchor.click()
      })
    },
    takeChosen(names) {
      if (!fitsZip(names)) return setRefused(text.tooManyChosen)
      const onRefused = () => {
        setRefused(`${text.refusedAll} ${text.chosenGone}`)
        void look()
      }
      void start(contentsUrl({ archive: '1' }), undefined, () => saveZip(names, onRefused))
    },
  }
}
