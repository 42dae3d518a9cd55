import { ACCESS_KEY_ID, EMAIL, isBucketName, SECRET_ACCESS_KEY } from '../../../contract/names.ts'
import { list, matching } from './readers.ts'

/** A bucket that a start creates unless it exists. */
export interface BootstrapBucket {
  name: string
  /** Gigabytes of 1024³ bytes; undefined: what the settings say for new buckets. */
  quotaGb?: number
  versioned: boolean
}

const GIGABYTES: Record<string, number> = { MB: 1 / 1024, GB: 1, TB: 1024 }

/** Reads `name[:50GB][:versioned]`. */
function readBucket(text: string): BootstrapBucket {
  const [name = '', ...options] = text.split(':').map((one) => one.trim())
  if (!isBucketName(name)) throw new Error(`has "${name}", which is not a name for a bucket`)
  const bucket: BootstrapBucket = { name, versioned: false }
  for (const option of options) {
    const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(MB|GB|TB)$/i.exec(option) ?? []
    const quotaGb = Number(number) * (GIGABYTES[unit.toUpperCase()] ?? 0)
    if (option === 'versioned' && !bucket.versioned) bucket.versioned = true
    else if (quotaGb > 0 && quotaGb <= 1_000_000 && bucket.quotaGb === undefined) bucket.quotaGb = quotaGb
    else throw new Error(`has "${option}" for ${name}; it can be a quota, such as 50GB, or "versioned", each once`)
  }
  return bucket
}

/** What a start creates, if it does not exist. */
export const bootstrapVariables = {
  BOOTSTRAP_ADMIN_EMAIL: {
    summary: 'Email of the first administrator, created on the first start without users.',
    default: 'admin@strongroom.local',
    read: matching(new RegExp(EMAIL), 'an email address'),
  },
  BOOTSTRAP_ADMIN_PASSWORD: {
    secret: true,
    summary: 'The first administrator’s password, 8–72 bytes. Without it, one is generated and printed once.',
    default: '',
    read: (text: string) => {
      const bytes = Buffer.byteLength(text.normalize('NFKC'))
      if (text !== '' && (bytes < 8 || bytes > 72)) throw new Error('must have 8 to 72 bytes')
      return text
    },
  },
  BOOTSTRAP_ACCESS_KEY_ID: {
    summary:
      'ID of an access key that a start creates for the first administrator unless it exists: the one with BOOTSTRAP_ADMIN_EMAIL, otherwise the oldest. An existing key is never changed; a difference is logged as a warning.',
    default: '',
    read: (text: string) =>
      text === '' ? '' : matching(new RegExp(ACCESS_KEY_ID), '3 to 128 letters, digits, dots, _ and -')(text),
  },
  BOOTSTRAP_SECRET_ACCESS_KEY: {
    secret: true,
    summary: 'The secret of BOOTSTRAP_ACCESS_KEY_ID, 8 to 128 printable characters.',
    default: '',
    read: (text: string) =>
      text === '' ? '' : matching(new RegExp(SECRET_ACCESS_KEY), '8 to 128 printable characters')(text),
  },
  BOOTSTRAP_BUCKETS: {
    summary:
      'Comma-separated buckets that a start creates unless they exist, each with an optional quota and `versioned`: `photos,backups:50GB,logs:versioned`. An existing bucket is never changed; a difference is logged as a warning.',
    default: '',
    read: (text: string) => {
      const buckets = list(text).map(readBucket)
      const names = new Set<string>()
      for (const { name } of buckets) {
        if (names.has(name)) throw new Error(`has "${name}" twice`)
        names.add(name)
      }
      return buckets
    },
  },
}
