import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { contentsUrl, type Item } from './api.ts'
import { type FilesProps, fileWords, folderWords } from './files.ts'
import { Icon } from './icons.tsx'
import { familyOf, isDrawing, typeWords, viewerOf } from './kinds.ts'
import { text } from './language.ts'
import { formatBytes } from './numbers.ts'
import { baseOf, hashOf } from './place.ts'
import type { Choice } from './useChoice.ts'

/** Files as tiles, with pictures of what can be pictured. */
export const Tiles = ({ folders, files, limited, downloads, choice }: FilesProps) => (
  <ul class="tiles" aria-label={text.files}>
    {folders.map((folder) => (
      <li key={folder} class="tile">
        <Way
          name={folder}
          words={folderWords(folder)}
          class="tile-open"
          to={hashOf(folder)}
          label={text.openFolder(folderWords(folder))}
          choice={choice}
        >
          <span class="thumb">
            <Icon name="folder" size={56} class="folder" />
          </span>
        </Way>
        <span class="tile-words">
          <bdi class="name">{folderWords(folder)}</bdi>
          <span class="dim small">{text.folder}</span>
        </span>
      </li>
    ))}
    {files.map((file) => (
      <li key={file.name} class="tile">
        <Way
          name={file.name}
          words={fileWords(file)}
          class="tile-open"
          to={limited ? undefined : hashOf(file.name)}
          label={text.openFile(fileWords(file))}
          choice={choice}
        >
          <Thumb file={file} across={400} limited={limited} />
        </Way>
        <span class="tile-words">
          <bdi class="name">{fileWords(file)}</bdi>
          <span class="dim small">
            {formatBytes(file.size)} · {typeWords(file.content_type, file.name)}
          </span>
        </span>
        {choice.isOn ? null : <DownloadLink file={file} downloads={downloads} />}
      </li>
    ))}
  </ul>
)

/** What stands for a file or folder: a checkbox while some are chosen, else a link to it, if it can be opened. */
export function Way({
  name,
  words,
  class: classes,
  to,
  label,
  choice,
  children,
}: {
  name: string
  words: string
  class: string
  to: string | undefined
  label?: string
  choice: Choice
  children: ComponentChildren
}) {
  if (choice.isOn)
    return (
      <label class={`${classes} pick`}>
        <input
          type="checkbox"
          aria-label={text.chooseOne(words)}
          checked={choice.names.has(name)}
          onChange={() => choice.toggle(name)}
        />
        {children}
      </label>
    )
  if (to === undefined) return <span class={classes}>{children}</span>
  return (
    <a class={classes} href={to} aria-label={label}>
      {children}
    </a>
  )
}

/** Drawings come in full, so a gallery has only small ones. */
const MOST_DRAWN = 256 * 1024

/** A small picture of a file, or the icon of its type; that too where a picture would use up a download. */
export function Thumb({ file, across, limited }: { file: Item; across: number; limited: boolean }) {
  const { name, content_type, size } = file
  const [failed, setFailed] = useState(false)
  const side = String(across)
  const isDrawn = isDrawing(content_type, size)
  const isPictured = viewerOf(content_type, size) === 'picture' && !(isDrawn && size > MOST_DRAWN)
  return (
    <span class="thumb">
      {!failed && !limited && isPictured ? (
        <img
          class={isDrawn ? 'drawing' : undefined}
          src={contentsUrl({
            key: name,
            ...(isDrawn ? {} : { w: side, h: side, fit: 'cover', format: 'webp' }),
            embed: '1',
          })}
          alt=""
          loading="lazy"
          decoding="async"
          onError={() => setFailed(true)}
        />
      ) : (
        <Icon name={familyOf(content_type, name)} size={across > 100 ? 56 : 24} class="dim" />
      )}
    </span>
  )
}

export const DownloadLink = ({ file, downloads }: { file: Item; downloads: FilesProps['downloads'] }) => (
  <a
    class="icon"
    href={contentsUrl({ key: file.name, download: '1' })}
    download={baseOf(file.name)}
    onClick={(event) => downloads.take(event, fileWords(file))}
    aria-label={text.downloadOf(fileWords(file))}
    title={text.downloadOf(fileWords(file))}
  >
    <Icon name="download" />
  </a>
)
