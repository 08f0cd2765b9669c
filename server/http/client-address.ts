import { BlockList, isIP } from 'node:net'
import type { Dispatch } from '../../runtime/wire.ts'

const addressKinds = { 4: 'ipv4', 6: 'ipv6' } as const

/** The longest text of an address, IPv4-mapped and with a port: `[ffff:...:255.255.255.255]:65535`. */
const longestAddress = 53

/**
 * The addresses of proxies whose `X-Forwarded-For` is believed: single ones and blocks such as `10.0.0.0/8` or
 * `fd00::/8`. Throws a `RangeError` that names what is neither.
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

/** A zone (`fe80::1%eth0`) means something on one machine only. */
function kindOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address)
  return (version === 4 || version === 6) && !address.includes('%') ? addressKinds[version] : undefined
}

/**
 * Whose call it is: the peer's, unless that is a trusted proxy; then what it says at the right of `X-Forwarded-For`,
 * and so on to the left as long as that is a trusted proxy too. What stands left of the first that is not trusted
 * anybody may have written. Where an entry is no address, the caller is the proxy that passed it on.
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

/** One form for each address, without the port that some proxies add; undefined for what is no address. */
function plainAddress(text: string): string | undefined {
  if (text.length > longestAddress) return undefined
  const [, inBrackets, beforePort] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? []
  const address = inBrackets ?? beforePort ?? text
  const kind = kindOf(address)
  if (kind !== 'ipv6') return kind && address
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? []
  return mapped ?? new URL(`http://[${address}]`).hostname.slice(1, -1)
}

/** Answers as `dispatch` does, each call as one of whom the trusted proxies say it is. */
export const behindProxies =
  (dispatch: Dispatch, proxies: BlockList): Dispatch =>
  request => {
    const forwarded = request.headers['x-forwarded-for'] ?? ''
    return dispatch({ ...request, clientAddress: clientAddressOf(request.clientAddress, forwarded, proxies) })
  }
