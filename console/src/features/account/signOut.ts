import { client, leaveEverywhere } from '../../api/session.ts'
import { forgetPlaces } from '../../recent-places.ts'
import { notify } from '../../ui/notify.tsx'

/** Ends the session on the server and clears the page's state. */
export async function signOut(): Promise<void> {
  try {
    await client.logout()
  } catch (error) {
    notify.problem(error)
    return
  }
  forgetPlaces()
  leaveEverywhere()
  location.assign('/console/login')
}
