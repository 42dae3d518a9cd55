/** The whole of a small body, at most `most` bytes; throws what `tooLarge` makes as soon as there are more. */
export async function collect(body: AsyncIterable<Uint8Array>, most: number, tooLarge: () => Error): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > most) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
