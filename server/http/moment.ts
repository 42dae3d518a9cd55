import type http from 'node:http'
import { formatMoment } from '../base/moment.ts'

/** The header that says at which moment a request has changed its bucket: an RFC 3339 time, to be asked for as `at`. */
export const MOMENT_HEADER = 'x-strongroom-moment'

/** Sets that header of a response, as long as its head has not been sent. */
export const momentHeader =
  (response: http.ServerResponse) =>
  (moment: number): void => {
    if (!response.headersSent) response.setHeader(MOMENT_HEADER, formatMoment(moment))
  }
