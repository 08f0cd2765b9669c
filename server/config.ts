import type { HttpLimits } from './http/limits.ts'
import type { LogLevel } from './log.ts'
import { serverSettings } from './server-settings.ts'
import { listenerOf } from './settings/text-faults.ts'
import { knownSettings, type SettingDeclarations } from './settings/declarations.ts'
import { SettingFaults } from './settings/faults.ts'
import { writtenSettings, type ConfigSources } from './settings/sources.ts'
import { fixedValues, givenSettings, type GivenSettings } from './settings/values.ts'
import type { MailSettings, BootstrapSettings } from './account-settings.ts'

/** The settings of the server itself. */
export interface ServerConfig {
  /** The URL at which callers reach the server; undefined: the address of the listener. */
  readonly baseUrl: string | undefined
  /** The page on which users set their passwords; absent: a page below the URL of the server. */
  readonly consoleUrl?: string
  /** The folder for all data of the server. */
  readonly dataDir: string
  /** The URL of a PostgreSQL database that many servers share; absent: a SQLite file in `dataDir`. */
  readonly storeUrl?: string
  readonly http: {
    readonly host: string
    /** The port at which the server listens; 0 stands for any free port. */
    readonly port: number
    /** Whether the port is the default, so that another port may be used if it is taken. */
    readonly isPortOpen: boolean
    /** The limits that differ from `defaultHttpLimits`. */
    readonly limits?: Partial<HttpLimits>
    /** The addresses and blocks of proxies whose `X-Forwarded-For` is trusted; absent: none. */
    readonly trustedProxies?: readonly string[]
  }
  /** The address of the separate listener for health and metrics; absent: no separate listener. */
  readonly health?: { readonly host: string; readonly port: number }
  /** The level of the log; absent: info. */
  readonly logLevel?: LogLevel
  readonly metrics?: {
    /** Whether `/metrics` is answered to every caller, not only to callers on the same machine. */
    readonly isPublic: boolean
  }
  /** The SMTP settings; absent: mails stay in `<dataDir>/outbox`. */
  readonly mail?: MailSettings
  /** The first administrator; absent: `defaultAdministrator`. */
  readonly bootstrap?: BootstrapSettings
  /** The number of days for which operations are kept after their end; absent: 30. */
  readonly operationsKeptDays?: number
  /** Whether the server may make what a production server needs from its operator, such as a root key; absent: no. */
  readonly isDev?: boolean
}

/** The settings of a server (conventions §19). */
export interface Config extends ServerConfig {
  /** The given values of all settings, from which `settingsOf` reads the values of an area; absent: none. */
  readonly given?: GivenSettings
}

/** The settings of a host command, which works although a value of an area may be faulty. */
export interface HostConfig extends ServerConfig {
  /** The type excludes this configuration from `settingsOf`, because `areaValues` lack the faulty values. */
  readonly given: 'unread'
  /** The valid values of the settings of areas. */
  readonly areaValues: GivenSettings
}

/**
 * Returns the settings of the file, overridden by the settings of the environment. `declared` are the settings of all
 * areas. Throws a `ConfigError` that names every fault.
 */
export function readConfig(sources: ConfigSources, declared: readonly SettingDeclarations[]): Config {
  const known = knownSettings([serverSettings, ...declared])
  const faults = new SettingFaults()
  const given = givenSettings(writtenSettings(sources, known, faults), known.byKey, faults)
  faults.raise()
  return { ...configOf(given), given }
}

/**
 * Returns the settings of the server alone, for host commands. A key that neither the server nor an area declares is a
 * fault here too. A faulty value of an area is accepted, so that a store can be backed up and checked while such a
 * fault prevents the start of the server. Throws a `ConfigError`.
 */
export function readHostConfig(sources: ConfigSources, declared: readonly SettingDeclarations[]): HostConfig {
  const faults = new SettingFaults()
  const written = writtenSettings(sources, knownSettings([serverSettings, ...declared]), faults)
  const given = givenSettings(written, knownSettings([serverSettings]).byKey, faults)
  faults.raise()
  const areaValues = givenSettings(written, knownSettings(declared).byKey, new SettingFaults())
  return { ...configOf(given), given: 'unread', areaValues }
}

function configOf(given: GivenSettings): ServerConfig {
  const values = fixedValues(given, serverSettings)
  const consoleUrl = withoutEnd(values.console_url)
  const storeUrl = values['store.url']
  const trustedProxies = values['http.trusted_proxies']
  const health = listenerOf(values['health.listen'] ?? '')
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
        waitMs: values['http.max_wait'],
        headersMs: values['http.headers_timeout'],
        requestMs: values['http.request_timeout'],
        keepAliveMs: values['http.keep_alive_timeout'],
        writeMs: values['http.write_timeout'],
        drainMs: values['http.drain_timeout'],
      } satisfies HttpLimits,
      ...(trustedProxies !== undefined && { trustedProxies }),
    },
    ...(health !== undefined && { health }),
    logLevel: values['log.level'],
    metrics: { isPublic: values['metrics.public'] },
    mail: { smtpUrl: values['mail.smtp_url'], from: values['mail.from'] },
    bootstrap: {
      adminEmail: values['bootstrap.admin_email'],
      adminPasswordFile: values['bootstrap.admin_password_file'],
    },
  }
}

const withoutEnd = (url: string | undefined): string | undefined => url?.replace(/\/+$/, '')
