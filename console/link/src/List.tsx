import { type FilesProps, fileWords, folderWords } from './files.ts'
import { Icon } from './icons.tsx'
import { typeWords } from './kinds.ts'
import { text } from './language.ts'
import { formatBytes, formatDate, formatMoment } from './numbers.ts'
import { hashOf } from './place.ts'
import { DownloadLink, Thumb, Way } from './Tiles.tsx'

/** Files as a table. */
export const List = ({ folders, files, limited, downloads, choice }: FilesProps) => (
  <table class="list" aria-label={text.files}>
    <thead>
      <tr>
        <th scope="col">{text.name}</th>
        <th scope="col" class="number">
          {text.size}
        </th>
        <th scope="col" class="optional">
          {text.type}
        </th>
        <th scope="col" class="optional">
          {text.changed}
        </th>
        <th scope="col">
          <span class="visually-hidden">{text.download}</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {folders.map((folder) => (
        <tr key={folder}>
          <td>
            <Way name={folder} words={folderWords(folder)} class="entry" to={hashOf(folder)} choice={choice}>
              <span class="thumb">
                <Icon name="folder" size={24} class="folder" />
              </span>
              <bdi class="name">{folderWords(folder)}</bdi>
            </Way>
          </td>
          <td />
          <td class="optional dim">{text.folder}</td>
          <td class="optional" />
          <td />
        </tr>
      ))}
      {files.map((file) => (
        <tr key={file.name}>
          <td>
            <Way
              name={file.name}
              words={fileWords(file)}
              class="entry"
              to={limited ? undefined : hashOf(file.name)}
              choice={choice}
            >
              <Thumb file={file} across={80} limited={limited} />
              <bdi class="name">{fileWords(file)}</bdi>
            </Way>
          </td>
          <td class="number">{formatBytes(file.size)}</td>
          <td class="optional dim">{typeWords(file.content_type, file.name)}</td>
          <td class="optional dim nowrap" title={formatMoment(file.last_modified)}>
            {formatDate(file.last_modified)}
          </td>
          <td class="action">{choice.isOn ? null : <DownloadLink file={file} downloads={downloads} />}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
