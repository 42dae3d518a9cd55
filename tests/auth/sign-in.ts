import assert from 'node:assert/strict'
import type { TestServer } from '../support/server.ts'

/** Asserts how people can sign in to a service that is set up: by password alone, unless told otherwise. */
export const assertSignIn = async (
  server: Pick<TestServer, 'as'>,
  { local = true, idp_name = null }: { local?: boolean; idp_name?: string | null } = {},
): Promise<void> =>
  assert.deepEqual(await server.as().authConfig(), {
    local,
    idp: idp_name !== null,
    idp_name,
    // Without PUBLIC_BASE_URL and mail.
    passkeys: false,
    password_reset: false,
    setup_required: false,
    first_sign_in: false,
  })
