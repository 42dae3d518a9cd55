import { build, type Plugin, type Rolldown } from 'vite'

/** Where the script goes in the page. */
const PLACE = '<script id="early"></script>'

/** Writes the script that runs before all others (`src/early.ts`) into the page, with the names of the files that it loads. */
export const early = (): Plugin => ({
  name: 'early',
  transformIndexHtml: {
    order: 'post',
    async handler(html, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
      const filesOf = (name: string, source: string): string[] => {
        const chunk = chunks.find((one) => one.name === name && one.moduleIds.some((id) => id.endsWith(source)))
        return chunk ? [chunk.fileName, ...(chunk.viteMetadata?.importedCss ?? [])] : []
      }
      const languages = chunks.flatMap(({ facadeModuleId, fileName }) => {
        const [, tag] = /\/languages\/([\w-]+)\/frame\.ts$/.exec(facadeModuleId ?? '') ?? []
        return tag ? [[tag, fileName]] : []
      })
      const files = {
        frame: filesOf('frame', '/shell/Shell.tsx'),
        home: filesOf('home', '/home/Home.tsx'),
        browse: filesOf('browse', '/browse/Browse.tsx'),
        languages: Object.fromEntries(languages),
      }
      const code = `globalThis.earlyFiles=${JSON.stringify(files)};${await script()}`
      if (!html.includes(PLACE)) throw new Error(`The page has no ${PLACE}`)
      return html.replace(PLACE, () => `<script>${code}</script>`)
    },
  },
})

async function script(): Promise<string> {
  const { output } = (await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      rolldownOptions: { input: `${import.meta.dirname}/src/early.ts`, output: { format: 'iife' } },
      modulePreload: { polyfill: false },
    },
  })) as Rolldown.RolldownOutput
  return output[0].code.trim()
}
