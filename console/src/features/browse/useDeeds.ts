import type { Fate } from '../../api/buckets.ts'
import type { Me } from '../../api/queries.ts'
import { parentOf } from '../../keys.ts'
import { copyText } from '../../ui/copy.ts'
import { notify } from '../../ui/notify.tsx'
import { download, isFolder, type Picked, remove, settle } from './bulk.tsx'
import type { Open } from './Dialogs.tsx'
import type { Deed } from './deed.ts'
import { hrefOf } from './href.ts'
import type { Listing, Row } from './listing.ts'
import { text } from './messages.ts'

interface Around {
  me: Me
  listing: Listing
  fate: Fate
  /** Whether anything in the bucket can be changed. */
  mayChange: boolean
  show: (dialog: Open) => void
  openRow: (row: Row) => void
  openFull: (row: Row) => void
  /** Opens the folder that a search result is in. */
  reveal: (row: Row) => void
  /** Opens the list of who has access to it. */
  openAccess: (row: Row) => void
  /** The cursor's place once these are gone. */
  after: (picked: Picked) => number
  /** Called before these are removed. */
  leave: (picked: Picked) => void
  /** Called when the selection is no longer needed. */
  done: () => void
}

/** Copies the address of a row for those who can see it anyway, and leads to a link for anyone. */
async function copyLink({ bucket, at }: Picked, row: Row, share: (() => void) | undefined): Promise<void> {
  const url = new URL(hrefOf({ bucket, prefix: row.object ? parentOf(row.key) : '', at }, row), location.origin)
  if (!(await copyText(url.href))) return
  notify.note(text.linkCopied, share && { label: text.linkForAnyone, run: share })
}

/** The actions available for the selection: the same in the bar, the menu and by keys. */
export function useDeeds({
  me,
  listing,
  fate,
  mayChange,
  show,
  openRow,
  openFull,
  reveal,
  openAccess,
  after,
  leave,
  done,
}: Around) {
  return (picked: Picked): Deed[] => {
    const { bucket, prefix, all, rows, at } = picked
    const [row] = rows
    const single = !all && rows.length === 1 ? row : undefined
    if (!all && rows.length === 0) return []
    const place = single?.key ?? prefix
    const may = (action: Parameters<Me['can']>[0]) => me.can(action, bucket, place)
    const isNow = at === undefined
    const mayWrite = mayChange && may('write')
    const mayDelete = mayChange && may('delete')
    const mayShare = isNow && may('share')
    const isErased = single?.object?.erased === true
    const settled = (work: (settled: Picked) => unknown) => () =>
      void settle(picked, listing)
        .then(work)
        .catch((error: unknown) => notify.problem(error))
    const deeds: (Deed | false | undefined)[] = [
      single && { id: 'open', label: single.object ? text.preview : text.open, run: () => openRow(single) },
      single?.object === null &&
        may('list') && { id: 'about', label: text.preview, run: () => show({ kind: 'about', row: single }) },
      single?.object != null &&
        !isErased &&
        may('read') && { id: 'full', label: text.fullScreen, run: () => openFull(single) },
      single && picked.search !== '' && { id: 'reveal', label: text.showInFolder, run: () => reveal(single) },
      may('read') &&
        !isErased &&
        // Of the past, what is chosen beside folders would need the names of all that was in these.
        (isNow || single !== undefined || (all ? rows.length === 0 && picked.search === '' : !rows.some(isFolder))) && {
          id: 'download',
          label: single?.object ? text.download : text.downloadZip,
          run: settled(download),
        },
      mayShare &&
        (single !== undefined || (!all && !rows.some(isFolder) && rows.length <= 1000)) && {
          id: 'share',
          label: text.share,
          run: () => show({ kind: 'share', rows }),
        },
      mayShare &&
        may('list') &&
        all &&
        !picked.isPart &&
        rows.length <= 1000 && { id: 'share', label: text.share, run: () => show({ kind: 'shareAll', picked }) },
      single && may('read') && mayDelete && mayWrite
        ? { id: 'rename', label: text.rename, run: () => show({ kind: 'rename', row: single }) }
        : undefined,
      isNow && may('read') && me.canSomewhere('write')
        ? { id: 'copy', label: text.copy, run: settled((one) => show({ kind: 'copy', picked: one })) }
        : undefined,
      may('read') && mayDelete && me.canSomewhere('write')
        ? {
            id: 'move',
            label: text.move,
            run: settled((one) => show({ kind: 'move', picked: one, after: after(picked) })),
          }
        : undefined,
      // Also of what others keep: tags are kept here.
      isNow && may('write')
        ? { id: 'tag', label: text.tag, run: settled((one) => show({ kind: 'tag', picked: one })) }
        : undefined,
      single && {
        id: 'copyLink',
        label: text.copyLink,
        run: () => void copyLink(picked, single, mayShare ? () => show({ kind: 'share', rows }) : undefined),
      },
      single && {
        id: 'copyKey',
        label: text.copyKey,
        run: () => void copyText(single.key).then((copied) => copied && notify.note(text.copied)),
      },
      single &&
        isNow &&
        me.seesAccess(bucket) && { id: 'access', label: text.whoHasAccess, run: () => openAccess(single) },
      mayDelete && {
        id: 'delete',
        label: text.delete,
        run: settled(async (one) => {
          // Before the request: the user may have moved on when it returns.
          leave(picked)
          if (await remove(one, { fate, mayUndo: mayWrite })) done()
        }),
      },
    ]
    return deeds.filter((deed): deed is Deed => Boolean(deed))
  }
}
