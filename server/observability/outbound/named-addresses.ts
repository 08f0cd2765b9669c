import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'

/** An address of a host. */
export interface HostAddress {
  readonly address: string
  readonly family: number
}

/** Returns the addresses of a name; rejects if the name has none. */
export type ResolveName = (name: string) => Promise<readonly HostAddress[]>

/** Resolves names as the host does. */
export const systemResolver: ResolveName = name => lookup(name, { all: true })

/** Returns the host of a URL without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string =>
  hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname

/** Returns the addresses of a host, which is a name or an address itself. Rejects if a name has no address. */
export async function addressesOf(resolve: ResolveName, host: string): Promise<readonly HostAddress[]> {
  const family = isIP(host)
  return family === 0 ? resolve(host) : [{ address: host, family }]
}
