/** A part of an OpenAPI document with its references resolved. */
export function resolved<T>(part: T, document: object): T {
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map((one) => resolved(one, document)) as T
  if ('$ref' in part) {
    const path = String(part.$ref).replace('#/', '').split('/')
    const found = path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document)
    return resolved(found as T, document)
  }
  return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, resolved(one, document)])) as T
}
