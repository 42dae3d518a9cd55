import sharp from 'sharp'
import { pdf } from '../../tests/support/pdf.ts'
import { photo } from '../../tests/support/pictures.ts'

const octets = 'application/octet-stream'
const deep = { id: 7, name: 'Alder', tags: ['a', 'b'], size: { width: 12, height: [3, 4, 5] } }
const rows = Array.from({ length: 60 }, (_, i) => `${i},Alder ${i},${(i * 37) % 100}`).join('\n')
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4.5" cy="4.5" r="4" fill="#0b6e6e"/></svg>'

/** Seconds of silence. */
function wav(seconds: number, rate = 8000): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(36 + seconds * rate, 4)
  head.write('WAVEfmt ', 8)
  for (const [value, at] of [
    [16, 16],
    [rate, 24],
    [rate, 28],
    [seconds * rate, 40],
  ] as const)
    head.writeUInt32LE(value, at)
  for (const [value, at] of [
    [1, 20],
    [1, 22],
    [1, 32],
    [8, 34],
  ] as const)
    head.writeUInt16LE(value, at)
  head.write('data', 36)
  return Buffer.concat([head, Buffer.alloc(seconds * rate, 128)])
}

/** Twenty files of different kinds by name: their contents, and the type with which a client may have sent them. */
export async function kinds(): Promise<Record<string, { body: string | Buffer; type: string }>> {
  const picture = () => photo(1200, 800)
  return {
    'a.jpg': { body: await picture().jpeg().toBuffer(), type: 'image/jpeg' },
    'b.png': { body: await picture().png().toBuffer(), type: 'image/png' },
    'c.webp': { body: await picture().webp().toBuffer(), type: 'image/webp' },
    'd.gif': { body: await picture().gif().toBuffer(), type: 'image/gif' },
    'e.avif': {
      body: await sharp(await picture().png().toBuffer())
        .avif()
        .toBuffer(),
      type: 'image/avif',
    },
    'f.svg': { body: svg, type: 'image/svg+xml' },
    'g.pdf': { body: pdf('Quarterly figures'), type: 'application/pdf' },
    'h.md': { body: '# Photos\n\nOne folder a *shoot*.\n\n- [x] sorted\n- [ ] shared\n', type: 'text/markdown' },
    'i.csv': { body: `id,name,height\n${rows}\n`, type: 'text/csv' },
    'j.json': { body: JSON.stringify(deep, null, 2), type: 'application/json' },
    'k.min.json': { body: JSON.stringify(Array(200).fill(deep)), type: 'application/json' },
    'l.txt': { body: 'Day 2: light from the left, tram 28 at noon.\n', type: 'text/plain' },
    'm.log': { body: 'GET / 200\n'.repeat(500), type: octets },
    'n.html': { body: '<!doctype html><title>Hello</title><h1>Hello</h1>', type: 'text/html' },
    'o.yaml': { body: 'name: photos\nquota_gb: 50\n', type: octets },
    'p.py': { body: 'def answer():\n    return 42\n', type: octets },
    Makefile: { body: 'all:\n\tnode server/main.ts\n', type: octets },
    README: { body: 'Read me first.\n', type: octets },
    's.wav': { body: wav(3), type: 'audio/wav' },
    't.zip': { body: Buffer.from('PK\u0003\u0004not really'), type: 'application/zip' },
  }
}
