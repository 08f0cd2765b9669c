import { breakGlass } from '../../domain/iam/break-glass.ts'
import { ApiError } from '../../runtime/errors.ts'
import { quoted } from '../../runtime/refusal.ts'
import type { AreaModule } from '../area.ts'
import type { Config } from '../config.ts'
import { asHost } from './host.ts'
import { isAddressOrNothing } from './settings.ts'

/** Who is to administer the platform, and where the token is told. */
export interface BootstrapRequest {
  readonly config: Config
  readonly areas: readonly AreaModule[]
  readonly email: string
  readonly print: (line: string) => void
}

const steps = { ACTIVATION: 'activates the account', PASSWORD_RESET: 'sets a new password' } as const

/** Makes an address administer the platform, and prints once the token that its password is set with (iam.md 4.9). */
export async function bootstrap({ areas, config, email, print }: BootstrapRequest): Promise<void> {
  if (email === '' || isAddressOrNothing(email) !== undefined) {
    throw new Error(`--email must be an address, such as "kim@example.com", not ${quoted(email)}`)
  }
  const made = await asHost(config, areas, parts => breakGlass(parts, email)).catch((error: unknown) => {
    throw error instanceof ApiError ? new Error(error.message, { cause: error }) : error
  })
  print(`${email} administers the platform (user ${made.user})`)
  print(`this token ${steps[made.purpose]}, once, until ${made.expire_time}:`)
  print(made.token)
  print(`page: ${made.url}`)
}
