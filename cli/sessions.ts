import { readFile } from 'node:fs/promises'
import { signIn } from '../client/sign-in.ts'
import { activateUser, lookupCredentialToken } from '../output/iam/routes.ts'
import { send } from '../runtime/transport.ts'
import { askLine, askPassword } from './ask.ts'
import { CommandError } from './exit-codes.ts'
import { keep, keptSession, plainTransport } from './kept-session.ts'
import { printable } from './printable.ts'
import { defaultUrl, isInTheClear, serverUrl } from './server-url.ts'
import { configFolder, SessionFile } from './session-file.ts'

/** Returns the file with the session of the person at this machine. */
export const sessionFile = (): SessionFile => new SessionFile(configFolder(process.env))

/** Asks for a password, signs in, and keeps the tokens. */
export async function login({ email, url }: { readonly email?: string; readonly url?: string }): Promise<void> {
  const file = sessionFile()
  const baseUrl = await target(file, url)
  if (email === undefined && !process.stdin.isTTY)
    throw new CommandError('--email is needed where standard input is no terminal')
  const address = email ?? (await askLine('address: '))
  const password = await askPassword(`password of ${printable(address)} at ${baseUrl}: `)
  await enter(file, baseUrl, { email: address, password })
}

/** Sets the first password of the user to whom a token belongs, and signs in. */
export async function activate({
  tokenFile,
  url,
}: {
  readonly tokenFile: string
  readonly url?: string
}): Promise<void> {
  const file = sessionFile()
  const baseUrl = await target(file, url)
  const transport = plainTransport(baseUrl)
  const token = await readToken(tokenFile)
  const { email, password_min_length: least } = await send(transport, lookupCredentialToken, { body: { token } })
  const password = await askPassword(`new password of ${printable(email)}, ${least} characters or more: `, true)
  await send(transport, activateUser, { body: { token, password } })
  await enter(file, baseUrl, { email, password })
}

/** Removes the session file first, and then ends the session on the server. */
export async function logout(): Promise<void> {
  const file = sessionFile()
  const kept = await file.exclusive(async () => {
    const found = await file.read()
    await file.remove()
    return found
  })
  if (kept === undefined) return say('nobody is signed in')
  await keptSession(file, kept).signOut()
  say(`signed out of ${kept.base_url}`)
}

async function enter(
  file: SessionFile,
  baseUrl: string,
  credentials: { readonly email: string; readonly password: string },
): Promise<void> {
  const { tokens } = await signIn(plainTransport(baseUrl), credentials)
  await file.exclusive(() => keep(file, baseUrl, tokens))
  say(`signed in to ${baseUrl} as ${printable(credentials.email)}`)
}

/**
 * Returns the address of the server: `url`, the server of the kept session, or the default. Warns of an unencrypted
 * connection. A malformed session file must not prevent a new sign-in.
 */
async function target(file: SessionFile, url: string | undefined): Promise<string> {
  const baseUrl = serverUrl(url ?? (await keptUrl(file)) ?? defaultUrl)
  if (isInTheClear(baseUrl)) say(`warning: passwords travel to ${baseUrl} in the clear; use https://`)
  return baseUrl
}

async function keptUrl(file: SessionFile): Promise<string | undefined> {
  try {
    return (await file.read())?.base_url
  } catch (error) {
    if (error instanceof CommandError) return undefined
    throw error
  }
}

async function readToken(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new CommandError(`${path} cannot be read (${code}): name the file of the token with --token-file`)
  }
}

/** Writes a line to standard error, because standard output carries results only. */
const say = (text: string): void => void process.stderr.write(`${text}\n`)
