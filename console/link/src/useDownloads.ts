import { useRef, useState } from 'preact/hooks'
import { contentsUrl, probe, type ShareInfo } from './api.ts'
import { text } from './language.ts'
import { reasonWords } from './problems.ts'
import type { Link } from './useLink.ts'
import { fitsZip, saveZip } from './zip.ts'

/** When to look whether a download has been counted. */
const COUNTED_MS = [500, 1500, 4000]
/** How long it is said that a zip is on its way: until the browser shows that itself. */
const SAID_MS = 10_000
const pause = (ms: number) => new Promise((go) => setTimeout(go, ms))

export interface Downloads {
  /** For the click on the download link of a file. */
  take(event: MouseEvent, name: string): void
  /** For the click on the link to all files as one zip. `what` is how much that is, in words, if it is known. */
  takeAll(event: MouseEvent, what: readonly string[]): void
  /** Downloads files and folders of the link as one zip. */
  takeChosen(names: readonly string[], what: readonly string[]): void
  /** What is to be said of a zip that was asked for. */
  zip: string | undefined
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
  const [zip, setZip] = useState<string>()
  const timer = useRef(0)
  const isPreparing = useRef(false)
  /** Downloads with `save` if the server would send what is at `href`; returns what it had before, if so. */
  const start = async (href: string, name: string | undefined, save: () => void): Promise<ShareInfo | undefined> => {
    setRefused(undefined)
    const before = await look()
    if (!before) return undefined
    try {
      await probe(href)
    } catch (error) {
      setRefused(`${name === undefined ? text.refusedAll : text.refused(name)} ${reasonWords(error)}`)
      return undefined
    }
    save()
    return before
  }
  /** Where downloads are limited, waits until this one has been counted. */
  const count = async (before: ShareInfo | undefined) => {
    if (!before || before.downloads_left === null) return
    for (const ms of COUNTED_MS) {
      await pause(ms)
      const after = await look()
      if (!after) setTookLast(before.downloads_left === 1)
      if (after?.downloads_left !== before.downloads_left) return
    }
  }
  /** The same for a zip, which says what happens: the server may take a while for the first byte of it. */
  const startZip = async (what: readonly string[], save: () => void) => {
    if (isPreparing.current) return
    clearTimeout(timer.current)
    isPreparing.current = true
    setZip(text.preparing)
    const before = await start(contentsUrl({ archive: '1' }), undefined, save)
    isPreparing.current = false
    setZip(before && text.started(what.join(', ')))
    if (before) timer.current = window.setTimeout(() => setZip(undefined), SAID_MS)
    await count(before)
  }
  return {
    refused,
    tookLast,
    zip,
    take(event, name) {
      const save = saverOf(event)
      if (save) void start((event.currentTarget as HTMLAnchorElement).href, name, save).then(count)
    },
    takeAll(event, what) {
      const save = saverOf(event)
      if (save) void startZip(what, save)
    },
    takeChosen(names, what) {
      if (!fitsZip(names)) return setRefused(text.tooManyChosen)
      const onRefused = () => {
        setZip(undefined)
        setRefused(`${text.refusedAll} ${text.chosenGone}`)
        void look()
      }
      void startZip(what, () => saveZip(names, onRefused))
    },
  }
}

/** Keeps the browser from following a link that was clicked, and does so later; undefined if it opens it elsewhere. */
function saverOf(event: MouseEvent): (() => void) | undefined {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return undefined
  event.preventDefault()
  const { href, download } = event.currentTarget as HTMLAnchorElement
  return () => {
    const anchor = document.createElement('a')
    anchor.href = href
    anchor.download = download
    anchor.click()
  }
}
