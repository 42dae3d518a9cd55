import type { FastifyReply, FastifyRequest } from 'fastify'
import { Value } from 'typebox/value'
import { ServiceError } from '../../../contract/errors.ts'
import { asksForImage } from '../../../contract/images.ts'
import { Sender } from '../../../contract/shares.ts'
import { keptText } from '../../base/header-text.ts'
import { malformedHeader } from '../../base/invalid.ts'
import type { Ctx } from '../../context.ts'
import { noteArchived } from '../../features/audit/reads.ts'
import { openChosen, type SharedArchive } from '../../features/shares/archive.ts'
import type { Presented } from '../../features/shares/password.ts'
import { receiveThroughShare } from '../../features/shares/receive.ts'
import { type Opened, type OpenQuery, openEntry, openShare, type SharedObject } from '../../features/shares/serve.ts'
import { sendArchive } from './archive.ts'
import { audited, sendContents } from './contents.ts'
import type { Raw } from './handle.ts'
import { sendImage } from './images.ts'
import { bodyOf } from './uploads.ts'

/** How browsers and programs say that nobody has asked for this yet. */
const EARLY: readonly (readonly [header: string, said: RegExp])[] = [
  ['sec-purpose', /(?:^|[;,\s])pre(?:fetch|render)\b/i],
  ['purpose', /^(?:prefetch|preview)\b/i],
  ['x-purpose', /^(?:prefetch|preview)\b/i],
  ['x-moz', /^prefetch\b/i],
]

const isEarly = ({ headers }: FastifyRequest): boolean =>
  EARLY.some(([name, said]) => said.test(String(headers[name] ?? '').slice(0, 200)))

/**
 * Throws busy for a GET that is made before anybody has followed the link: it would be counted, recorded and notified of
 * as an opening. The link's page may ask for its description: then nothing is noted.
 */
function refuseEarly(request: FastifyRequest): void {
  const { info } = request.query as { info?: string }
  if (request.method === 'GET' && info === undefined && isEarly(request))
    throw new ServiceError('busy', 'A link is not opened before somebody follows it.')
}

/** Headers of every response through a link: a cached copy would outlive a revocation. */
const NO_STORE = 'no-store'
export const forbidCaching = (reply: FastifyReply): FastifyReply => reply.header('cache-control', NO_STORE)

interface SendQuery {
  download?: '0' | '1' | undefined
  embed?: '1' | undefined
}

/** Responds to GET and HEAD of a link: the object, or a folder's or selection's listing. */
export async function sendShare(
  ctx: Ctx,
  token: string,
  query: OpenQuery & SendQuery,
  raw: Raw,
): Promise<FastifyReply> {
  forbidCaching(raw.reply)
  refuseEarly(raw.request)
  return send(await openShare(ctx, token, query, presentedBy(raw.request)), query, raw)
}

/** Responds to GET and HEAD of one object of a folder or selection. */
export async function sendShareEntry(
  ctx: Ctx,
  { token, key }: { token: string; key: string },
  query: SendQuery,
  raw: Raw,
): Promise<FastifyReply> {
  forbidCaching(raw.reply)
  refuseEarly(raw.request)
  return send(await openEntry(ctx, token, key, presentedBy(raw.request)), query, raw)
}

/** Responds to POST of a choice of a folder's or selection's files with a zip of them. */
export async function sendChosen(ctx: Ctx, token: string, names: readonly string[], raw: Raw): Promise<FastifyReply> {
  forbidCaching(raw.reply)
  return sendSharedArchive(await openChosen(ctx, token, names, presentedBy(raw.request)), raw)
}

/** Stores a PUT's body as a file of an upload link. */
export function receiveShared(ctx: Ctx, { token, key: name }: { token: string; key: string }, raw: Raw) {
  forbidCaching(raw.reply)
  const { request } = raw
  const type = request.headers['content-type']
  return receiveThroughShare(ctx, token, {
    name,
    type,
    presented: presentedBy(request),
    sender: senderIn(request.headers),
    body: bodyOf(raw),
  })
}

function send(opened: Opened, query: SendQuery, raw: Raw): FastifyReply | Promise<FastifyReply> {
  if (opened.kind === 'object') return sendSharedObject(opened, query, raw)
  if (opened.kind === 'archive') return sendSharedArchive(opened, raw)
  return raw.reply.send(opened.body)
}

async function sendSharedObject(shared: SharedObject, { download, embed }: SendQuery, raw: Raw): Promise<FastifyReply> {
  const { contents, reader, share_id, filename } = shared
  const preview = embed === '1'
  const naming = {
    download: download === '1',
    filename,
    // Contents that the link's page displays are not sent as an attachment.
    disposition: preview ? undefined : shared.disposition,
    cacheControl: NO_STORE,
  }
  const { bucket } = shared
  if (asksForImage(raw.request.query)) {
    if (raw.request.method !== 'HEAD') await shared.assertLeft('image')
    const options = { ...naming, principal: share_id, link: true, begin: () => shared.spend({ image: true, preview }) }
    return sendImage(reader, audited(reader, contents, { bucket, via: 'image', share_id }), options, raw)
  }
  return sendContents(
    audited(reader, contents, { bucket, via: 'download', share_id }),
    {
      ...naming,
      embed: preview,
      async begin({ status, ranges }) {
        if (status === 200 || status === 206)
          return shared.spend({ range: ranges.length === 1 ? ranges[0] : undefined, preview })
        await shared.assertLeft('contents')
        return undefined
      },
    },
    raw,
  )
}

async function sendSharedArchive(shared: SharedArchive, raw: Raw): Promise<FastifyReply> {
  if (raw.request.method === 'HEAD') return raw.reply.header('content-type', 'application/zip').send()
  await shared.spend()
  const { archive, bucket, reader, share_id } = shared
  const onRead = ({ key, size }: { key: string; size: number }) => noteArchived(reader, { bucket, key, size, share_id })
  return sendArchive(reader, archive, { onRead, cacheControl: NO_STORE }, raw)
}

/** The password from `X-Share-Password` or HTTP Basic with any user name (RFC 7617); the ticket from the query. */
export function presentedBy(request: FastifyRequest): Presented {
  const { ticket } = request.query as { ticket?: string }
  return { ticket, password: passwordOf(request.headers), early: isEarly(request) }
}

/** Who says they send a file, and their message, from headers; throws malformed for what no text field has. */
function senderIn(headers: FastifyRequest['headers']): Sender {
  const sender: Sender = { name: textOf(headers['x-sender-name']), message: textOf(headers['x-sender-message']) }
  for (const [field, shape] of Object.entries(Sender.properties))
    if (!Value.Check(shape, sender[field as keyof Sender]))
      throw malformedHeader(`x-sender-${field}`, 'must be one line of text, and not longer')
  return sender
}

const textOf = (header: string | string[] | undefined): string | null => keptText(String(header ?? '')).trim() || null

function passwordOf(headers: FastifyRequest['headers']): string | undefined {
  const own = headers['x-share-password']
  if (typeof own === 'string') return keptText(own)
  const basic = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? '')?.[1]
  return basic === undefined
    ? undefined
    : Buffer.from(basic, 'base64')
        .toString('utf8')
        .replace(/^[^:]*:/s, '')
}
