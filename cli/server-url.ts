import { CommandError } from './exit-codes.ts'

/** The address at which a server listens by default. */
export const defaultUrl = 'http://127.0.0.1:8080'

/**
 * Returns the address of a server as the commands store and compare addresses: without trailing slashes, query and
 * fragment. Throws `CommandError` if the text is no HTTP address, or if the address has a user name or password.
 */
export function serverUrl(text: string): string {
  if (!URL.canParse(text)) throw new CommandError('--url must be an address such as https://cloud.example.com')
  const { host, password, pathname, protocol, username } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') throw new CommandError('--url must begin with http:// or https://')
  if (username !== '' || password !== '')
    throw new CommandError('--url must not hold a name or password: ninefold login')
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`
}

/** True if a request to the address travels unencrypted over a network. */
export function isInTheClear(url: string): boolean {
  const { hostname, protocol } = new URL(url)
  return protocol === 'http:' && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
