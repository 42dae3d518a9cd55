import { useState } from 'preact/hooks'
import { contentsUrl, type Item } from './api.ts'
import { type FilesProps, fileWords, folderWords } from './files.ts'
import { Icon } from './icons.tsx'
import { familyOf, typeWords, viewerOf } from './kinds.ts'
import { text } from './language.ts'
import { formatBytes } from './numbers.ts'
import { hashOf } from './place.ts'

/** Files as tiles, with pictures of what can be pictured. */
export const Tiles = ({ folders, files, limited, downloads }: FilesProps) => (
  <ul class="tiles" aria-label={text.files}>
    {folders.map((folder) => (
      <li key={folder} class="tile">
        <a class="tile-open" href={hashOf(folder)} aria-label={text.openFolder(folderWords(folder))}>
          <span class="thumb">
            <Icon name="folder" size={56} class="folder" />
          </span>
        </a>
        <span class="tile-words">
          <span class="name">{folderWords(folder)}</span>
          <span class="dim small">{text.folder}</span>
        </span>
      </li>
    ))}
    {files.map((file) => (
      <li key={file.name} class="tile">
        {limited ? (
          <span class="thumb">
            <Icon name={familyOf(file.content_type, file.name)} size={56} class="dim" />
          </span>
        ) : (
          <a class="tile-open" href={hashOf(file.name)} aria-label={text.openFile(fileWords(file))}>
            <Thumb file={file} across={400} />
          </a>
        )}
        <span class="tile-words">
          <span class="name">{fileWords(file)}</span>
          <span class="dim small">
            {formatBytes(file.size)} · {typeWords(file.content_type, file.name)}
          </span>
        </span>
        <DownloadLink file={file} downloads={downloads} />
      </li>
    ))}
  </ul>
)

/** A small picture of a file, or the icon of its type. */
export function Thumb({ file, across }: { file: Item; across: number }) {
  const { name, content_type, size } = file
  const [failed, setFailed] = useState(false)
  const side = String(across)
  return (
    <span class="thumb">
      {!failed && viewerOf(content_type, size) === 'picture' ? (
        <img
          src={contentsUrl({ key: name, w: side, h: side, fit: 'cover', format: 'webp', embed: '1' })}
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
    download={fileWords(file)}
    onClick={(event) => downloads.take(event, fileWords(file))}
    aria-label={text.downloadOf(fileWords(file))}
    title={text.downloadOf(fileWords(file))}
  >
    <Icon name="download" />
  </a>
)
