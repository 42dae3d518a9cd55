import { quoted } from '../../shell-quote.ts'

/** What a program needs to know to call the API. */
export interface Calls {
  /** Where the service is. */
  url: string
  bucket: string
  /** Below which it may read and write. */
  prefix: string
  token: string
  /** Without calls that write. */
  readOnly: boolean
}

/** A value in single quotes, for TypeScript. */
const script = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** First calls for each kind of program, ready to paste. */
export function callsOf({ url, bucket, prefix, token, readOnly }: Calls) {
  const api = `${url}/api/v1/buckets/${bucket}/objects`
  const below = prefix === '' ? '' : `&prefix=${encodeURIComponent(prefix)}`
  const example = `${prefix}example.txt`
  const path = example.split('/').map(encodeURIComponent).join('/')
  const header = '-H "Authorization: Bearer $STRONGROOM_TOKEN"'
  return {
    curl: `export STRONGROOM_TOKEN=${quoted(token)}

curl ${header} \\
  ${quoted(`${api}?limit=10${below}`)}${
    readOnly
      ? ''
      : `

curl ${header} -T example.txt \\
  ${quoted(`${api}/${path}`)}`
  }`,
    CLI: `export STRONGROOM_URL=${quoted(url)}
export STRONGROOM_TOKEN=${quoted(token)}

npx strongroom ls ${quoted(`sr:${bucket}/${prefix}`)}${
      readOnly
        ? ''
        : `
npx strongroom cp example.txt ${quoted(`sr:${bucket}/${example}`)}`
    }`,
    TypeScript: `import { createClient } from 'strongroom/client'

const client = createClient({
  baseUrl: ${script(url)},
  token: ${script(token)},
})
const params = { bucket: ${script(bucket)} }
for await (const object of client.all.listObjects({ params${
      prefix === '' ? '' : `, query: { prefix: ${script(prefix)} }`
    } }))
  console.log(object.key, object.size)`,
  }
}
