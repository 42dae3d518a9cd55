/** Short receivers. None of them contains the secret. */
export const snippets = {
  Node: `import { createHmac, timingSafeEqual } from ${"'node:crypto'"}

function isOurs(rawBody, header = '') {
  const mac = createHmac('sha256', process.env.WEBHOOK_SECRET)
  const expected = Buffer.from('sha256=' + mac.update(rawBody).digest('hex'))
  const given = Buffer.from(header) // X-Strongroom-Signature
  return given.length === expected.length && timingSafeEqual(given, expected)
}`,
  Python: `import hashlib, hmac, os

def is_ours(raw_body: bytes, header: str) -> bool:  # X-Strongroom-Signature
    key = os.environ["WEBHOOK_SECRET"].encode()
    expected = "sha256=" + hmac.new(key, raw_body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, header)`,
  Bash: `# $body: a file with the raw body, $signature: X-Strongroom-Signature
expected="sha256=$(openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" -r "$body" | cut -d ' ' -f 1)"
hashed() { printf %s "$1" | openssl dgst -sha256 -r; }
[ "$(hashed "$expected")" = "$(hashed "$signature")" ] && echo ours`,
} as const
