/** A number of things, as a sentence has it. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
