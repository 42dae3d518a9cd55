import { ServiceError } from '../../../contract/errors.ts'
import { render } from './render.ts'
import { examine } from './source.ts'

/** Twice what the pages show, for dense screens. */
const [WIDTH, HEIGHT] = [480, 160]
const MOST_PIXELS = 16_000_000
const SECONDS = 10

const damaged = (cause?: unknown) =>
  new ServiceError('invalid_request', 'The logo is damaged, incomplete or too large.', {
    faults: [{ path: 'body', message: 'is a damaged or incomplete image, or has more than 16 megapixels' }],
    cause,
  })

/** A logo as it is stored: a PNG that fits into 480 × 160 pixels, of the first frame, never enlarged. */
export async function renderLogo(bytes: Uint8Array): Promise<Uint8Array> {
  const source = await examine(bytes)
  if ('refused' in source && source.refused === 'unsupported')
    throw new ServiceError('unsupported_media_type', 'The logo must be a PNG, JPEG, WebP, AVIF or GIF.')
  if ('refused' in source || source.width * source.height * source.pages > MOST_PIXELS) throw damaged()
  const scale = Math.min(1, WIDTH / source.width, HEIGHT / source.height)
  const side = (length: number) => Math.max(1, Math.round(length * scale))
  const size = { width: side(source.width), height: side(source.height) }
  return render(bytes, source, { ...size, fit: 'fill', format: 'png', q: null, frames: 1 }, SECONDS).catch(
    (error: unknown) => {
      throw damaged(error)
    },
  )
}
