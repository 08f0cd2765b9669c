import { CommandError } from './exit-codes.ts'

/** Where a server listens that nobody has told to listen elsewhere. */
export const defaultUrl = 'http://127.0.0.1:8080'

/**
 * The address of a server as it is kept and compared: without an ending slash, query and fragment. Throws `CommandError`
 * where it is none, or where it holds a name or password.
 */
export function serverUrl(text: string): string {
  if (!URL.canParse(text)) throw new CommandError('--url must be an address such as https://cloud.example.com')
  const { host, password, pathname, protocol, username } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') throw new CommandError('--url must begin with http:// or https://')
  if (username !== '' || password !== '')
    throw new CommandError('--url must not hold a name or password: ninefold login')
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`
}

/** Whether what is sent there can be read on its way. */
export function isInTheClear(url: string): boolean {
  const { hostname, protocol } = new URL(url)
  return protocol === 'http:' && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
