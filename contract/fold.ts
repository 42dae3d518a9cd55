/**
 * Folds case letter by letter, as the indexes of keys do: JavaScript's result for Σ depends on the letters around it, and its
 * İ becomes two characters. So a place in the result is that place in the text.
 */
export const fold = (text: string): string =>
  text.replaceAll(/[Σς]/g, 'σ').replaceAll(/[^İ]+/g, (letters) => letters.toLowerCase())
