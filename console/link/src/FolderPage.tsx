import { useEffect, useRef, useState } from 'preact/hooks'
import { legible } from '../../../contract/legible.ts'
import { contentsUrl, type Item, type Refused, type ShareInfo } from './api.ts'
import { ChoiceBar } from './ChoiceBar.tsx'
import { By, Facts, Left, Message } from './Facts.tsx'
import { Icon } from './icons.tsx'
import { viewerOf } from './kinds.ts'
import { List } from './List.tsx'
import { text } from './language.ts'
import { formatBytes } from './numbers.ts'
import { folderOf, hashOf, usePlace } from './place.ts'
import { Tiles } from './Tiles.tsx'
import { useChoice } from './useChoice.ts'
import type { Downloads } from './useDownloads.ts'
import { useFolder } from './useFolder.ts'
import { useModule } from './useModule.ts'

const KEY = 'strongroom-link-view'
/** The visitor's choice, or what suits these files: a gallery if most are pictures. */
function viewFor(files: readonly Item[]): 'gallery' | 'list' {
  try {
    const kept = localStorage.getItem(KEY)
    if (kept === 'gallery' || kept === 'list') return kept
  } catch {
    // No storage: what suits.
  }
  const pictures = files.filter(({ content_type, size }) => viewerOf(content_type, size) === 'picture')
  return pictures.length > 0 && pictures.length * 2 >= files.length ? 'gallery' : 'list'
}

/** A shared folder or selection: its files to look at, and to download one by one or all together. */
export function FolderPage({
  info,
  downloads,
  onRefused,
}: {
  info: ShareInfo
  downloads: Downloads
  onRefused: (problem: Refused) => void
}) {
  const { limited, contents } = info
  const place = usePlace()
  const at = info.kind === 'folder' ? folderOf(place) : ''
  const { folder, reading, more } = useFolder(at, info.listing, onRefused)
  const [chosen, setChosen] = useState<'gallery' | 'list'>()
  const files = folder?.files ?? []
  const view = chosen ?? viewFor(files)
  const isOpen = !limited && folder !== undefined && place !== '' && (info.kind === 'selection' || !place.endsWith('/'))
  const viewer = useModule(isOpen, () => import('./viewer/Viewer.tsx'))
  const choice = useChoice(at)
  const name = legible(info.name ?? '')
  const isFilled = folder !== undefined && (files.length > 0 || folder.folders.length > 0)
  const show = (next: 'gallery' | 'list') => {
    setChosen(next)
    try {
      localStorage.setItem(KEY, next)
    } catch {
      // It applies until the page is closed.
    }
  }
  const total = contents === null ? undefined : text.count(contents.files)
  const facts =
    contents === null || total === undefined
      ? []
      : contents.exact
        ? [total, formatBytes(contents.bytes)]
        : [text.moreThan(total)]
  return (
    <div class="stack">
      <div class="head">
        <Icon name="folder" size={30} class="folder" />
        <div class="grow">
          <By info={info} />
          <h1>
            <bdi>{name}</bdi>
          </h1>
          <Facts info={info} facts={facts} />
          {limited ? (
            <p class="dim">
              <Left info={info} /> · {text.previewsOff}
            </p>
          ) : null}
        </div>
        <a
          class="button"
          href={contentsUrl({ archive: '1' })}
          download={`${info.name ?? ''}.zip`}
          onClick={(event) => downloads.takeAll(event, facts)}
        >
          <Icon name="download" size={18} />
          {text.downloadAll}
        </a>
      </div>
      <Message info={info} />
      {downloads.refused === undefined ? null : (
        <p class="note bad" role="alert">
          {downloads.refused}
        </p>
      )}
      <p class="note status" role="status">
        {choice.isOn ? undefined : downloads.zip}
      </p>
      <div class="row between">
        <Crumbs name={name} at={at} />
        {isFilled || choice.isOn ? (
          <button type="button" class="button plain slim" onClick={() => choice.turn(!choice.isOn)}>
            {choice.isOn ? text.endChoice : text.startChoice}
          </button>
        ) : null}
        <fieldset class="views" aria-label={text.view}>
          {(['gallery', 'list'] as const).map((one) => (
            <button
              type="button"
              key={one}
              class="icon"
              aria-pressed={view === one}
              aria-label={one === 'gallery' ? text.asGallery : text.asList}
              title={one === 'gallery' ? text.asGallery : text.asList}
              onClick={() => show(one)}
            >
              <Icon name={one === 'gallery' ? 'tiles' : 'rows'} />
            </button>
          ))}
        </fieldset>
      </div>
      {folder === undefined ? (
        <p class="wait" role="status">
          {text.loading}
        </p>
      ) : !isFilled ? (
        <p class="dim state">{text.empty}</p>
      ) : view === 'gallery' ? (
        <Tiles folders={folder.folders} files={files} limited={limited} downloads={downloads} choice={choice} />
      ) : (
        <List folders={folder.folders} files={files} limited={limited} downloads={downloads} choice={choice} />
      )}
      {folder && folder.next !== null ? <More reading={reading} more={more} /> : null}
      {choice.isOn && folder ? <ChoiceBar choice={choice} folder={folder} downloads={downloads} /> : null}
      {isOpen && viewer && folder ? (
        <viewer.FolderViewer files={files} place={place} at={at} downloads={downloads} isWhole={folder.next === null} />
      ) : null}
    </div>
  )
}

/** Reads on when it comes near, or by hand. */
function More({ reading, more }: { reading: boolean; more: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  const latest = useRef(more)
  latest.current = more
  useEffect(() => {
    if (reading || !button.current) return
    const near = new IntersectionObserver(
      (seen) => {
        if (seen.some(({ isIntersecting }) => isIntersecting)) latest.current()
      },
      { rootMargin: '600px' },
    )
    near.observe(button.current)
    return () => near.disconnect()
  }, [reading])
  return (
    <button ref={button} type="button" class="button plain" aria-busy={reading} onClick={more}>
      {text.more}
    </button>
  )
}

/** The way from the top of the link to the folder that is open. */
function Crumbs({ name, at }: { name: string; at: string }) {
  const parts = at.split('/').slice(0, -1)
  if (parts.length === 0) return <span class="grow" />
  return (
    <nav class="crumbs grow" aria-label={text.path}>
      <a href="#/">
        <bdi>{name}</bdi>
      </a>
      {parts.map((part, i) => {
        const to = `${parts.slice(0, i + 1).join('/')}/`
        const words = <bdi>{part === '' ? text.unnamed : legible(part)}</bdi>
        return (
          <span key={to}>
            <span class="dim" aria-hidden="true">
              /
            </span>
            {to === at ? <span aria-current="page">{words}</span> : <a href={hashOf(to)}>{words}</a>}
          </span>
        )
      })}
    </nav>
  )
}
