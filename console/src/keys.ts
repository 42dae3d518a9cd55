/** A key's last segment, without a folder's trailing slash. */
export function nameOf(key: string, prefix = ''): string {
  const rest = key.slice(prefix.length)
  return rest.endsWith('/') ? rest.slice(0, -1) : rest
}
export const isFolderKey = (key: string): boolean => key.endsWith('/')
/** The folder of a key or prefix. */
export const parentOf = (key: string): string => key.slice(0, key.lastIndexOf('/', key.length - 2) + 1)
/** The folder that all these keys are in; '' is the bucket itself. */
export function commonParentOf(keys: readonly string[]): string {
  const [first = ''] = keys
  let folder = parentOf(first)
  while (folder !== '' && !keys.every((key) => key.startsWith(folder))) folder = parentOf(folder)
  return folder
}
export const lastSegment = (key: string): string => key.slice(parentOf(key).length)

const hex = (character: string) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
/**
 * A name in readable form: invisible characters and those that change the text direction are escaped, so that no name
 * can look like another.
 */
export const legible = (name: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
  name.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, hex)

/** The path from the bucket to a prefix: each name with its prefix. */
export function stepsTo(prefix: string): { name: string; prefix: string }[] {
  const steps = []
  let from = 0
  for (let slash = prefix.indexOf('/'); slash >= 0; slash = prefix.indexOf('/', from)) {
    steps.push({ name: prefix.slice(from, slash), prefix: prefix.slice(0, slash + 1) })
    from = slash + 1
  }
  if (from < prefix.length) steps.push({ name: prefix.slice(from), prefix })
  return steps
}
