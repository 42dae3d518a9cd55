// The identity provider that the suite's tests of web identities name: at a port and a path that they have written out.
import { once } from 'node:events'
import http from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

const PORT = 8080
const REALM = 'demorealm'
const PATH = `/auth/realms/${REALM}`
const ISSUER = `http://localhost:${PORT}${PATH}`
const CLIENT = 'account'
const SUBJECT = 'a-service-account'

/** Starts it. `section` is what the suite's configuration says of it. */
export async function startIdentityProvider(): Promise<{ section: Record<string, string>; stop(): void }> {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const documents: { readonly [path: string]: object } = {
    [`${PATH}/.well-known/openid-configuration`]: { issuer: ISSUER, jwks_uri: `${ISSUER}/certs` },
    [`${PATH}/certs`]: { keys: [{ ...(await exportJWK(publicKey)), kid: 'suite', alg: 'RS256', use: 'sig' }] },
  }
  const server = http.createServer(({ url = '' }, response) => {
    const document = Object.hasOwn(documents, url) ? documents[url] : undefined
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(document ?? {}))
  })
  server.listen(PORT, '127.0.0.1')
  await once(server, 'listening')
  const sign = (claims: object) =>
    new SignJWT({ azp: CLIENT, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'suite' })
      .setIssuer(ISSUER)
      .setAudience(CLIENT)
      .setSubject(SUBJECT)
      .setIssuedAt()
      .setExpirationTime('1 day')
      .sign(privateKey)
  const tags = { principal_tags: { Department: ['Engineering', 'Marketing'] }, transitive_tag_keys: [] }
  return {
    section: {
      thumbprint: 'F'.repeat(40),
      aud: CLIENT,
      token: await sign({}),
      KC_REALM: REALM,
      sub: SUBJECT,
      azp: CLIENT,
      user_token: await sign({ 'https://aws.amazon.com/tags': tags }),
    },
    stop: () => void server.close(),
  }
}
