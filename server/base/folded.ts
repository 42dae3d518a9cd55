/** A name or address as it is compared and searched for: without blanks around it, and whatever its case and form in Unicode. */
export const folded = (text: string): string => text.trim().normalize('NFKC').toLowerCase()
