import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { lineOf } from './lines.ts'

/** Characters that are written at a time. */
const WRITTEN = 65_536

/** A file that keys are written to, one a line. */
export class LineFile {
  readonly #file: string
  readonly #handle: FileHandle
  #text = ''
  private constructor(file: string, handle: FileHandle) {
    this.#file = file
    this.#handle = handle
  }

  static open = async (file: string): Promise<LineFile> => new LineFile(file, await open(file, 'w'))

  /** Adds a key; a promise where that has to be waited for. */
  add(key: string): Promise<void> | undefined {
    this.#text += lineOf(key)
    return this.#text.length < WRITTEN ? undefined : this.#write()
  }
  async #write(): Promise<void> {
    const text = this.#text
    this.#text = ''
    if (text !== '') await this.#handle.appendFile(text)
  }
  /** Writes what is left, and closes it. */
  async end(): Promise<void> {
    try {
      await this.#write()
    } finally {
      await this.#handle.close()
    }
  }
  /** Its bytes, once it is closed. */
  read = (): AsyncIterable<Uint8Array> => createReadStream(this.#file)
}
