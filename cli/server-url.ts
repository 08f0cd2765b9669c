import { CommandError } from './exit-codes.ts'

/** The address at which a server listens by default. */
export const defaultUrl = 'http://127.0.0.1:8080'

/**
 * Returns an address of a server in the form in which it is kept and compared: without an ending slash, query and
 * fragment. Throws `CommandError` if the text is no such address, or if it holds a user name or password.
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
