import type { Kind } from './kinds.ts'

/** What is wrong with a file's structure. */
export type Fault = 'cut_off' | 'too_many_scans'

/**
 * Each scan of a progressive JPEG covers the whole image and may be 60 bytes long: 20,000 of them, in a file of a
 * megabyte, kept libvips busy for 102 s, and nothing can stop it. Encoders make about ten.
 */
const MOST_SCANS = 100

/** Walks through a file's segments, which is far faster than decoding them. */
export function findFault(kind: Kind, bytes: Uint8Array): Fault | undefined {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (kind === 'jpeg') return faultOfJpeg(all)
  if (kind === 'png') return faultOfPng(all)
  // The other formats' decoders detect this themselves.
  return undefined
}

// JPEG and PNG are decoded row by row, so that a file truncated in its lower rows would go unnoticed.

function faultOfPng(all: Buffer): Fault | undefined {
  let at = 8
  while (at + 12 <= all.length) {
    if (all.readUInt32BE(at + 4) === IEND) return undefined
    at += 12 + all.readUInt32BE(at)
  }
  return 'cut_off'
}
const IEND = 0x49454e44

function faultOfJpeg(all: Buffer): Fault | undefined {
  let scans = 0
  // Goes marker by marker like a decoder, skipping what is inside a segment, such as a thumbnail.
  for (let at = all.indexOf(0xff, 2); at >= 0 && at + 1 < all.length; at = all.indexOf(0xff, at)) {
    const marker = all[at + 1] as number
    if (marker === 0xd9) return undefined
    if (marker === 0xda && ++scans > MOST_SCANS) return 'too_many_scans'
    // Fill bytes may precede a marker; these markers have no length: a byte FF in a scan, restarts and the like.
    if (marker === 0xff) at += 1
    else if (marker <= 1 || (marker >= 0xd0 && marker <= 0xd8)) at += 2
    else if (at + 4 > all.length) return 'cut_off'
    else at += 2 + all.readUInt16BE(at + 2)
  }
  return 'cut_off'
}
