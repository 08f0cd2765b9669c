import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { ApiError } from '../../runtime/errors.ts'
import { readHostConfig } from '../config.ts'
import { declaredSettings } from '../settings/declarations.ts'
import type { HostServices } from './host.ts'

const configHelp = 'settings in JSON (default: ninefold.json, when there is one)'

type AccountKeys = typeof import('../../domain/iam/service-accounts/account-keys.ts')

/**
 * Creates the command `ninefold iam`, for a person with access to the machine. The command acts as the system
 * principal, also while servers run.
 */
export const iamCommand = (): Command =>
  new Command('iam')
    .description('manage who may use the platform, from its machine; may be run while a server is')
    .addCommand(bootstrapCommand())
    .addCommand(serviceAccountsCommand())

interface BootstrapFlags {
  readonly email: string
  readonly config?: string
}

const bootstrapCommand = (): Command =>
  new Command('bootstrap')
    .description('make somebody administer the platform, and print a token to set a password with; it is audited')
    .requiredOption('--email <address>', 'of a user, or of somebody who becomes one')
    .option('--config <file>', configHelp)
    .action(async ({ config, email }: BootstrapFlags) => {
      const [{ areas }, { bootstrap }] = await Promise.all([import('../areas.ts'), import('./bootstrap.ts')])
      const settings = readHostConfig({ file: config, environment: process.env }, declaredSettings(areas))
      await bootstrap({ config: settings, areas, email, print: line => console.log(line) })
    })

const serviceAccountsCommand = (): Command =>
  new Command('service-accounts')
    .description('the principals of programs, which sign in with keys of their own')
    .addCommand(createCommand())
    .addCommand(addKeyCommand())
    .addCommand(removeKeyCommand())

interface CreateFlags {
  readonly workspace: string
  readonly name: string
  readonly displayName?: string
  readonly config?: string
}

const createCommand = (): Command =>
  new Command('create')
    .description('make a service account without a role, and print its id')
    .requiredOption('--workspace <id>', 'where it is at home; it must be active')
    .requiredOption('--name <name>', 'unique in the workspace: lower case letters, digits and hyphens')
    .option('--display-name <text>', 'name for people')
    .option('--config <file>', configHelp)
    .action(async ({ config, displayName, name, workspace }: CreateFlags) => {
      const account = { workspace, name, ...(displayName !== undefined && { display_name: displayName }) }
      print(await run(config, (parts, { createServiceAccount }) => createServiceAccount(parts, account)))
    })

interface AddKeyFlags {
  readonly id: string
  readonly publicKey: string
  readonly expireTime?: string
  readonly config?: string
}

const addKeyCommand = (): Command =>
  new Command('add-key')
    .description('accept assertions that are signed with a key, and print the id of the key')
    .requiredOption('--id <id>', 'the service account')
    .requiredOption('--public-key <file>', 'the public half as PEM: Ed25519, P-256, or RSA of 2048 bits or more')
    .option('--expire-time <time>', 'until when it is accepted, as in 2027-01-31T12:00:00Z (default: for ever)')
    .option('--config <file>', configHelp)
    .action(async ({ config, expireTime, id, publicKey: file }: AddKeyFlags) => {
      const key = { publicKey: readKey(file), expireTime }
      print(await run(config, (parts, { addAccountKey }) => addAccountKey(parts, id, key)))
    })

function readKey(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new Error(`${path} cannot be read (${code}): name the file of the key with --public-key`, { cause: error })
  }
}

interface RemoveKeyFlags {
  readonly id: string
  readonly keyId: string
  readonly config?: string
}

const removeKeyCommand = (): Command =>
  new Command('remove-key')
    .description('accept a key no longer, and end the access tokens that it got')
    .requiredOption('--id <id>', 'the service account')
    .requiredOption('--key-id <id>', 'the key, as add-key has printed it')
    .option('--config <file>', configHelp)
    .action(async ({ config, id, keyId }: RemoveKeyFlags) => {
      await run(config, (parts, { removeAccountKey }) => removeAccountKey(parts, id, keyId))
    })

const print = (line: string): void => console.log(line)

/**
 * Runs a function of the area on the configured store and returns its result. The code of the area is loaded only when
 * the command runs.
 */
async function run<R>(
  config: string | undefined,
  command: (parts: HostServices, area: AccountKeys) => Promise<R>,
): Promise<R> {
  const [{ areas }, { asHost }, area] = await Promise.all([
    import('../areas.ts'),
    import('./host.ts'),
    import('../../domain/iam/service-accounts/account-keys.ts'),
  ])
  const place = readHostConfig({ file: config, environment: process.env }, declaredSettings(areas))
  return asHost(place, areas, parts => command(parts, area)).catch((error: unknown) => {
    throw inOptions(error)
  })
}

/**
 * Returns the error of a request with the names of the typed options instead of wire members; returns any other error
 * unchanged.
 */
function inOptions(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  const faults = error.details.badRequest ?? []
  const told = faults.map(({ description, field }) => `--${field.replaceAll('_', '-')} ${description}`).join('; ')
  const option = optionsOfNames[error.reason]
  const message = option === undefined ? error.message : `${error.message}; name another one with ${option}`
  return new Error(told === '' ? message : told, { cause: error })
}

/** The option that names a resource, keyed by the reason for an absent resource. */
const optionsOfNames: Readonly<Record<string, string>> = {
  SERVICE_ACCOUNT_NOT_FOUND: '--id',
  WORKSPACE_NOT_FOUND: '--workspace',
}
