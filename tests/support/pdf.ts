/** A page of a PDF: what it draws, and how that is stored. */
export interface PdfPage {
  /** Operators of PDF (ISO 32000-2, annex A), or what its filters make of them. */
  contents: Uint8Array | string
  filter?: string
  /** Width and height in points. */
  box?: readonly [number, number]
  /** /I1, an image: its dictionary without its length, and its bytes. */
  image?: { says: string; bytes: Uint8Array }
}

/** A PDF of these pages, with Helvetica as /F1, which is not embedded. `before` comes before the first page's contents. */
export function pdfOf(pages: readonly PdfPage[], { before = 0 }: { before?: number } = {}): Buffer {
  const parts: Buffer[] = []
  const offsets: number[] = []
  let length = 0
  const add = (bytes: Uint8Array | string): void => {
    parts.push(Buffer.from(bytes as string, 'latin1'))
    length += parts.at(-1)?.length ?? 0
  }
  const object = (...body: (Uint8Array | string)[]): void => {
    offsets.push(length)
    for (const one of [`${offsets.length} 0 obj\n`, ...body, '\nendobj\n']) add(one)
  }
  add('%PDF-1.7\n')
  if (before > 0) {
    add('%')
    add(Buffer.alloc(before, 'x'))
    add('\n')
  }
  const idOf = (page: number) => 4 + page * 3
  const kids = pages.map((_, page) => `${idOf(page)} 0 R`).join(' ')
  object('<< /Type /Catalog /Pages 2 0 R >>')
  object(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`)
  object('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  for (const [page, { contents, filter, box = [300, 400], image }] of pages.entries()) {
    const id = idOf(page)
    const resources = `/Resources << /Font << /F1 3 0 R >> /XObject << /I1 ${id + 2} 0 R >> >>`
    object(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${box.join(' ')}] ${resources} /Contents ${id + 1} 0 R >>`)
    const bytes = Buffer.from(contents as string, 'latin1')
    object(`<< /Length ${bytes.length}${filter ? ` /Filter ${filter}` : ''} >>\nstream\n`, bytes, '\nendstream')
    const { says, bytes: pixels } = image ?? { says: '/Subtype /Image', bytes: new Uint8Array() }
    object(`<< /Type /XObject ${says} /Length ${pixels.length} >>\nstream\n`, pixels, '\nendstream')
  }
  const start = length
  const lines = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  add(`xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${lines}`)
  add(`trailer\n<< /Size ${offsets.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`)
  return Buffer.concat(parts)
}

/** A one-page PDF with some words on it. */
export const pdf = (words: string): string =>
  pdfOf([{ contents: `BT /F1 24 Tf 72 700 Td (${words}) Tj ET`, box: [612, 792] }]).toString('latin1')
