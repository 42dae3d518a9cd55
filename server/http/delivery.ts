/** How the answer to a GET ended. */
export interface Delivery {
  status: number
  /** Bytes of the body that were handed to the connection. */
  bytes: number
  /** Whether all of it was. */
  complete: boolean
}
