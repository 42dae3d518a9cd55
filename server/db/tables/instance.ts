/** What this database is. */
export interface InstanceTables {
  /** One row, made with the table. */
  instance: {
    /** The storage of this database has it too. */
    id: string
    /** Of the SECRET_KEY it is used with; null until the first start. */
    key_fingerprint: string | null
    created_at: string
  }
}
