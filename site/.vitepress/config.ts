import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'vitepress'
import { listPackages } from '../../console/packages.ts'
import { slugify } from '../markdown.ts'
import { PAGES, sidebar } from '../pages.ts'

/**
 * VitePress has a few inline scripts in each page: they set the color scheme before anything is drawn. As files they need
 * no exception in the content security policy.
 */
const scripts = new Map<string, string>()
const moveScripts = (html: string, base: string): string =>
  html.replace(/<script( id="[^"]*")?>([\s\S]+?)<\/script>/g, (_whole, id = '', code: string) => {
    const name = `assets/inline.${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`
    scripts.set(name, code)
    return `<script${id} src="${base}${name}"></script>`
  })

/** What the highlighter tells apart, with the scopes of TextMate grammars; style.css has a color for each. */
const code: { readonly [name: string]: readonly string[] } = {
  text: ['source'],
  keyword: ['keyword', 'storage', 'entity.name.tag', 'variable.language'],
  string: ['string', 'punctuation.definition.string', 'markup.inline'],
  constant: ['constant', 'support.type.property-name', 'constant.other.option', 'variable.other.constant'],
  function: ['entity.name.function', 'support.function', 'entity.name.command'],
  parameter: [
    'variable.other.normal',
    'variable.parameter',
    'punctuation.definition.variable',
    'entity.other.attribute-name',
  ],
  comment: ['comment', 'punctuation.definition.comment'],
}
/** Stands for a color until it becomes a class: without `style` attributes, the policy needs no exception for them. */
const colorOf = (name: string): string => `#0000${(Object.keys(code).indexOf(name) + 16).toString(16).toUpperCase()}`
const codeTheme = {
  name: 'strongroom',
  type: 'light' as const,
  colors: { 'editor.foreground': colorOf('text'), 'editor.background': '#000000' },
  settings: Object.entries(code).map(([name, scope]) => ({
    scope: [...scope],
    settings: { foreground: colorOf(name) },
  })),
}
const classesOfCode = (html: string): string =>
  html
    .replace(/ style="color:(#[0-9A-Fa-f]{6})"/g, (_whole, color: string) => {
      const name = Object.keys(code).find((one) => colorOf(one) === color.toUpperCase())
      if (!name) throw new Error(`The highlighter has no name for ${color}.`)
      return name === 'text' ? '' : ` class="code-${name}"`
    })
    .replace(/(<pre[^>]*) style="[^"]*"/g, '$1')

export default defineConfig({
  title: 'Strongroom',
  description: 'The control plane of object storage',
  lang: 'en',
  srcDir: path.relative(path.join(import.meta.dirname, '..'), PAGES),
  outDir: path.join(import.meta.dirname, '../dist'),
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${process.env.SITE_BASE ?? '/help/'}mark.svg` }]],
  base: process.env.SITE_BASE ?? '/help/',
  metaChunk: true,
  // Without transitions being paused by an inline style.
  appearance: { disableTransition: false },
  useWebFonts: false,
  markdown: {
    html: false,
    attrs: { disable: true },
    emoji: { enabled: [] },
    anchor: { slugify },
    theme: codeTheme,
    config: (md) => {
      const { text, image, fence } = md.renderer.rules
      if (!text || !image || !fence) throw new Error('The Markdown renderer has no rules to extend.')
      // Vue would evaluate these as expressions.
      md.renderer.rules.text = (...given) => text(...given).replaceAll('{{', '&#123;&#123;')
      md.renderer.rules.fence = (...given) => classesOfCode(fence(...given))
      // Pictures of the console come in light and dark.
      md.renderer.rules.image = (...given) => {
        const html = image(...given).replace('<img ', '<img loading="lazy" ')
        if (!html.includes('-light-')) return html
        const show = (scheme: string) =>
          html.replace('-light-', `-${scheme}-`).replace('<img ', `<img class="${scheme}-only" `)
        return show('light') + show('dark')
      }
    },
  },
  // VitePress puts each page into an element with this style; style.css has it.
  transformHtml: (html, _id, { siteConfig }) =>
    moveScripts(html, siteConfig.site.base).replace(/ style="(position:relative;|--vp-vh:0px;)"/g, ''),
  buildEnd({ outDir }) {
    for (const [name, code] of scripts) fs.writeFileSync(path.join(outDir, name), code)
  },
  vite: {
    plugins: [listPackages() as never],
    publicDir: path.join(PAGES, 'public'),
    build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 3000 },
  },
  themeConfig: {
    logo: '/mark.svg',
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: 'Previous', next: 'Next' },
    notFound: {
      quote: 'The link may be wrong, or the page has moved. The search at the top finds it.',
      linkText: 'To the start',
    },
  },
})
