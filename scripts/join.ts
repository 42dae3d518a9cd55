/**
 * Writes each of these modules, by name, as one file with all that it imports: `<name>.<extension>` in `folder`. What
 * several of them need goes to files of its own, next to them.
 */
export async function joinModules(
  input: { readonly [name: string]: string },
  folder: string,
  extension: 'js' | 'mjs' = 'js',
): Promise<void> {
  const { build } = await import('vite')
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
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
