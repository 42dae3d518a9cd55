import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** The version of this build, from package.json (two folders up in a compiled build). */
export const { version } = JSON.parse(readFileSync(findPackageJSON(import.meta.url) as string, 'utf8')) as {
  version: string
}
