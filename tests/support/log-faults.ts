/**
 * Log lines about a statement that the database could not parse: always our fault, except if a test removed a
 * table.
 */
export const brokenStatements = (log: string): string[] =>
  // SQLSTATE class 42 of PostgreSQL without undefined_table; SQLITE_ERROR.
  log
    .split('\n')
    .filter(
      (line) => /"code":"42(?!P01)\w{3}"/.test(line) || (/"errcode":1[,}]/.test(line) && !/no such table/.test(line)),
    )
