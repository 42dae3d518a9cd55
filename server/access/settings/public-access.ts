import { settingsInForce } from './effective.ts'

/** Whether anything can be public. */
export const isPublicAccessOn = async (from: Parameters<typeof settingsInForce>[0]): Promise<boolean> =>
  (await settingsInForce(from)).s3.public_access
