import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/** They measure the memory, the descriptors or the event loop of their process, or must be all that it has loaded. */
const ALONE = ['blobs/files', 'http/waiting', 'objects/archive', 'objects/browse', 'per-system'].map(
  (name) => `tests/${name}.test.ts`,
)
/** They start first: mostly waiting, or a single test takes a minute. What comes last should not leave a core idle. */
const SLOW = ['client', 'faults', 'fuzz', 'http', 'jobs', 'process', 'objects', 's3', 'versions', 'webhooks'].map(
  (name) => `tests/${name}`,
)
/** What stores and reads bytes, and what races for it: these also run where one machine is outgrown. */
export const STORING: readonly string[] = [
  // The longest first.
  ...['concurrency', 'archive', 'api', 'form'].map((name) => `objects/${name}`),
  ...['ends', 'free', 'complete', 'parts', 'checksums', 'api'].map((name) => `uploads/${name}`),
  'images/api',
  's3/objects',
].map((name) => `tests/${name}.test.ts`)
/** Bytes of test files in one process, at most. */
const MOST = 64 * 1024
/** The same where there are few files, or long ones: so that at the end no process has far more left than the others. */
export const FEWER = 32 * 1024

/**
 * Has several test files share a process: starting one costs as much as a file's tests do. Returns the files to run: each
 * is written to `folder` and imports some of the given ones. Reporters still name a test's own file.
 */
export function groupFiles(files: readonly string[], folder: string, most = MOST): string[] {
  const rank = (file: string) => (SLOW.includes(path.dirname(file)) ? 0 : 1)
  const groups: string[][] = []
  let left = 0
  for (const file of files.toSorted((one, other) => rank(one) - rank(other))) {
    const { size } = fs.statSync(file)
    if (ALONE.includes(file)) {
      groups.unshift([file])
      continue
    }
    if (size <= left) groups.at(-1)?.push(file)
    else {
      groups.push([file])
      left = most
    }
    left -= size
  }
  fs.mkdirSync(folder, { recursive: true })
  return groups.map((group, at) => {
    // The runner takes them in the order of their names.
    const written = path.join(folder, `${String(at).padStart(3, '0')}.test.ts`)
    fs.writeFileSync(written, group.map((file) => `import '${pathToFileURL(file)}'\n`).join(''))
    return written
  })
}
