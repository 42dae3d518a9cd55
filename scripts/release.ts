import fs from 'node:fs'
import path from 'node:path'

/**
 * For the release workflow: `check v1.2.3` fails unless package.json and CHANGELOG.md have that version, and `notes v1.2.3`
 * prints its section of the changelog.
 */
const root = path.dirname(import.meta.dirname)

/** What is wrong with a tag; empty if it can be released. */
export function findFaults(tag: string, { version, changelog }: { version: string; changelog: string }): string[] {
  const faults: string[] = []
  if (!/^v\d+\.\d+\.\d+(-[\w.]+)?$/.test(tag)) return [`${tag} is not of the form v1.2.3`]
  if (tag !== `v${version}`) faults.push(`package.json has version ${version}`)
  const notes = notesOf(tag, changelog)
  if (notes === undefined) faults.push(`CHANGELOG.md has no heading "## [${tag.slice(1)}] - " with a date`)
  else if (notes === '') faults.push(`CHANGELOG.md says nothing about ${tag.slice(1)}`)
  return faults
}

/** The text below a version's heading; undefined without one that has a date. */
export function notesOf(tag: string, changelog: string): string | undefined {
  const sections = changelog.split(/^(?=## )/m)
  const section = sections.find((one) => one.startsWith(`## [${tag.slice(1)}] - `))
  if (!section || !/^## \[[^\]]+\] - \d{4}-\d{2}-\d{2}\n/.test(section)) return undefined
  return section.slice(section.indexOf('\n')).trim()
}

if (import.meta.main) {
  const [, , command, tag = ''] = process.argv
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
  const changelog = fs.readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')
  const faults = findFaults(tag, { version, changelog })
  if (faults.length > 0) {
    process.stderr.write(`${faults.join('\n')}\n`)
    process.exitCode = 1
  } else if (command === 'notes') process.stdout.write(`${notesOf(tag, changelog)}\n`)
}
