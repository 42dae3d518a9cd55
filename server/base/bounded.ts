/** Sets an entry of a map that keeps at most `most`: beyond that, the one that was set first goes. */
export function setWithin<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.set(key, value)
  if (map.size > most) map.delete(map.keys().next().value as K)
}
