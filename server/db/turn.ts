/**
 * The right to write to a SQLite file that several processes of one service share. SQLite's own lock is what keeps two
 * of them from writing at once; but it has no queue, and waiting for it means asking again and again. A turn is handed out
 * in the order in which it was asked for, and a process keeps it until another one wants it.
 */
export interface WriteTurn {
  /** Asks for the turn: resolves when this process has it; undefined if it has it still. Once before each `end`. */
  take(): Promise<void> | undefined
  /** What was written is committed. Another process that wants the turn gets it now. */
  end(): void
  /** Whether another process wants the turn that this one has. */
  wanted(): boolean
  /** Calls `hurry` when another process begins to want the turn between a `take` and its `end`. */
  onWanted(hurry: () => void): void
}
