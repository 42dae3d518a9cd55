import fs from 'node:fs'
import path from 'node:path'
import { syncFolder } from '../../base/make-folder.ts'

/** Files of changes as they were fetched, in order. */
export interface Parts {
  chain: string
  /** The number of the first. */
  first: number
  files: readonly Buffer[]
}

/** Keeps what is about to be applied, so that it survives a power failure; complete, or not at all. */
export function keepParts(file: string, { chain, first, files }: Parts): void {
  const draft = `${file}.new`
  const head = Buffer.from(JSON.stringify({ chain, first, sizes: files.map(({ length }) => length) }))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(head.length)
  fs.writeFileSync(draft, Buffer.concat([length, head, ...files]), { mode: 0o600, flush: true })
  fs.renameSync(draft, file)
  syncFolder(path.dirname(path.resolve(file)))
}

/** What was kept last; undefined if nothing was. */
export function keptParts(file: string): Parts | undefined {
  if (!fs.existsSync(file)) return undefined
  const bytes = fs.readFileSync(file)
  let at = 4 + bytes.readUInt32LE(0)
  const head = JSON.parse(bytes.toString('utf8', 4, at)) as { chain: string; first: number; sizes: number[] }
  const files = head.sizes.map((size) => {
    at += size
    return bytes.subarray(at - size, at)
  })
  return { chain: head.chain, first: head.first, files }
}
