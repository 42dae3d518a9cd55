import { randomText } from '../../secrets/random.ts'

/** What the ids of agents' key pairs begin with; those that people make for themselves begin otherwise. */
export const AGENT_KEY_START = 'STRA'
const ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A new id: 80 random bits, in the form that S3 clients expect. */
export const newAgentKeyId = (): string => AGENT_KEY_START + randomText(ID_ALPHABET, 16)
