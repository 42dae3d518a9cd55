/** How the response to a GET ended. */
export interface Delivery {
  status: number
  /** Bytes of the body that were handed to the connection. */
  bytes: number
  /** Whether the whole body was. */
  complete: boolean
}
