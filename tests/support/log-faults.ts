/**
 * Lines of a service's log about a statement that its database could not make sense of: a fault of ours in any case, but
 * where a test took a table away.
 */
export const brokenStatements = (log: string): string[] =>
  // SQLSTATE class 42 of PostgreSQL without undefined_table; SQLITE_ERROR.
  log
    .split('\n')
    .filter(
      (line) => /"code":"42(?!P01)\w{3}"/.test(line) || (/"errcode":1[,}]/.test(line) && !/no such table/.test(line)),
    )
