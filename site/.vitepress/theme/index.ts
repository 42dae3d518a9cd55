import type { Theme } from 'vitepress'
import base from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import './style.css'

/** Served by Strongroom itself, the site is next to the console. */
const isServedByUs = import.meta.env.BASE_URL === '/help/'
const toConsole = () => (isServedByUs ? h('a', { class: 'to-console', href: '/console/' }, 'Console') : null)

export default {
  extends: base,
  Layout: () => h(base.Layout, null, { 'nav-bar-content-after': toConsole, 'nav-screen-content-after': toConsole }),
} satisfies Theme
