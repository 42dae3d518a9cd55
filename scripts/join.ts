import { pathToFileURL } from 'node:url'

interface JoinOptions {
  extension?: 'js' | 'mjs'
  /** What each module is before it is joined with others; it gets a module's text and the file it is in. */
  rewrite?: (code: string, file: string) => string
  /** The file of what is to stay a module of its own, by the name it is imported by; undefined for what is joined. */
  apart?: (name: string) => string | undefined
}

/**
 * Writes each of these modules, by name, as one file with all that it imports: `<name>.<extension>` in `folder`. What
 * several of them need goes to files of its own, next to them.
 */
export async function joinModules(
  input: { readonly [name: string]: string },
  folder: string,
  { extension = 'js', rewrite = (code) => code, apart = () => undefined }: JoinOptions = {},
): Promise<void> {
  const { build } = await import('vite')
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    plugins: [
      {
        name: 'apart',
        enforce: 'pre',
        resolveId(name, _importer, { kind }) {
          const file = apart(name)
          if (file === undefined) return undefined
          return { id: kind === 'require-call' ? file : pathToFileURL(file).href, external: 'absolute' }
        },
        transform: (code, file) => rewrite(code, file),
      },
    ],
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      rollupOptions: {
        input,
        output: { entryFileNames: `[name].${extension}`, chunkFileNames: `[name]-[hash].${extension}` },
        preserveEntrySignatures: 'strict',
      },
    },
  })
}
