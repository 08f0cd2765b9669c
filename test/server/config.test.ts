import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig, readHostConfig, type Config } from '../../server/config.ts'
import { defaultHttpLimits } from '../../server/http/limits.ts'
import { iamSettings, throttleLimitsOf } from '../../server/iam/settings.ts'
import { ConfigError } from '../../server/settings/faults.ts'
import type { ConfigSources } from '../../server/settings/sources.ts'
import { GivenSettings } from '../../server/settings/values.ts'
import { testFolder } from './store/harness.ts'

function fileOf(content: unknown): string {
  const file = join(testFolder(), 'settings.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const configOf = (sources: ConfigSources): Config => readConfig(sources, [iamSettings])

/** The configuration without any given settings. */
const defaults = {
  logLevel: 'info',
  metrics: { isPublic: false },
  mail: { from: 'Ninefold <ninefold@localhost>' },
  bootstrap: { adminEmail: 'admin@localhost' },
  given: expect.any(GivenSettings),
}

describe('settings', () => {
  it('have defaults', () => {
    expect(configOf({ environment: { PATH: '/bin' } })).toEqual({
      baseUrl: undefined,
      dataDir: './data',
      operationsKeptDays: 30,
      http: { host: '127.0.0.1', port: 8080, isPortOpen: true, limits: defaultHttpLimits },
      ...defaults,
    })
  })

  it('come from a file, dotted or nested, and with precedence from the environment', () => {
    const file = fileOf({
      'store.url': 'postgres://u:p@db.example/n',
      base_url: 'https://cloud.example/',
      http: { port: 9000 },
      'http.host': '::1',
      operations: { kept_days: 90 },
    })
    expect(configOf({ file, environment: { NINEFOLD_HTTP_PORT: '0', NINEFOLD_DATA_DIR: '/srv' } })).toEqual({
      baseUrl: 'https://cloud.example',
      dataDir: '/srv',
      storeUrl: 'postgres://u:p@db.example/n',
      operationsKeptDays: 90,
      http: { host: '::1', port: 0, isPortOpen: false, limits: defaultHttpLimits },
      ...defaults,
    })
  })

  it.each([
    ['127.0.0.1:9090', { host: '127.0.0.1', port: 9090 }],
    ['[::1]:0', { host: '::1', port: 0 }],
    ['localhost:65535', { host: 'localhost', port: 65_535 }],
  ])('name the address %s for health', (listen, health) => {
    expect(configOf({ file: fileOf({ health: { listen } }), environment: {} }).health).toEqual(health)
  })

  it.each(['9090', '127.0.0.1', '127.0.0.1:65536', '::1:9090', 'http://a:1', 'a b:1', ''])(
    'refuse the address "%s" for health',
    listen => {
      const sources = { file: fileOf({ 'health.listen': listen }), environment: {} }
      expect(() => configOf(sources)).toThrow('health.listen must be an address and a port')
    },
  )

  it('limit callers by numbers and durations, and open metrics', () => {
    const file = fileOf({
      http: { max_in_flight: 5, max_connections: '50', headers_timeout: '1.5s' },
      'metrics.public': true,
    })
    const environment = {
      NINEFOLD_HTTP_REQUEST_TIMEOUT: '600s',
      NINEFOLD_HTTP_KEEP_ALIVE_TIMEOUT: '0.25s',
      NINEFOLD_HTTP_WRITE_TIMEOUT: '30s',
      NINEFOLD_HTTP_DRAIN_TIMEOUT: '20s',
    }
    const { http, metrics } = configOf({ file, environment })
    expect(metrics).toEqual({ isPublic: true })
    expect(http.limits).toEqual({
      maxInFlight: 5,
      maxConnections: 50,
      waitMs: 100,
      headersMs: 1500,
      requestMs: 600_000,
      keepAliveMs: 250,
      writeMs: 30_000,
      drainMs: 20_000,
    })
  })

  it.each<[string, unknown, Readonly<Record<string, string>>]>([
    ['a list', { http: { trusted_proxies: ['10.0.0.0/8', '::1'] } }, {}],
    ['a text', { 'http.trusted_proxies': '10.0.0.0/8,::1' }, {}],
    ['a variable', {}, { NINEFOLD_HTTP_TRUSTED_PROXIES: ' 10.0.0.0/8, ::1 ' }],
  ])('name trusted proxies by %s', (_name, content, environment) => {
    expect(configOf({ file: fileOf(content), environment }).http.trustedProxies).toEqual(['10.0.0.0/8', '::1'])
  })

  it.each<[string, unknown]>([
    ['a name', 'proxy.example'],
    ['a block too small', '10.0.0.0/33'],
    ['a block without a length', '10.0.0.0/'],
    ['a zone', 'fe80::1%eth0'],
    ['something in a list', [1]],
  ])('name no proxies by %s', (_name, value) => {
    const file = fileOf({ 'http.trusted_proxies': value })
    expect(() => configOf({ file, environment: {} })).toThrow('http.trusted_proxies must be')
  })

  it('determine the delivery of mail, the page for passwords, and the first administrator', () => {
    const file = fileOf({
      console_url: 'https://console.example/',
      mail: { smtp_url: 'smtps://u:p@mail.example:465', from: 'Ninefold <cloud@example.com>' },
      bootstrap: { admin_email: '', admin_password_file: '/run/secrets/admin' },
      iam: { throttle: { email_network: 0, credential_token: '7' } },
    })
    const config = configOf({ file, environment: {} })
    expect(config).toMatchObject({
      consoleUrl: 'https://console.example',
      mail: { smtpUrl: 'smtps://u:p@mail.example:465', from: 'Ninefold <cloud@example.com>' },
      bootstrap: { adminEmail: '', adminPasswordFile: '/run/secrets/admin' },
    })
    expect(throttleLimitsOf(config)).toEqual({ email_network: 0, email: 50, network: 100, credential_token: 7 })
  })

  it.each<[string, unknown, Readonly<Record<string, string>>, string]>([
    ['an unknown key', { 'http.prot': 1 }, {}, '"http.prot" is no setting (did you mean "http.port"?)'],
    ['an unknown variable', {}, { NINEFOLD_DATADIR: 'x' }, 'did you mean "NINEFOLD_DATA_DIR"?'],
    ['a port too large', { http: { port: 65536 } }, {}, 'http.port must be a port'],
    ['a port that is a text', {}, { NINEFOLD_HTTP_PORT: '80a' }, 'NINEFOLD_HTTP_PORT must be a port'],
    ['a list', { data_dir: ['x'] }, {}, 'data_dir must be a text or a number'],
    ['no calls at all', { http: { max_in_flight: 0 } }, {}, 'http.max_in_flight must be a number from 1 on'],
    ['a duration without its unit', { http: { write_timeout: 5 } }, {}, 'must be a duration such as "15s"'],
    ['a duration of nothing', { 'http.drain_timeout': '0s' }, {}, 'must be a duration such as "15s"'],
    ['an unknown level', { log: { level: 'loud' } }, {}, 'log.level must be debug, info, warn or error, not "loud"'],
    ['a word for yes', { metrics: { public: 'yes' } }, {}, 'metrics.public must be true or false'],
    ['an empty folder', { data_dir: ' ' }, {}, 'data_dir must not be empty'],
    ['another scheme', { base_url: 'ftp://x' }, {}, 'base_url must be an http or https URL'],
    ['another kind of store', { store: { url: 'mysql://x' } }, {}, 'store.url must be the URL of a database'],
    ['a retention below the minimum', { 'operations.kept_days': 29 }, {}, 'must be a number of days, 30 to'],
    [
      'a mail server of the web',
      { mail: { smtp_url: 'https://x' } },
      {},
      'mail.smtp_url must be the URL of a mail server',
    ],
    ['a sender without a host', { mail: { from: 'ninefold' } }, {}, 'mail.from must be an address'],
    ['a sender of two lines', { mail: { from: 'a\r\nBcc: b <a@b>' } }, {}, 'mail.from must be an address'],
    ['an administrator without a host', { bootstrap: { admin_email: 'admin' } }, {}, 'must be an address, or empty'],
    ['a bound of less than nothing', { iam: { throttle: { email: -1 } } }, {}, 'iam.throttle.email must be a number'],
    ['broken JSON', '{', {}, 'must hold JSON: expected property name'],
    ['no object', [], {}, 'must hold one object'],
    ['a key of the prototype', '{"__proto__": {"http": 1}}', {}, 'is no setting'],
  ])('with %s are refused', (_name, content, environment, message) => {
    expect(() => configOf({ file: fileOf(content), environment })).toThrow(message)
  })

  it('report all their faults together, a line each', () => {
    const file = fileOf({ 'http.prot': 1, base_url: 'ftp://x', iam: { throttle: { email: -1 } } })
    const environment = { NINEFOLD_DATADIR: 'x', NINEFOLD_HTTP_PORT: '80a' }
    const faults = [
      `${file}: "http.prot" is no setting (did you mean "http.port"?)`,
      'environment: NINEFOLD_DATADIR is no setting (did you mean "NINEFOLD_DATA_DIR"?)',
      `${file}: base_url must be an http or https URL`,
      `${file}: iam.throttle.email must be a number, 0 for no bound`,
      'environment: NINEFOLD_HTTP_PORT must be a port, 0 to 65535',
    ]
    expect(() => configOf({ file, environment })).toThrow(new ConfigError(faults))
  })

  it('of areas are known to commands of the host, which do without faulty values', () => {
    const file = fileOf({ data_dir: '/srv', iam: { throttle: { email: -1, network: 7 } } })
    const config = readHostConfig({ file, environment: {} }, [iamSettings])
    expect(config).toMatchObject({ dataDir: '/srv' })
    expect(config.areaValues.get(iamSettings['iam.throttle.email'])).toBeUndefined()
    expect(config.areaValues.get(iamSettings['iam.throttle.network'])).toBe(7)
    // @ts-expect-error a host configuration lacks the settings of areas
    expect(() => throttleLimitsOf(config)).toThrow()
    expect(() => readHostConfig({ file: fileOf({ 'iam.throttle.mail': 1 }), environment: {} }, [iamSettings])).toThrow(
      '"iam.throttle.mail" is no setting (did you mean "iam.throttle.email"?)',
    )
    expect(() => readHostConfig({ file: fileOf({ data_dir: '' }), environment: {} }, [iamSettings])).toThrow(
      'data_dir must not be empty',
    )
  })

  it('never show their passwords', () => {
    const file = fileOf('{"mail": {"smtp_url": hunter2@h}}')
    expect(() => configOf({ file, environment: {} })).toThrow(
      `${file} must hold JSON: unexpected character at line 1, column 23`,
    )
    const refused = ['postgres://u:hunter2@[x/n', 'hunter2']
    for (const url of refused) {
      const mail = (): unknown => configOf({ environment: { NINEFOLD_MAIL_SMTP_URL: url } })
      expect(mail).toThrow('NINEFOLD_MAIL_SMTP_URL must be the URL of a mail server')
      expect(mail).not.toThrow('hunter2')
      const read = (): unknown => configOf({ environment: { NINEFOLD_STORE_URL: url } })
      expect(read).toThrow('NINEFOLD_STORE_URL must be the URL of a database')
      expect(read).not.toThrow('hunter2')
    }
  })

  it('ignore the variables of tests', () => {
    expect(configOf({ environment: { NINEFOLD_TEST_POSTGRES_URL: 'postgres://x' } }).storeUrl).toBeUndefined()
  })

  it('of a named file that does not exist are refused', () => {
    expect(() => configOf({ file: join(testFolder(), 'none.json'), environment: {} })).toThrow('cannot be read')
  })
})
