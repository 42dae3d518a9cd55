import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/**
 * Builds the console into console/dist and the pages of share links into console/link/dist. `npm ci` runs it, so that
 * `npm start` serves them; if their packages are not installed (`--omit=dev`), existing builds are kept.
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
  for (const one of ['console', 'console/link'])
    await build({ configFile: path.join(root, one, 'vite.config.ts'), logLevel: 'warn' })
} else if (!['console', 'console/link'].every((one) => fs.existsSync(path.join(root, one, 'dist/index.html'))))
  console.warn('The console was not built: its packages are not installed (npm ci without --omit=dev installs them).')
