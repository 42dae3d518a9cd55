#!/usr/bin/env node
import fs from 'node:fs'

// A checkout runs its sources; the package has them compiled, because Node strips no types below node_modules.
const source = new URL('../cli/strongroom.ts', import.meta.url)
const compiled = new URL('../dist/cli/strongroom.js', import.meta.url)
const strips = Number.parseInt(process.versions.node, 10) >= 24
const found = strips && fs.existsSync(source) ? source : compiled
if (fs.existsSync(found)) await import(found.href)
else {
  console.error(`strongroom: a checkout needs Node 24 (this is ${process.version}) or "npm run build".`)
  process.exitCode = 1
}
