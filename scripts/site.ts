import fs from 'node:fs'
import path from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'

/**
 * Builds the documentation site into site/dist, with its texts compressed, as the service serves it at /help. `--base
 * /docs/` builds plain files for that path of another web server, and `--dev` serves the pages while they are being
 * written. Links that lead nowhere fail the build.
 */
const { values } = parseArgs({ options: { dev: { type: 'boolean' }, base: { type: 'string' } } })
const root = path.dirname(import.meta.dirname)
const site = path.join(root, 'site')
const dist = path.join(site, 'dist')
const MIN_BYTES = 1024

process.env.SITE_BASE = values.base ?? '/help/'
const { writePages } = await import('../site/pages.ts')
const { build, createServer } = await import('vitepress')
await writePages()

if (values.dev) {
  const server = await createServer(site, { host: '127.0.0.1' })
  await server.listen()
  server.printUrls()
  for (const folder of ['docs', 'bench'])
    fs.watch(path.join(root, folder), { recursive: true }, () => void writePages().catch(console.error))
} else {
  await build(site)
  if (values.base === undefined) await compressTexts()
  const files = list()
  console.log(
    `site/dist: ${files.length} files, ${(files.reduce((sum, file) => sum + fs.statSync(file).size, 0) / 1e6).toFixed(1)} MB`,
  )
}

/** Every file of the site. */
function list(): string[] {
  const entries = fs.readdirSync(dist, { recursive: true, withFileTypes: true })
  return entries.filter((one) => one.isFile()).map(({ parentPath, name }) => path.join(parentPath, name))
}

/** Replaces each text with its `.br`: three quarters smaller, and the server compresses nothing on request. */
async function compressTexts(): Promise<void> {
  for (const file of list()) {
    const text = fs.readFileSync(file)
    if (!/\.(html|js|css|svg)$/.test(file) || text.length < MIN_BYTES) continue
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
    fs.writeFileSync(`${file}.br`, await promisify(brotliCompress)(text, { params }))
    fs.rmSync(file)
  }
}
