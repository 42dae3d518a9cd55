import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const MIN_BYTES = 1024

/** Writes `.br` and `.gz` beside each text file, so that the server compresses nothing on request. */
export const compressed = (): Plugin => ({
  name: 'compressed',
  apply: 'build',
  async writeBundle({ dir = '' }, bundle) {
    const packers = {
      br: (text: Buffer) =>
        promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
      gz: (text: Buffer) => promisify(gzip)(text, { level: 9 }),
    }
    const texts = Object.keys(bundle).filter((name) => /\.(m?js|css|svg|wasm)$/.test(name))
    await Promise.all(
      texts.map(async (name) => {
        const text = await fs.promises.readFile(path.join(dir, name))
        if (text.length < MIN_BYTES) return
        for (const [suffix, pack] of Object.entries(packers))
          await fs.promises.writeFile(path.join(dir, `${name}.${suffix}`), await pack(text))
      }),
    )
  },
})
