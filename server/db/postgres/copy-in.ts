import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import type pg from 'pg'

/** What a connection of node-postgres has for COPY, which its types leave out. */
interface CopyConnection {
  readonly stream: Duplex
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}

/** `COPY … FROM STDIN` as a query of node-postgres, which itself has no such query. */
class CopyIn {
  readonly #text: string
  readonly #started = Promise.withResolvers<CopyConnection>()
  readonly #ended = Promise.withResolvers<void>()
  readonly started = this.#started.promise
  readonly ended = this.#ended.promise
  constructor(text: string) {
    this.#text = text
    // Whoever sends sees a failure there first.
    this.started.catch(() => undefined)
    this.ended.catch(() => undefined)
  }
  submit(connection: unknown): void {
    ;(connection as CopyConnection).query(this.#text)
  }
  handleCopyInResponse(connection: CopyConnection): void {
    this.#started.resolve(connection)
  }
  handleCommandComplete(): void {}
  handleReadyForQuery(): void {
    this.#ended.resolve()
  }
  handleError(error: Error): void {
    this.#started.reject(error)
    this.#ended.reject(error)
  }
}

/**
 * Sends chunks of rows in COPY's text format, no faster than the server takes them. Rejects with what the server says, or
 * with what the chunks fail with; then the statement has inserted nothing.
 */
export async function copyIn(client: pg.Client, text: string, chunks: AsyncIterable<Buffer>): Promise<void> {
  const copy = client.query(new CopyIn(text))
  const connection = await copy.started
  let failure: Error | undefined
  copy.ended.catch((error: Error) => {
    failure = error
  })
  try {
    for await (const chunk of chunks) {
      if (failure) throw failure
      connection.sendCopyFromChunk(chunk)
      // Also ends when the connection does.
      if (connection.stream.writableNeedDrain) await Promise.race([once(connection.stream, 'drain'), copy.ended])
    }
  } catch (error) {
    if (!failure) connection.sendCopyFail('The rows could not be read')
    await copy.ended.catch(() => undefined)
    throw error
  }
  connection.endCopyFrom()
  await copy.ended
}
