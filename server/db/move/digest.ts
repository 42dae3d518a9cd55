import { createHash, type Hash } from 'node:crypto'
import type { Values } from './table.ts'

/** Characters that are hashed together. */
const CHUNK = 64 * 1024

/** Counts rows and hashes their values, in the order in which they are added. Two engines give the same rows one digest. */
export class Digest {
  readonly #hash: Hash = createHash('sha256')
  #text = ''
  rows = 0

  add(rows: readonly Values[]): void {
    this.rows += rows.length
    for (const values of rows) {
      for (const value of values)
        if (value === null) this.#text += 'n'
        else if (typeof value === 'string') this.#text += `s${value.length}:${value}`
        else if (typeof value === 'bigint') this.#text += `i${value};`
        else if (typeof value === 'number') this.#text += `r${value};`
        else {
          this.#text += `b${value.length}:`
          this.#flush()
          this.#hash.update(value)
        }
      if (this.#text.length > CHUNK) this.#flush()
    }
  }

  /** SHA-256 in hex. Nothing can be added afterwards. */
  end(): string {
    this.#flush()
    return this.#hash.digest('hex')
  }

  #flush(): void {
    this.#hash.update(this.#text)
    this.#text = ''
  }
}
