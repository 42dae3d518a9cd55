import './resized.css'
import { Button, Loader, NumberInput, Select } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { urlOf } from '../../../../client/derived.ts'
import type { ImageQuery } from '../../../../contract/images.ts'
import { api } from '../../../../contract/index.ts'
import type { StoredObject } from '../../../../contract/objects.ts'
import { describeProblem } from '../../api/problem.ts'
import { useMe } from '../../api/queries.ts'
import { formatBytes } from '../../i18n.ts'
import { CopyField } from '../../ui/CopyField.tsx'
import { notify } from '../../ui/notify.tsx'
import { linkQuery, linksToQuery } from '../shares/queries.ts'
import { objectText } from './object-messages.ts'
import { fetchImage } from './pictures.ts'
import { SignedUrl } from './SignedUrl.tsx'

const MOST = 4096
const fits = ['contain', 'cover', 'fill', 'pad'] as const
const formats = ['', 'auto', 'webp', 'avif', 'jpeg', 'png'] as const
type Format = (typeof formats)[number]

/** Chooses a size, fit and format of a picture; shows the result and the URLs that serve it. */
export default function ResizedImage({ object }: { object: StoredObject }) {
  const { bucket, key } = object
  const [sides, setSides] = useState<{ w?: number; h?: number }>({ w: 640 })
  const [fit, setFit] = useState<(typeof fits)[number]>('contain')
  const [format, setFormat] = useState<Format>('')
  const isBox = sides.w !== undefined && sides.h !== undefined
  const image: ImageQuery = {
    ...sides,
    ...(isBox && fit !== 'contain' ? { fit } : {}),
    ...(format === '' ? {} : { format }),
  }
  const isAsked = Object.keys(image).length > 0
  const address = (origin: string) =>
    urlOf(origin, api.getImageByQuery, { params: { bucket }, query: { key, ...image } })
  const side = (name: 'w' | 'h', label: string) => (
    <NumberInput
      label={label}
      value={sides[name] ?? ''}
      onChange={(value) =>
        setSides(({ [name]: _old, ...other }) => (typeof value === 'number' ? { ...other, [name]: value } : other))
      }
      min={1}
      max={MOST}
      allowDecimal={false}
      allowNegative={false}
      suffix=" px"
      hideControls
    />
  )
  return (
    <section className="stack-tight resized" aria-labelledby="resized">
      <h3 id="resized">{objectText.resized}</h3>
      <div className="resized-fields">
        {side('w', objectText.width)}
        {side('h', objectText.height)}
        <Select
          label={objectText.fit}
          data={fits.map((value) => ({ value, label: objectText.fits(value) }))}
          value={fit}
          onChange={(value) => setFit((value as typeof fit | null) ?? fit)}
          disabled={!isBox}
          allowDeselect={false}
        />
        <Select
          label={objectText.format}
          data={formats.map((value) => ({ value, label: objectText.formats(value) }))}
          value={format}
          onChange={(value) => setFormat((value ?? '') as Format)}
          allowDeselect={false}
        />
      </div>
      {isAsked ? (
        <>
          <Result path={address('')} source={object.size} />
          <CopyField label={objectText.apiUrl} hideLabel={false} mono value={address(location.origin)} />
          <SignedUrl key={JSON.stringify(image)} object={object} image={image} />
          <Linked object={object} image={image} />
        </>
      ) : (
        <p className="dim small">{objectText.resizedNothing}</p>
      )}
    </section>
  )
}

interface Loaded {
  url: string
  bytes: number
  type: string
}

/** The picture as it will be served, its size and its bytes. */
function Result({ path, source }: { path: string; source: number }) {
  const [loaded, setLoaded] = useState<Loaded>()
  const [size, setSize] = useState<{ width: number; height: number }>()
  const [refusal, setRefusal] = useState<string>()
  const [isLoading, setLoading] = useState(true)
  useEffect(() => {
    const control = new AbortController()
    let made: string | undefined
    setLoading(true)
    const load = async () => {
      try {
        const blob = await fetchImage(path, control.signal)
        made = URL.createObjectURL(blob)
        setLoaded({ url: made, bytes: blob.size, type: blob.type.replace('image/', '').toUpperCase() })
        setRefusal(undefined)
      } catch (error) {
        if (control.signal.aborted) return
        setRefusal(describeProblem(error).detail)
      }
      setLoading(false)
    }
    // While somebody is typing, nothing is rendered.
    const timer = setTimeout(() => void load(), 400)
    return () => {
      clearTimeout(timer)
      control.abort()
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [path])
  if (refusal !== undefined)
    return (
      <p className="bad small" role="alert">
        {refusal}
      </p>
    )
  return (
    <figure className="resized-result">
      {loaded ? (
        <img
          src={loaded.url}
          alt={objectText.resizedResult}
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => setSize({ width, height })}
        />
      ) : null}
      <figcaption className="dim small" role="status">
        {loaded && size
          ? objectText.resizedFacts(
              size,
              formatBytes(loaded.bytes),
              loaded.type,
              Math.round((loaded.bytes / source) * 100),
            )
          : null}
        {isLoading ? <Loader size={12} role="img" aria-label={objectText.resizedLoading} /> : null}
      </figcaption>
    </figure>
  )
}

/** The same through a share link that anyone can use. */
function Linked({ object: { bucket, key }, image }: { object: StoredObject; image: ImageQuery }) {
  const me = useMe()
  const cache = useQueryClient()
  const links = useQuery({ ...linksToQuery(bucket, { key }), enabled: me.can('share', bucket, key) })
  const [url, setUrl] = useState<string>()
  const usable = links.data?.find(
    ({ has_link, has_password, max_downloads }) => has_link && !has_password && max_downloads === null,
  )
  const show = async (id: string) => {
    try {
      setUrl((await cache.fetchQuery(linkQuery(id))).url)
    } catch (error) {
      notify.problem(error)
    }
  }
  if (!me.can('share', bucket, key)) return null
  if (url !== undefined) {
    const query = new URLSearchParams(Object.entries(image).map(([name, value]) => [name, String(value)]))
    return (
      <CopyField
        label={objectText.linkedImageUrl}
        hideLabel={false}
        description={objectText.linkedImageHint}
        mono
        value={`${url}?${query}`}
      />
    )
  }
  return usable ? (
    <div>
      <Button variant="default" onClick={() => void show(usable.id)}>
        {objectText.linkedImageShow}
      </Button>
    </div>
  ) : (
    <p className="dim small">{objectText.linkedImageNone}</p>
  )
}
