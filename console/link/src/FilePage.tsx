import { useState } from 'preact/hooks'
import { legible } from '../../../contract/legible.ts'
import { contentsUrl, type ShareInfo } from './api.ts'
import { By, Facts, Left, Message } from './Facts.tsx'
import { Icon } from './icons.tsx'
import { familyOf, plainType, typeWords, viewerOf } from './kinds.ts'
import { text } from './language.ts'
import { formatBytes } from './numbers.ts'
import { Preview } from './Preview.tsx'
import { go, usePlace } from './place.ts'
import { State } from './states.tsx'
import type { Downloads } from './useDownloads.ts'
import { useModule } from './useModule.ts'

/** One file: its name, size, preview and download. */
export function FilePage({ info, downloads }: { info: ShareInfo; downloads: Downloads }) {
  const { size, content_type: type, limited } = info
  const name = info.name ?? ''
  const place = usePlace()
  const isOpen = place !== '' && !limited && size !== null
  const [isBroken, setBroken] = useState(false)
  const viewer = useModule(isOpen, () => import('./viewer/Viewer.tsx'))
  if (size === null) return <State icon="other" title={text.missingTitle} hint={text.missingHint} />
  const file = { key: undefined, name, type, size }
  const preview = <Preview file={file} across={1280} isBroken={isBroken} onBroken={() => setBroken(true)} />
  const href = contentsUrl({ download: '1' })
  const facts = [formatBytes(size), typeWords(type, name)]
  return (
    <div class="stack">
      <div class="head">
        <Icon name={familyOf(type, name)} size={30} class="dim" />
        <div class="grow">
          <By info={info} />
          <h1>
            <bdi>{legible(name)}</bdi>
          </h1>
          <Facts info={info} facts={facts} />
        </div>
      </div>
      <Message info={info} />
      {limited ? (
        <div class="note">
          <Left info={info} />
          <p class="dim">{text.previewOff}</p>
        </div>
      ) : !isBroken && viewerOf(type, size) === 'picture' ? (
        <button type="button" class="frame open" aria-label={text.openFile(legible(name))} onClick={() => go(name)}>
          {preview}
        </button>
      ) : (
        <div class="frame">{preview}</div>
      )}
      {downloads.refused === undefined ? null : (
        <p class="note bad" role="alert">
          {downloads.refused}
        </p>
      )}
      <div class="actions">
        <a class="button" href={href} download={name} onClick={(event) => downloads.take(event, legible(name))}>
          <Icon name="download" size={18} />
          {text.download}
        </a>
        {!limited && plainType(type) === 'application/pdf' ? (
          <a class="button plain" href={contentsUrl()} target="_blank" rel="noopener noreferrer">
            <Icon name="external" size={18} />
            {text.openInTab}
          </a>
        ) : null}
      </div>
      {isOpen && viewer ? <viewer.Viewer files={[file]} at={0} total="1" downloads={downloads} folder="" /> : null}
    </div>
  )
}
