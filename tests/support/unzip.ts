import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import yauzl from 'yauzl'

const UTF8 = 1 << 11

export interface Unzipped {
  name: string
  text: string
  entry: yauzl.Entry
}
/** What an independent reader finds in a zip: names as they are written, contents with their CRC and sizes checked. */
export async function unzip(bytes: Buffer): Promise<Unzipped[]> {
  const found: Unzipped[] = []
  const zip = await yauzl.fromBufferPromise(bytes, { strictFileNames: true, validateEntrySizes: true })
  for await (const entry of zip.eachEntry()) {
    assert.ok(entry.generalPurposeBitFlag & UTF8, 'names are marked as UTF-8')
    assert.equal(Buffer.compare(entry.fileNameRaw, Buffer.from(entry.fileName)), 0)
    const contents = entry.fileName.endsWith('/')
      ? Buffer.alloc(0)
      : await buffer(await zip.openReadStreamPromise(entry))
    found.push({ name: entry.fileName, text: contents.toString(), entry })
  }
  assert.equal(new Set(found.map(({ name }) => name)).size, found.length, 'no name twice')
  return found
}
