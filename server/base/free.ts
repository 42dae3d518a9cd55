/**
 * Frees the memory of bytes at once; nothing may read them afterwards. Left to the garbage collector, some hundred KB for
 * each of a few requests make it scan all objects several times a second. Ignores bytes that share their memory with others.
 */
export function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
