import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../../contract/errors.ts'
import { type Branding, brandingOf, findLogo, setLogo } from '../../access/settings/branding.ts'
import type { Ctx } from '../../context.ts'
import { renderLogo } from '../../features/images/logo.ts'
import type { Raw } from './handle.ts'
import { bodyOf } from './uploads.ts'

const MOST_BYTES = 1024 * 1024
const YEAR_SECONDS = 31_536_000

/** Stores the logo in a request's body. */
export async function receiveLogo(ctx: Ctx, raw: Raw): Promise<{ logo_url: string }> {
  const { source, announced = 0 } = bodyOf(raw)
  const tooLarge = () => new ServiceError('too_large', 'The logo may have at most 1 MiB.')
  if (announced > MOST_BYTES) throw tooLarge()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of source()) {
    size += chunk.length
    if (size > MOST_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  return { logo_url: await setLogo(ctx, await renderLogo(Buffer.concat(chunks))) }
}

/** Responds with the logo; for ever if the address names its version. */
export async function sendLogo(ctx: Ctx, version: string | undefined, { reply }: Raw): Promise<FastifyReply> {
  const { png, isVersion } = await findLogo(ctx, version)
  return reply
    .header('cache-control', isVersion ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache')
    .header('x-content-type-options', 'nosniff')
    .type('image/png')
    .send(Buffer.from(png))
}

export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (letter) => `&#${letter.codePointAt(0)};`).replace(/\p{Cc}/gu, ' ')

/** The site's name and logo for a page's head, where its scripts read them before anything is drawn. */
export const brandingTags = ({ name, logo }: Branding): string =>
  (name === null ? '' : `<meta name="application-name" content="${escaped(name)}">`) +
  (logo === null ? '' : `<meta name="site-logo" content="${escaped(logo)}">`)

/** The same for a page that is shown even while the database is away. */
export async function brandingTagsOrNone(ctx: Pick<Ctx, 'config' | 'db' | 'log'>): Promise<string> {
  try {
    return brandingTags(await brandingOf(ctx))
  } catch (error) {
    ctx.log.warn({ err: error }, 'the site’s name could not be read')
    return ''
  }
}
