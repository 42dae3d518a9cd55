/**
 * Where a package of package-lock.json finds another: in the innermost node_modules around it. `from` is the package's own
 * place, empty for the root. Undefined if it is in none of them.
 */
export function findPackage(packages: object, from: string, name: string): string | undefined {
  for (let around = from; ; around = around.slice(0, Math.max(around.lastIndexOf('/node_modules/'), 0))) {
    const place = around === '' ? `node_modules/${name}` : `${around}/node_modules/${name}`
    if (place in packages) return place
    if (around === '') return undefined
  }
}
