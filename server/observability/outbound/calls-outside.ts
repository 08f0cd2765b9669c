import type {
  OutboundCalls,
  OutboundRequest,
  OutboundResponse,
  PlainHttp,
} from '../../../domain/observability/outbound/outbound-calls.ts'
import { AddressRules } from './address-rules.ts'
import { addressesOf, hostOf, systemResolver, type HostAddress, type ResolveName } from './named-addresses.ts'
import { request } from './request.ts'

/** The longest time in which the name of a new target is resolved, in milliseconds; it then counts as unknown. */
const resolveMs = 5_000

/** Sends requests to the addresses that the rules allow (observability.md 4.7). */
export class CallsOutside implements OutboundCalls {
  readonly #rules: AddressRules
  readonly #resolve: ResolveName

  /** Takes the networks of `observability.allow_private_targets`. */
  constructor(allowedNetworks: readonly string[], resolve: ResolveName = systemResolver) {
    this.#rules = new AddressRules(allowedNetworks)
    this.#resolve = resolve
  }

  async refusal(text: string, http: PlainHttp): Promise<string | undefined> {
    const url = urlOf(text)
    if (typeof url === 'string') return url
    const isPlain = needsPrivate(url, http)
    const addresses = await this.#addresses(url)
    if (addresses === undefined) return isPlain ? needsTls : undefined
    return this.#fault(addresses) ?? (isPlain && !this.#areAllowed(addresses) ? needsTls : undefined)
  }

  async send(outbound: OutboundRequest): Promise<OutboundResponse> {
    const url = urlOf(outbound.url)
    if (typeof url === 'string') throw new Error(`the URL ${url}`)
    const resolve = async (): Promise<readonly HostAddress[]> => {
      const addresses = await addressesOf(this.#resolve, hostOf(url))
      const isPlain = needsPrivate(url, outbound.http) && !this.#areAllowed(addresses)
      const fault =
        addresses.length === 0 ? 'has no address' : (this.#fault(addresses) ?? (isPlain ? needsTls : undefined))
      if (fault !== undefined) throw new Error(`the URL ${fault}`)
      return addresses
    }
    return request(url, outbound, resolve)
  }

  /** Returns the addresses of the host of a URL; undefined if its name has none, or is not resolved in time. */
  async #addresses(url: URL): Promise<readonly HostAddress[] | undefined> {
    const { promise: late, resolve: give } = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => give(undefined), resolveMs)
    const found = addressesOf(this.#resolve, hostOf(url)).catch(() => undefined)
    const addresses = await Promise.race([found, late])
    clearTimeout(timer)
    return addresses?.length === 0 ? undefined : addresses
  }

  /** Returns the fault of a host with these addresses; a host with one forbidden address is forbidden. */
  #fault(addresses: readonly HostAddress[]): string | undefined {
    const fault = addresses.map(({ address }) => this.#rules.fault(address)).find(found => found !== undefined)
    return fault === undefined ? undefined : `leads to ${fault}, which the operator of the platform does not allow`
  }

  #areAllowed(addresses: readonly HostAddress[]): boolean {
    return addresses.every(({ address }) => this.#rules.isAllowed(address))
  }
}

const needsTls = 'must be https, unless it leads to an address that the operator of the platform allows'

/** Whether a URL may lead to addresses that the operator allows by name only. */
const needsPrivate = ({ protocol }: URL, http: PlainHttp = 'allowed'): boolean =>
  protocol === 'http:' && http === 'to-private-targets'

/** Parses the URL of a request; returns its fault as the end of a sentence. */
function urlOf(text: string): URL | string {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return 'must be an http or https URL'
  return url.username !== '' || url.password !== '' ? 'must have no user name and no password' : url
}
