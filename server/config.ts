import { existsSync, readFileSync } from 'node:fs'
import { jsonFault } from '../cli/json-fault.ts'
import type { ThrottleLimits } from '../domain/iam/throttle-rules.ts'
import { didYouMean, quoted } from '../runtime/refusal.ts'
import { isRecord } from '../runtime/validation.ts'
import {
  booleanFault,
  countFault,
  countOrOffFault,
  durationFault,
  emptyFault,
  entriesOf,
  httpUrlFault,
  keptDaysFault,
  portFault,
  proxyListFault,
  storeUrlFault,
} from './config-values.ts'
import type { HttpLimits } from './http/limits.ts'
import {
  optionalAddressFault,
  senderFault,
  smtpUrlFault,
  type BootstrapSettings,
  type MailSettings,
} from './iam/settings.ts'

/** The settings of a server (conventions §19). */
export interface Config {
  /** Where callers reach the server; undefined: where it listens. */
  readonly baseUrl: string | undefined
  /** Where people set their passwords; absent: where callers reach the server. */
  readonly consoleUrl?: string
  /** The folder that holds everything the server keeps. */
  readonly dataDir: string
  /** The database of PostgreSQL that many servers share; absent: a file of SQLite in `dataDir`. */
  readonly storeUrl?: string
  readonly http: {
    readonly host: string
    /** 0 takes any free port. */
    readonly port: number
    /** Nobody chose the port, so another one does as well when it is taken. */
    readonly isPortOpen: boolean
    /** What bounds callers, where it is not as `defaultLimits` has it. */
    readonly limits?: Partial<HttpLimits>
    /** Addresses and blocks of proxies whose `X-Forwarded-For` is believed; absent: none. */
    readonly trustedProxies?: readonly string[]
  }
  readonly metrics?: {
    /** `/metrics` is answered to every caller, not only to those on the same machine. */
    readonly isPublic: boolean
  }
  /** How mails leave; absent: they stay in `<dataDir>/outbox`. */
  readonly mail?: MailSettings
  readonly iam?: {
    /** Failed attempts that are borne, where they are not as `defaultThrottleLimits` has it; 0: any number. */
    readonly throttle: Partial<ThrottleLimits>
  }
  /** The first administrator, where it is not `defaultAdministrator`. */
  readonly bootstrap?: BootstrapSettings
  /** How many days operations are kept after their end; absent: 30. */
  readonly operationsKeptDays?: number
}

/** A setting that cannot be used; the message says which one and why. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const settings = {
  base_url: httpUrlFault,
  console_url: httpUrlFault,
  data_dir: emptyFault,
  'store.url': storeUrlFault,
  'http.host': emptyFault,
  'http.port': portFault,
  'http.trusted_proxies': proxyListFault,
  'http.max_in_flight': countFault,
  'http.max_connections': countFault,
  'http.headers_timeout': durationFault,
  'http.request_timeout': durationFault,
  'http.keep_alive_timeout': durationFault,
  'http.write_timeout': durationFault,
  'http.drain_timeout': durationFault,
  'metrics.public': booleanFault,
  'mail.smtp_url': smtpUrlFault,
  'mail.from': senderFault,
  'iam.throttle.email_network': countOrOffFault,
  'iam.throttle.email': countOrOffFault,
  'iam.throttle.network': countOrOffFault,
  'iam.throttle.credential_token': countOrOffFault,
  'bootstrap.admin_email': optionalAddressFault,
  'bootstrap.admin_password_file': emptyFault,
  'operations.kept_days': keptDaysFault,
} as const satisfies Record<string, (value: string) => string | undefined>

type Key = keyof typeof settings

const keys = Object.keys(settings)
const isKey = (key: string): key is Key => Object.hasOwn(settings, key)

/** The settings that bound callers; durations are read as milliseconds. */
const limitSettings = {
  maxInFlight: 'http.max_in_flight',
  maxConnections: 'http.max_connections',
  headersMs: 'http.headers_timeout',
  requestMs: 'http.request_timeout',
  keepAliveMs: 'http.keep_alive_timeout',
  writeMs: 'http.write_timeout',
  drainMs: 'http.drain_timeout',
} as const satisfies Record<keyof HttpLimits, Key>

/** The settings that slow down who guesses. */
const throttleSettings = {
  email_network: 'iam.throttle.email_network',
  email: 'iam.throttle.email',
  network: 'iam.throttle.network',
  credential_token: 'iam.throttle.credential_token',
} as const satisfies Record<keyof ThrottleLimits, Key>

/** `http.port` as `NINEFOLD_HTTP_PORT`. */
const variableOf = (key: string): string => `NINEFOLD_${key.toUpperCase().replaceAll('.', '_')}`

/** Where settings come from. */
export interface ConfigSources {
  /** A file that must exist; absent: `ninefold.json` in the working folder, when there is one. */
  readonly file?: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Reads the settings: the file, over it the environment. Throws `ConfigError`. */
export function readConfig({ file, environment }: ConfigSources): Config {
  const values = new Map([...fromFile(file), ...fromEnvironment(environment)])
  const port = values.get('http.port')
  const storeUrl = values.get('store.url')
  const proxies = values.get('http.trusted_proxies')
  const keptDays = values.get('operations.kept_days')
  const consoleUrl = values.get('console_url')?.replace(/\/+$/, '')
  return {
    baseUrl: values.get('base_url')?.replace(/\/+$/, ''),
    dataDir: values.get('data_dir') ?? './data',
    ...(consoleUrl === undefined ? {} : { consoleUrl }),
    ...(storeUrl === undefined ? {} : { storeUrl }),
    ...(keptDays === undefined ? {} : { operationsKeptDays: Number(keptDays) }),
    http: {
      host: values.get('http.host') ?? '127.0.0.1',
      port: Number(port ?? 8080),
      isPortOpen: port === undefined,
      limits: limitsOf(values),
      ...(proxies === undefined ? {} : { trustedProxies: entriesOf(proxies) }),
    },
    metrics: { isPublic: values.get('metrics.public') === 'true' },
    mail: { smtpUrl: values.get('mail.smtp_url'), from: values.get('mail.from') },
    iam: { throttle: throttleOf(values) },
    bootstrap: {
      adminEmail: values.get('bootstrap.admin_email'),
      adminPasswordFile: values.get('bootstrap.admin_password_file'),
    },
  }
}

function limitsOf(values: ReadonlyMap<Key, string>): Partial<HttpLimits> {
  const given = Object.entries(limitSettings).flatMap(([limit, key]) => {
    const text = values.get(key)
    if (text === undefined) return []
    return [[limit, text.endsWith('s') ? Number(text.slice(0, -1)) * 1000 : Number(text)]]
  })
  return Object.fromEntries(given)
}

function throttleOf(values: ReadonlyMap<Key, string>): Partial<ThrottleLimits> {
  const given = Object.entries(throttleSettings).map(([kind, key]) => [kind, values.get(key)] as const)
  return Object.fromEntries(given.flatMap(([kind, text]) => (text === undefined ? [] : [[kind, Number(text)]])))
}

function fromFile(named: string | undefined): [Key, string][] {
  const file = named ?? 'ninefold.json'
  if (named === undefined && !existsSync(file)) return []
  return [...flattened(parsed(file), '')].map(([key, value]) => {
    if (!isKey(key)) throw new ConfigError(`${file}: ${quoted(key)} is no setting${didYouMean(key, keys)}`)
    return [key, checked(key, value, `${file}: ${key}`)]
  })
}

function parsed(file: string): Record<string, unknown> {
  const text = fileText(file)
  const fault = jsonFault(text)
  if (fault !== undefined) throw new ConfigError(`${file} must hold JSON: ${fault}`)
  const value: unknown = JSON.parse(text)
  if (isRecord(value)) return value
  throw new ConfigError(`${file} must hold one object`)
}

function fileText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new ConfigError(`the settings ${file} cannot be read (${code}); name a file of JSON with --config`)
  }
}

/** Dotted keys and nested objects mean the same. */
function* flattened(value: Record<string, unknown>, prefix: string): Generator<[string, unknown]> {
  for (const [name, member] of Object.entries(value)) {
    if (isRecord(member)) yield* flattened(member, `${prefix}${name}.`)
    else yield [prefix + name, member]
  }
}

function fromEnvironment(environment: ConfigSources['environment']): [Key, string][] {
  const byVariable = new Map(keys.filter(isKey).map(key => [variableOf(key), key]))
  const found: [Key, string][] = []
  for (const [variable, value] of Object.entries(environment)) {
    if (value === undefined || !variable.startsWith('NINEFOLD_') || variable.startsWith('NINEFOLD_TEST_')) continue
    const key = byVariable.get(variable)
    if (key === undefined) {
      throw new ConfigError(`environment: ${variable} is no setting${didYouMean(variable, byVariable.keys())}`)
    }
    found.push([key, checked(key, value, `environment: ${variable}`)])
  }
  return found
}

function checked(key: Key, value: unknown, place: string): string {
  const text = textOf(key, value)
  const fault = text === undefined ? 'must be a text or a number' : settings[key](text)
  if (text === undefined || fault !== undefined) throw new ConfigError(`${place} ${fault}`)
  return text
}

/** A list is as good as its entries with commas between them, where there may be several. */
function textOf(key: Key, value: unknown): string | undefined {
  const isList = key === 'http.trusted_proxies' && Array.isArray(value)
  if (isList) return value.every(entry => typeof entry === 'string') ? value.join() : undefined
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined
}
