import type { Command } from 'commander'
import { calledRightly } from './usage-exit.ts'

interface LoginFlags {
  readonly url?: string
  readonly email?: string
}

interface ActivateFlags {
  readonly url?: string
  readonly tokenFile: string
}

/** `ninefold login`: keeps who signs in for the commands that follow. */
export const loginCommand = (): Command =>
  calledRightly('login')
    .description('sign in to a server; the password is asked for, or read from standard input')
    .option('--url <url>', 'the server (default: where you signed in last, else http://127.0.0.1:8080)')
    .option('--email <address>', 'who signs in; asked for when absent')
    .action(async (flags: LoginFlags) => {
      const [{ reporting }, { login }] = await load()
      await reporting(() => login(flags))
    })

/** `ninefold logout`. */
export const logoutCommand = (): Command =>
  calledRightly('logout')
    .description('end the session, on the server too')
    .action(async () => {
      const [{ reporting }, { logout }] = await load()
      await reporting(logout)
    })

/** `ninefold activate`: how the first administrator, and everybody who was invited, comes in. */
export const activateCommand = (): Command =>
  calledRightly('activate')
    .description('set the first password of a user with the token in a file, and sign in')
    .option('--url <url>', 'the server (default: where you signed in last, else http://127.0.0.1:8080)')
    .option('--token-file <file>', 'holds the activation token', 'data/bootstrap-token')
    .action(async (flags: ActivateFlags) => {
      const [{ reporting }, { activate }] = await load()
      await reporting(() => activate(flags))
    })

/** Only once a command runs: other commands are not to wait for it. */
const load = () => Promise.all([import('./report-error.ts'), import('./sessions.ts')])
