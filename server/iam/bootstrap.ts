import { breakGlass } from '../../domain/iam/users/break-glass.ts'
import { ApiError } from '../../runtime/errors.ts'
import { quoted } from '../../runtime/refusal.ts'
import type { AreaModule } from '../area.ts'
import type { ServerConfig } from '../config.ts'
import { command } from './first-run.ts'
import { asHost } from './host.ts'
import { optionalAddressFault } from '../settings/text-faults.ts'

/** The address of the administrator, and the output for the token. */
export interface BootstrapRequest {
  readonly config: ServerConfig
  readonly areas: readonly AreaModule[]
  readonly email: string
  readonly print: (line: string) => void
}

/** Whether the URL of the page for setting passwords is configured. */
const isReachable = ({ baseUrl, consoleUrl }: ServerConfig): boolean => (consoleUrl ?? baseUrl) !== undefined

/**
 * The words for the token, keyed by its purpose. An INVITED user can sign in only after the use of the token; any other
 * user can sign in with its password.
 */
const steps = {
  ACTIVATION: { from: 'once the password is set', token: 'activates the account' },
  PASSWORD_RESET: { from: 'from now on, by the password of before until another is set', token: 'sets a new password' },
} as const

/**
 * Makes the user with an address an administrator of the platform, and prints the token for setting its password once
 * (iam.md 4.9).
 */
export async function bootstrap({ areas, config, email, print }: BootstrapRequest): Promise<void> {
  if (email === '' || optionalAddressFault(email) !== undefined) {
    throw new Error(`--email must be an address, such as "kim@example.com", not ${quoted(email)}`)
  }
  const made = await asHost(config, areas, parts => breakGlass(parts, email)).catch((error: unknown) => {
    throw error instanceof ApiError ? new Error(error.message, { cause: error }) : error
  })
  const { from, token } = steps[made.purpose]
  print(`${email} administers the platform ${from} (user ${made.user})`)
  print(`this token ${token}, once, until ${made.expire_time}:`)
  print(made.token)
  // The server may listen at another address than its settings tell: a taken port is replaced, and port 0 stands for
  // any free port.
  if (!isReachable(config)) print(`by: ${command} activate --url <where the server listens> --token-file <file>`)
  else print(`page: ${made.url}`)
}
