/** Renders the examples of the Helm chart into deploy/chart/ci/rendered, which the tests compare and check. Needs Helm. */
import fs from 'node:fs'
import { EXAMPLES, helm, render, renderedFile, valuesFile } from '../tests/support/chart.ts'

if (!helm) throw new Error('helm is not in PATH: see CONTRIBUTING.md')
for (const example of EXAMPLES) fs.writeFileSync(renderedFile(example), render(valuesFile(example)))
