import type { Plugin } from 'vite'

/**
 * Writes `.vite/packages.json`: the npm packages of which a build contains something, sorted. The list of licenses
 * (scripts/licenses.ts) is made from it.
 */
export const listPackages = (): Plugin => ({
  name: 'list-packages',
  apply: 'build',
  generateBundle() {
    const names = [...this.getModuleIds()].flatMap((id) => PACKAGE.exec(id)?.[1] ?? [])
    this.emitFile({
      type: 'asset',
      fileName: '.vite/packages.json',
      source: `${JSON.stringify([...new Set(names)].sort(), null, 2)}\n`,
    })
  },
})
/** The package of the innermost node_modules. */
const PACKAGE = /.*\/node_modules\/((?:@[^/]+\/)?[^/?]+)\//
