/** What to show of a redirect URI of OAuth: its host, or the scheme of an application; and whether that is on the machine of the browser. */
export function redirectPlace(uri: string): { redirect_host: string; on_this_machine: boolean } {
  const { protocol, host } = new URL(uri)
  return {
    redirect_host: /^https?:$/.test(protocol) ? host : protocol.slice(0, -1),
    // At a port of it, or in an application.
    on_this_machine: protocol !== 'https:',
  }
}
