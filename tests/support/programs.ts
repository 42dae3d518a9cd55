import fs from 'node:fs'
import path from 'node:path'

/** Where a program is that tests can use if it is installed; undefined if it is not. Debian's own comes first. */
export const findProgram = (name: string): string | undefined => findPrograms(name)[0]

/** The same, of all that are installed: there may be several versions. */
export const findPrograms = (name: string): string[] => [
  ...new Set(
    ['/usr/bin', ...(process.env.PATH ?? '').split(path.delimiter)]
      .map((folder) => path.join(folder, name))
      .filter((file) => fs.existsSync(file))
      // A merged /bin and /usr/bin hold the same file.
      .map((file) => fs.realpathSync(path.dirname(file)) + path.sep + name),
  ),
]
