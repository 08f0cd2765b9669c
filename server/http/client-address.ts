import { BlockList, isIP } from 'node:net'
import type { Dispatch } from '../../runtime/wire.ts'

const addressKinds = { 4: 'ipv4', 6: 'ipv6' } as const

/** The length of the longest address in characters, IPv4-mapped and with a port: `[ffff:...:255.255.255.255]:65535`. */
const longestAddress = 53

/**
 * Returns the addresses of proxies whose `X-Forwarded-For` is trusted: single addresses and blocks such as `10.0.0.0/8`
 * or `fd00::/8`. Throws a `RangeError` that names an invalid entry.
 */
export function proxyList(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [, address = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
    const kind = kindOf(address)
    const bits = kind === 'ipv4' ? 32 : 128
    if (kind === undefined || Number(prefix ?? bits) > bits) throw new RangeError(entry)
    list.addSubnet(address, Number(prefix ?? bits), kind)
  }
  return list
}

/**
 * Returns the kind of an address; undefined for another text, and for an address with a zone (`fe80::1%eth0`), which
 * has a meaning on one machine only.
 */
function kindOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address)
  return (version === 4 || version === 6) && !address.includes('%') ? addressKinds[version] : undefined
}

/**
 * Returns the address of the caller: the peer, unless the peer is a trusted proxy. Then the entries of
 * `X-Forwarded-For` are read from the right, as long as they are trusted proxies. Entries to the left of the first
 * untrusted address may be forged. If an entry is no address, the proxy that added it is the caller.
 */
export function clientAddressOf(peer: string, forwarded: string, proxies: BlockList): string {
  let address = plainAddress(peer) ?? peer
  let end = forwarded.length
  while (end > 0 && isTrusted(address, proxies)) {
    const comma = forwarded.lastIndexOf(',', end - 1)
    const named = plainAddress(forwarded.slice(comma + 1, end).trim())
    if (named === undefined) return address
    address = named
    end = comma
  }
  return address
}

function isTrusted(address: string, proxies: BlockList): boolean {
  const kind = kindOf(address)
  return kind !== undefined && proxies.check(address, kind)
}

/** Returns an address in its canonical form, without the port that some proxies add; undefined for other text. */
function plainAddress(text: string): string | undefined {
  if (text.length > longestAddress) return undefined
  const [, inBrackets, beforePort] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? []
  const address = inBrackets ?? beforePort ?? text
  const kind = kindOf(address)
  if (kind !== 'ipv6') return kind && address
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? []
  return mapped ?? new URL(`http://[${address}]`).hostname.slice(1, -1)
}

/** Wraps a dispatch so that each call has the address that trusted proxies report. */
export const behindProxies =
  (dispatch: Dispatch, proxies: BlockList): Dispatch =>
  request => {
    const forwarded = request.headers['x-forwarded-for'] ?? ''
    return dispatch({ ...request, clientAddress: clientAddressOf(request.clientAddress, forwarded, proxies) })
  }
