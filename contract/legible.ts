/** Also those of folders in a path. Most names have none, and dozens are shown in a frame. */
const spacesShown = (name: string): string =>
  /^ | $| \/|\/ /.test(name) ? name.split('/').map(endsShown).join('/') : name
function endsShown(part: string): string {
  let [start, end] = [0, part.length]
  while (part[start] === ' ') start++
  while (end > start && part[end - 1] === ' ') end--
  return '␣'.repeat(start) + part.slice(start, end) + '␣'.repeat(part.length - end)
}
const hex = (character: string) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
/**
 * A name in readable form: invisible characters and those that change the text direction are escaped, and spaces at the
 * ends of a name are shown as `␣`, so that no name can look like another.
 */
export const legible = (name: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
  spacesShown(name).replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (one) =>
    hex(one),
  )
