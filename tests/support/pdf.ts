/** A one-page PDF with some words on it. */
export function pdf(words: string): string {
  const stream = `BT /F1 24 Tf 72 700 Td (${words}) Tj ET`
  const parts = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let text = '%PDF-1.4\n'
  const places = parts.map((part, i) => {
    const at = text.length
    text += `${i + 1} 0 obj\n${part}\nendobj\n`
    return `${String(at).padStart(10, '0')} 00000 n \n`
  })
  return `${text}xref\n0 6\n0000000000 65535 f \n${places.join('')}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF`
}
