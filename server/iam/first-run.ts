import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import type { AdministratorServices } from '../../domain/iam/users/administrator-account.ts'
import { beginFirstRun } from '../../domain/iam/users/first-run.ts'
import type { SignIn } from '../access/platform-access.ts'
import type { Log } from '../log.ts'
import type { BootstrapFile } from './bootstrap-file.ts'
import { type BootstrapSettings, defaultAdministrator } from '../account-settings.ts'

/** The parts for creating the first administrator. */
export interface FirstRunOptions {
  readonly settings: BootstrapSettings | undefined
  readonly file: BootstrapFile
  readonly log: Log
}

/**
 * Creates the first administrator, or mints a new token while no token was used, and returns the instructions for
 * signing in. The token is in the file only.
 */
export async function prepareFirstRun(parts: AdministratorServices, options: FirstRunOptions): Promise<SignIn> {
  const { file, log, settings } = options
  const email = settings?.adminEmail ?? defaultAdministrator
  if (email === '') return signIn
  const begun = await beginFirstRun(parts, { email, password: passwordOf(settings?.adminPasswordFile) })
  if (begun.kind === 'administered') {
    file.remove()
    return signIn
  }
  await file.write(begun.user, begun.token)
  log.info({ file: file.path }, 'the platform has no administrator yet; the file holds the token to become it')
  return url => [
    `the platform has no administrator yet: within 24 hours, set the password of ${email} by`,
    `${command} activate --url ${url} --token-file ${shellWord(shown(file.path))}`,
  ]
}

const signIn: SignIn = url => [`sign in: ${command} login --url ${url}`]

/** The command line of the program: a checkout has no `ninefold` in its path. */
export const command = import.meta.url.endsWith('.ts') ? 'npx node ninefold.ts' : 'npx ninefold'

/** Returns the path of a file, relative to the working folder of the server if the file is below the folder. */
function shown(path: string): string {
  const local = relative('', path)
  return local.startsWith('..') ? path : local
}

const shellWord = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

/**
 * Returns a function that reads the first line of the password file; undefined without a path. `beginFirstRun` does not
 * call the function after the first run is over.
 */
function passwordOf(path: string | undefined): (() => Promise<string>) | undefined {
  if (path === undefined) return undefined
  return async () => {
    try {
      const [line = ''] = (await readFile(path, 'utf8')).split(/\r?\n/, 1)
      return line
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error)
      throw new Error(`bootstrap.admin_password_file cannot be read: ${cause}`, { cause: error })
    }
  }
}
