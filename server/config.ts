import type { HttpLimits } from './http/limits.ts'
import type { BootstrapSettings, MailSettings } from './iam/settings.ts'
import { serverSettings } from './server-settings.ts'
import { knownSettings, type SettingDeclarations } from './settings/declarations.ts'
import { SettingFaults } from './settings/faults.ts'
import { writtenSettings, type ConfigSources } from './settings/sources.ts'
import { fixedValues, givenSettings, type GivenSettings } from './settings/values.ts'

/** The settings that no area declares. */
export interface ServerConfig {
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
  /** The first administrator, where it is not `defaultAdministrator`. */
  readonly bootstrap?: BootstrapSettings
  /** How many days operations are kept after their end; absent: 30. */
  readonly operationsKeptDays?: number
}

/** The settings of a server (conventions §19). */
export interface Config extends ServerConfig {
  /** The values that were given, from which `settingsOf` takes those of an area; absent: none. */
  readonly given?: GivenSettings
}

/** The settings of a command on the host that uses no setting of an area. */
export interface HostConfig extends ServerConfig {
  /** The values of areas were not read, so `settingsOf` does not take this configuration. */
  readonly given: 'unread'
}

/**
 * Reads the settings: the file, over it the environment. `declared` are the settings of all areas. Throws a `ConfigError`
 * that names every fault.
 */
export function readConfig(sources: ConfigSources, declared: readonly SettingDeclarations[]): Config {
  const known = knownSettings([serverSettings, ...declared])
  const faults = new SettingFaults()
  const given = givenSettings(writtenSettings(sources, known, faults), known.byKey, faults)
  faults.raise()
  return { ...configOf(given), given }
}

/**
 * Reads the settings of the server alone, for commands on the host. A key that neither the server nor an area declares is a
 * fault here too. A faulty value of an area is none: a store must be backed up and checked also while such a fault keeps
 * the server from starting. Throws a `ConfigError`.
 */
export function readHostConfig(sources: ConfigSources, declared: readonly SettingDeclarations[]): HostConfig {
  const faults = new SettingFaults()
  const written = writtenSettings(sources, knownSettings([serverSettings, ...declared]), faults)
  const given = givenSettings(written, knownSettings([serverSettings]).byKey, faults)
  faults.raise()
  return { ...configOf(given), given: 'unread' }
}

function configOf(given: GivenSettings): ServerConfig {
  const values = fixedValues(given, serverSettings)
  const consoleUrl = withoutEnd(values.console_url)
  const storeUrl = values['store.url']
  const trustedProxies = values['http.trusted_proxies']
  return {
    baseUrl: withoutEnd(values.base_url),
    dataDir: values.data_dir,
    ...(consoleUrl !== undefined && { consoleUrl }),
    ...(storeUrl !== undefined && { storeUrl }),
    operationsKeptDays: values['operations.kept_days'],
    http: {
      host: values['http.host'],
      port: values['http.port'],
      isPortOpen: given.get(serverSettings['http.port']) === undefined,
      limits: {
        maxInFlight: values['http.max_in_flight'],
        maxConnections: values['http.max_connections'],
        headersMs: values['http.headers_timeout'],
        requestMs: values['http.request_timeout'],
        keepAliveMs: values['http.keep_alive_timeout'],
        writeMs: values['http.write_timeout'],
        drainMs: values['http.drain_timeout'],
      } satisfies HttpLimits,
      ...(trustedProxies !== undefined && { trustedProxies }),
    },
    metrics: { isPublic: values['metrics.public'] },
    mail: { smtpUrl: values['mail.smtp_url'], from: values['mail.from'] },
    bootstrap: {
      adminEmail: values['bootstrap.admin_email'],
      adminPasswordFile: values['bootstrap.admin_password_file'],
    },
  }
}

const withoutEnd = (url: string | undefined): string | undefined => url?.replace(/\/+$/, '')
