/** The last segment of a key, without the slash that ends a folder's. */
export function nameOf(key: string, prefix = ''): string {
  const rest = key.slice(prefix.length)
  return rest.endsWith('/') ? rest.slice(0, -1) : rest
}
export const isFolderKey = (key: string): boolean => key.endsWith('/')
/** The folder a key or prefix lies in. */
export const parentOf = (key: string): string => key.slice(0, key.lastIndexOf('/', key.length - 2) + 1)
export const lastSegment = (key: string): string => key.slice(parentOf(key).length)

const hex = (character: string) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
/**
 * A name as it can be read: what has no shape of its own or turns the order of letters around is spelled out, so that
 * no name can pass for another.
 */
export const legible = (name: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
  name.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, hex)

/** The steps from the bucket to a prefix: each name with the prefix it leads to. */
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
