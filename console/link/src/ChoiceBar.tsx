import { Icon } from './icons.tsx'
import { text } from './language.ts'
import { formatBytes } from './numbers.ts'
import type { Choice } from './useChoice.ts'
import type { Downloads } from './useDownloads.ts'
import type { Folder } from './useFolder.ts'

/** How much is chosen, and its download. */
export function ChoiceBar({
  choice: { names, replace },
  folder: { folders, files },
  downloads,
}: {
  choice: Choice
  folder: Folder
  downloads: Downloads
}) {
  const all = [...folders, ...files.map((file) => file.name)]
  const isAll = all.every((one) => names.has(one))
  const chosen = files.filter((file) => names.has(file.name))
  const bytes = formatBytes(chosen.reduce((sum, { size }) => sum + size, 0))
  // How much is in a folder is not known here.
  const areFiles = chosen.length > 0 && chosen.length === names.size
  return (
    <section class="choice row" aria-label={text.choice}>
      <span class="grow" role="status">
        {text.chosen(names.size)}
        {areFiles ? <span class="dim"> · {bytes}</span> : null}
        {downloads.zip === undefined ? null : <span class="said">{downloads.zip}</span>}
      </span>
      <button type="button" class="button plain" onClick={() => replace(isAll ? [] : all)}>
        {isAll ? text.chooseNone : text.chooseAll}
      </button>
      <button
        type="button"
        class="button"
        disabled={names.size === 0}
        onClick={() => downloads.takeChosen([...names], areFiles ? [text.count(chosen.length), bytes] : [])}
      >
        <Icon name="download" size={18} />
        {text.downloadChosen}
      </button>
    </section>
  )
}
