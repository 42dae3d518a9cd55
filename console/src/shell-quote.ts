/** A value in single quotes, for a shell. */
export const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`
