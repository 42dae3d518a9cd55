import type { Sent } from '../../../contract/actions.ts'
import type { Sender } from '../../../contract/shares.ts'

/** What an upload through a link records of where it is from. */
export const sentBy = (share_id: string, { name, message }: Sender): Sent => ({
  share_id,
  ...(name === null ? {} : { sender_name: name }),
  ...(message === null ? {} : { sender_message: message }),
})
