import { Anchor, Button } from '@mantine/core'
import { IconFolderOpen, IconFolderX, IconSearchOff, IconUpload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { curlOf } from '../../api/curl.ts'
import { client } from '../../api/session.ts'
import { legible } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { text as common } from '../../ui/messages.ts'
import { EmptyView, NoMatch } from '../../ui/StateView.tsx'
import { useArriving } from '../uploads/arriving.ts'
import { text } from './messages.ts'

/** An empty folder (with its marker object), or a prefix without objects. */
export function EmptyPlace({
  bucket,
  prefix,
  mayWrite,
  isWhole,
  isGrowing,
  wasFilled,
  upload,
  goTo,
}: {
  bucket: string
  prefix: string
  mayWrite: boolean
  /** Whether the user could see everything in it. */
  isWhole: boolean
  /** Objects appear by themselves. */
  isGrowing: boolean
  /** It was shown with something in it: the user has just removed that. */
  wasFilled: boolean
  upload: () => void
  goTo: (prefix: string) => void
}) {
  const arrival = useArriving(bucket, prefix)
  const marker = useQuery({
    queryKey: ['browse', bucket, prefix, 'marker'],
    queryFn: () => client.objectsExist({ params: { bucket }, body: { keys: [prefix] } }),
    enabled: prefix !== '',
  })
  if (arrival)
    return (
      <EmptyView
        title={arrival === 'running' ? text.arriving : text.interrupted}
        icon={<IconUpload size={28} stroke={1.4} />}
      >
        {arrival === 'running' ? text.arrivingHint : text.interruptedHint}
      </EmptyView>
    )
  if (prefix !== '' && marker.isPending) return null
  const isThere = prefix === '' || wasFilled || marker.data?.items[0]?.exists === true
  if (!isThere)
    return (
      <EmptyView
        title={text.missing}
        icon={<IconFolderX size={28} stroke={1.4} />}
        action={
          <div className="row">
            {mayWrite ? (
              <Button variant="default" leftSection={<IconUpload size={15} />} onClick={upload}>
                {text.upload}
              </Button>
            ) : null}
            <Anchor component="button" onClick={() => goTo('')}>
              {text.toBucket}
            </Anchor>
          </div>
        }
      >
        {isGrowing ? text.growingHint : text.missingHint}
      </EmptyView>
    )
  const title = isGrowing
    ? text.growing
    : !isWhole
      ? text.emptyOwn
      : prefix === ''
        ? text.emptyBucket
        : text.emptyFolder
  if (!mayWrite)
    return (
      <EmptyView title={title} icon={<IconFolderOpen size={28} stroke={1.4} />}>
        {isGrowing ? text.growingHint : text.emptyReadOnly}
      </EmptyView>
    )
  return (
    <div className="browse-zone">
      <EmptyView
        title={title}
        icon={<IconUpload size={28} stroke={1.4} />}
        action={
          <Button leftSection={<IconUpload size={15} />} onClick={upload}>
            {text.upload}
          </Button>
        }
        curl={curlOf({ operation: 'putObjectByQuery', params: { bucket }, query: { key: `${prefix}photo.jpg` } })}
      >
        {wasFilled && marker.data?.items[0]?.exists === false ? text.emptiedHint : text.emptyHint}
      </EmptyView>
    </div>
  )
}

/** Nothing has the text, or nothing that has it fits the filters. */
export function NothingFound({
  search,
  isNow,
  isFiltered,
  clearFilters,
  clearSearch,
  widen,
}: {
  search: string
  /** It is not the past that is searched. */
  isNow: boolean
  isFiltered: boolean
  clearFilters: () => void
  clearSearch: () => void
  /** Searches the whole bucket; undefined if this was it. */
  widen: (() => void) | undefined
}) {
  if (isFiltered) return <NoMatch clear={clearFilters} />
  return (
    <EmptyView
      title={common.noMatch(legible(search))}
      icon={<IconSearchOff size={28} stroke={1.4} />}
      action={
        <div className="row">
          {widen ? (
            <Button variant="default" onClick={widen}>
              {text.searchBucket}
            </Button>
          ) : null}
          {isNow ? (
            <Link to="/search" search={{ q: search }} className="browse-everywhere">
              {text.searchEverywhere}
            </Link>
          ) : null}
          <Anchor component="button" onClick={clearSearch}>
            {text.clearSearch}
          </Anchor>
        </div>
      }
    >
      {widen ? text.answerNotFound : null}
    </EmptyView>
  )
}
