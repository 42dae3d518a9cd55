/** This process is number `n` of `of` on one machine: what they share is divided among them. */
export interface Share {
  n: number
  of: number
}
