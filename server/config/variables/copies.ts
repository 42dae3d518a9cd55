import { integer } from './readers.ts'
/** Variables of second copies, and of how stored bytes are checked. */
export const copiesVariables = {
  MIRROR_TIMEOUT_SECONDS: {
    summary:
      'How long one place of a storage with a mirror may take to answer, or to continue, before the other copy is read, or an upload counts it as down.',
    default: '5',
    read: integer(1, 600),
  },
  SCRUB_DAYS: {
    summary: 'Every stored copy is read and compared with its checksums once in this many days; 0: never.',
    default: '30',
    read: integer(0, 3650),
  },
  SCRUB_MIB_PER_SECOND: {
    summary: 'How much of a place is read for that in a second, at most, by all processes together.',
    default: '20',
    read: integer(1, 100_000),
  },
}
