import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Plugin } from 'vite'

/** What PDF.js loads when a document needs it: names of characters, mostly East Asian, and readers of what scanners write. */
const LOADED = ['cmaps/*.bcmap', 'wasm/{jbig2,openjpeg}.wasm']
/** The licenses of these. */
const LICENSES = ['cmaps/LICENSE', 'wasm/LICENSE*_{JBIG2,OPENJPEG}']

/** Puts what PDF.js loads by name beside the other files, below a folder with its version. */
export const pdfTables = (): Plugin => ({
  name: 'pdf-tables',
  apply: 'build',
  generateBundle() {
    const manifest = createRequire(import.meta.url).resolve('pdfjs-dist/package.json')
    const folder = path.dirname(manifest)
    const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8'))
    for (const file of fs.globSync([...LOADED, ...LICENSES], { cwd: folder }))
      this.emitFile({
        type: 'asset',
        fileName: `assets/pdf-${version}/${path.basename(file)}`,
        source: fs.readFileSync(path.join(folder, file)),
      })
  },
})
