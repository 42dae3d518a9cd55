import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import mimeTypes from 'mime-types'
import { matchesWeakly, readEntityTags } from '../../http/conditions.ts'

const YEAR_SECONDS = 31_536_000

/** A file of a build, with what was compressed of it; `bytes` is missing if only the compressed form was kept. */
export interface Asset {
  type: string
  etag: string
  bytes?: Buffer
  br?: Buffer
  gz?: Buffer
}
/** By path below the build's folder. */
export type Assets = ReadonlyMap<string, Asset>

/** Every file below a folder, without those in `.vite/`; empty without the folder. */
export async function readAssets(folder: string): Promise<Assets> {
  const names = await fs.readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const assets = new Map<string, Asset>()
  for (const entry of names) {
    const file = path.join(entry.parentPath, entry.name)
    const found = path.relative(folder, file).replaceAll(path.sep, '/')
    if (!entry.isFile() || found.startsWith('.vite/')) continue
    const bytes = await fs.readFile(file)
    const [, name = '', suffix] = /^(.*?)(?:\.(br|gz))?$/.exec(found) ?? []
    const asset = assets.get(name) ?? {
      type: mimeTypes.contentType(path.basename(name)) || 'application/octet-stream',
      etag: createHash('sha256').update(bytes).digest('base64url').slice(0, 22),
    }
    assets.set(name, { ...asset, [suffix ?? 'bytes']: bytes })
  }
  return assets
}

/** The same, read once per process on first use; read again as long as nothing is found. */
export function assetsOf(folder: string): () => Promise<Assets> {
  let read: Promise<Assets> | undefined
  return async () => {
    read ??= readAssets(folder)
    try {
      const assets = await read
      if (assets.size === 0) read = undefined
      return assets
    } catch (error) {
      read = undefined
      throw error
    }
  }
}

interface SendOptions {
  /** The name contains a hash of the content: browsers never ask for it again. */
  immutable: boolean
}

/** Responds with a file in a form that the client accepts, or with 304. */
export async function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  asset: Asset,
  { immutable }: SendOptions,
): Promise<FastifyReply> {
  const accepted = String(request.headers['accept-encoding'] ?? '')
  const encoding = asset.br && /\bbr\b/.test(accepted) ? 'br' : asset.gz && /\bgzip\b/.test(accepted) ? 'gzip' : null
  if (asset.br || asset.gz) reply.header('vary', 'accept-encoding')
  reply
    .header('etag', `W/"${asset.etag}"`)
    .header('cache-control', immutable ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache')
  const known = readEntityTags(request.headers['if-none-match'])
  if (known && matchesWeakly(known, asset.etag)) return reply.code(304).send()
  if (encoding) reply.header('content-encoding', encoding)
  return reply.type(asset.type).send(encoding === 'br' ? asset.br : encoding === 'gzip' ? asset.gz : await plain(asset))
}

const plain = async ({ bytes, br }: Asset): Promise<Buffer | undefined> =>
  bytes ?? (br && (await promisify(brotliDecompress)(br)))
