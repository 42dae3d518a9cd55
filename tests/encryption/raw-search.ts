import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { sql } from 'kysely'
import { onS3, type TestServer } from '../support/server.ts'

/** A text that nobody else has. */
export const newMarker = (): string => `marker-${randomBytes(9).toString('hex')}`.slice(0, 25)

/** Random bytes with the marker every 32 bytes, wherever it fits. */
export function marked(marker: string, size: number): Buffer<ArrayBuffer> {
  const bytes = randomBytes(size)
  for (let at = 0; at + marker.length <= size; at += 32) bytes.write(marker, at, 'latin1')
  return bytes
}

const PIECE = 1024 * 1024
/** Which of some texts are in a file. */
function inFile(file: string, texts: readonly string[]): string[] {
  const found = new Set<string>()
  const longest = Math.max(...texts.map(({ length }) => length))
  const bytes = Buffer.alloc(PIECE + longest)
  const fd = fs.openSync(file, 'r')
  try {
    let kept = 0
    for (let got = 1; got > 0; ) {
      got = fs.readSync(fd, bytes, kept, PIECE, null)
      const held = bytes.subarray(0, kept + got)
      for (const text of texts) if (held.includes(text, 0, 'latin1')) found.add(text)
      kept = Math.min(longest - 1, held.length)
      bytes.copyWithin(0, held.length - kept, held.length)
    }
  } finally {
    fs.closeSync(fd)
  }
  return [...found]
}

/** Where any of these texts is: `<file>: <text>`, of all files below folders. */
export function searchFolders(folders: readonly string[], texts: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    fs.readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
      if (!entry.isFile()) return []
      const file = path.join(entry.parentPath, entry.name)
      try {
        return inFile(file, texts).map((text) => `${path.relative(folder, file)}: ${text}`)
      } catch (error) {
        // A database that is in use removes files.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
        throw error
      }
    }),
  )
}

/**
 * Where any of these texts is that a service should not have stored: in its folder, the folder of its PostgreSQL, the rows of
 * small bodies (which PostgreSQL compresses in its files), and the objects of its engine.
 */
export async function searchAll(server: TestServer, texts: readonly string[]): Promise<string[]> {
  const { database, folder, engine, env } = server
  const folders = [folder]
  const found: string[] = []
  if (engine === 'postgres') {
    await sql`checkpoint`.execute(database.db)
    const { rows } = await sql<{ data_directory: string }>`show data_directory`.execute(database.db)
    if (rows[0] && fs.existsSync(rows[0].data_directory)) folders.push(rows[0].data_directory)
    for (const { blob_id, bytes } of await database.db.selectFrom('bodies').selectAll().execute())
      for (const text of texts)
        if (Buffer.from(bytes).includes(text, 0, 'latin1')) found.push(`body ${blob_id}: ${text}`)
  }
  if (onS3) found.push(...(await searchEngine(env, texts)))
  return [...found, ...searchFolders(folders, texts)]
}

/** The same of the objects of an S3 engine, as it has them. */
async function searchEngine(env: Record<string, string>, texts: readonly string[]): Promise<string[]> {
  const url = new URL(env.STORAGE_URL ?? '')
  const client = new S3Client({
    endpoint: url.searchParams.get('endpoint') ?? '',
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: env.S3_ACCESS_KEY_ID ?? '', secretAccessKey: env.S3_SECRET_ACCESS_KEY ?? '' },
  })
  const [Bucket, Prefix] = [url.hostname, url.pathname.slice(1)]
  const found: string[] = []
  try {
    for (let ContinuationToken: string | undefined, more = true; more; ) {
      const page = await client.send(new ListObjectsV2Command({ Bucket, Prefix, ContinuationToken }))
      for (const { Key } of page.Contents ?? []) {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
        const bytes = await buffer(Body as AsyncIterable<Uint8Array>)
        for (const text of texts) if (bytes.includes(text, 0, 'latin1')) found.push(`object ${Key}: ${text}`)
      }
      ContinuationToken = page.NextContinuationToken
      more = ContinuationToken !== undefined
    }
  } finally {
    client.destroy()
  }
  return found
}
