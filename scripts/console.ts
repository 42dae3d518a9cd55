import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/**
 * Builds the console into console/dist. `npm ci` runs it, so that `npm start` serves it; if its packages are not
 * installed (`--omit=dev`), an existing build is kept.
 */
const require = createRequire(import.meta.url)
const present = (name: string): boolean => {
  try {
    require.resolve(name)
    return true
  } catch {
    return false
  }
}
const root = path.dirname(import.meta.dirname)
if (present('vite')) {
  const { build } = await import('vite')
  await build({ configFile: path.join(root, 'console/vite.config.ts'), logLevel: 'warn' })
} else if (!fs.existsSync(path.join(root, 'console/dist/index.html')))
  console.warn('The console was not built: its packages are not installed (npm ci without --omit=dev installs them).')
