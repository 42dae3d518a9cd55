import fs from 'node:fs'
import path from 'node:path'

/** Where a program is that tests can use if it is installed; undefined if it is not. Debian's own comes first. */
export const findProgram = (name: string): string | undefined =>
  ['/usr/bin', ...(process.env.PATH ?? '').split(path.delimiter)]
    .map((folder) => path.join(folder, name))
    .find((file) => fs.existsSync(file))
