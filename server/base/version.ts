import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** The version of this build, as package.json says: two folders up where it is compiled. */
export const { version } = JSON.parse(readFileSync(findPackageJSON(import.meta.url) as string, 'utf8')) as {
  version: string
}
