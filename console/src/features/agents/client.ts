import type { Agent } from '../../../../contract/agents.ts'
import { legible } from '../../keys.ts'
import { text } from './messages.ts'

/** The client that an agent was made for, and where it got its access. */
export const clientWords = ({ name, redirect_host, on_this_machine }: NonNullable<Agent['client']>): string => {
  const place = legible(redirect_host)
  return text.ofClient(legible(name), on_this_machine ? text.thisMachine(place) : place)
}
