import type { Command } from 'commander'
import { strictCommand } from './usage-exit.ts'

interface LoginFlags {
  readonly url?: string
  readonly email?: string
}

interface ActivateFlags {
  readonly url?: string
  readonly tokenFile: string
}

/** Creates the command `ninefold login`, which signs in and stores the session for later commands. */
export const loginCommand = (): Command =>
  strictCommand('login')
    .description('sign in to a server; the password is asked for, or read from standard input')
    .option('--url <url>', 'the server (default: where you signed in last, else http://127.0.0.1:8080)')
    .option('--email <address>', 'the address of the user; asked for when absent')
    .action(async (flags: LoginFlags) => {
      const [{ reporting }, { login }] = await load()
      await reporting(() => login(flags))
    })

/** Creates the command `ninefold logout`, which ends the session. */
export const logoutCommand = (): Command =>
  strictCommand('logout')
    .description('end the session, on the server too')
    .action(async () => {
      const [{ reporting }, { logout }] = await load()
      await reporting(logout)
    })

/**
 * Creates the command `ninefold activate`, which sets the first password of the first administrator or of an invited
 * user, and signs in.
 */
export const activateCommand = (): Command =>
  strictCommand('activate')
    .description('set the first password of a user with the token in a file, and sign in')
    .option('--url <url>', 'the server (default: where you signed in last, else http://127.0.0.1:8080)')
    .option('--token-file <file>', 'holds the activation token', 'data/bootstrap-token')
    .action(async (flags: ActivateFlags) => {
      const [{ reporting }, { activate }] = await load()
      await reporting(() => activate(flags))
    })

/** Imports the modules when a command runs, so that other commands start without these modules. */
const load = () => Promise.all([import('./report-error.ts'), import('./sessions.ts')])
