import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../../contract/errors.ts'
import { type Branding, brandingOf, findLogo, setLogo } from '../../access/settings/branding.ts'
import type { Ctx } from '../../context.ts'
import { renderLogo } from '../../features/images/logo.ts'
import { collect } from '../../http/collect.ts'
import { sendAsset } from './assets.ts'
import type { Raw } from './handle.ts'
import { bodyOf } from './uploads.ts'

const MOST_BYTES = 1024 * 1024
const tooLarge = () => new ServiceError('too_large', 'The logo may have at most 1 MiB.')

/** Stores the logo in a request's body. */
export async function receiveLogo(ctx: Ctx, raw: Raw): Promise<{ logo_url: string }> {
  const { source, announced = 0 } = bodyOf(raw)
  if (announced > MOST_BYTES) throw tooLarge()
  return { logo_url: await setLogo(ctx, await renderLogo(await collect(source(), MOST_BYTES, tooLarge))) }
}

/** Responds with the logo; for ever if the address names its version. */
export async function sendLogo(ctx: Ctx, version: string | undefined, { request, reply }: Raw): Promise<FastifyReply> {
  const logo = await findLogo(ctx)
  const asset = { type: 'image/png', etag: logo.version, bytes: Buffer.from(logo.png) }
  return sendAsset(request, reply, asset, { immutable: version === logo.version })
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
