import { proxyList } from './http/client-address.ts'
import { defaultHttpLimits } from './http/limits.ts'
import { logLevels } from './log.ts'
import type { FixedDeclarations } from './settings/declarations.ts'
import { listOf } from './settings/lists.ts'
import { duration, flag, integer, oneOf, text } from './settings/scalars.ts'
import {
  emptyFault,
  listenerFault,
  httpUrlFault,
  storeUrlFault,
  smtpUrlFault,
  senderFault,
  optionalAddressFault,
} from './settings/text-faults.ts'
import { defaultSender, defaultAdministrator } from './account-settings.ts'

/** The minimal and default number of days for which operations are kept (conventions §5). */
const minOperationsDays = 30

/** A setting for a limit. */
const count = integer({ min: 1, max: 999_999_999, rule: 'must be a number from 1 on' })

function proxyListFault(entries: readonly string[]): string | undefined {
  try {
    proxyList(entries)
    return undefined
  } catch {
    return 'must be addresses and blocks with commas between them, such as "10.0.0.0/8, ::1"'
  }
}

/** The settings that no area declares (conventions §19). */
export const serverSettings = {
  base_url: text({ fault: httpUrlFault }).optional.describe(
    'the address at which callers reach the servers, if it differs from the listening address; tokens contain this address, so set the same on all servers',
  ),
  console_url: text({ fault: httpUrlFault })
    .otherwise('`base_url`')
    .describe(
      'the address of the page for setting passwords: mails and credential tokens link to `<console_url>/credential#<token>`',
    ),
  data_dir: text({ fault: emptyFault }).default('./data').describe('the folder for all files of the server'),
  'store.url': text({ fault: storeUrlFault }).optional.describe(
    'the PostgreSQL database of the store; absent: a SQLite file in `data_dir`',
  ),
  'http.host': text({ fault: emptyFault }).default('127.0.0.1').describe('the address at which the server listens'),
  'http.port': integer({ min: 0, max: 65_535, rule: 'must be a port, 0 to 65535' })
    .default(8080)
    .describe(
      'the port at which the server listens; 0: any free port; if the default port is taken, the next free port',
    ),
  'http.trusted_proxies': listOf(text(), { fault: proxyListFault })
    .otherwise('none')
    .describe('addresses and blocks (`10.0.0.0/8, ::1`) of proxies whose `X-Forwarded-For` is trusted'),
  'http.max_in_flight': count
    .default(defaultHttpLimits.maxInFlight)
    .describe('the limit of calls in progress; further calls are answered 503'),
  'http.max_connections': count
    .default(defaultHttpLimits.maxConnections)
    .describe('the limit of open connections; further connections are closed immediately'),
  'http.max_wait': duration()
    .default(defaultHttpLimits.waitMs)
    .describe(
      'the time that a request waits for its turn under lasting overload, in short bursts five times as long; then 503',
    ),
  'http.headers_timeout': duration()
    .default(defaultHttpLimits.headersMs)
    .describe('the time from the connection, or from the first byte of a later request, to the last header; then 408'),
  'http.request_timeout': duration()
    .default(defaultHttpLimits.requestMs)
    .describe(
      'the time from the last header of a request to the end of its body; then 408. Data planes may have a minimal speed instead',
    ),
  'http.keep_alive_timeout': duration()
    .default(defaultHttpLimits.keepAliveMs)
    .describe(
      'the time after which a connection without a request is closed; set a longer time than the proxy in front of the server',
    ),
  'http.write_timeout': duration()
    .default(defaultHttpLimits.writeMs)
    .describe(
      'the time that a response, or the next part of a stream, waits for the caller to read; then the connection is cut',
    ),
  'http.drain_timeout': duration()
    .default(defaultHttpLimits.drainMs)
    .describe('the time that calls in progress have to end when the server stops'),
  'health.listen': text({ fault: listenerFault }).optional.describe(
    'an address and a port, `127.0.0.1:9090`, for a separate listener of `/healthz`, `/readyz` and `/metrics`, which responds under any load',
  ),
  'log.level': oneOf(logLevels)
    .default('info')
    .describe('the lowest level of the lines of the log: `debug` has probes too'),
  'metrics.public': flag().default(false).describe('whether `/metrics` is answered to all callers'),
  'mail.smtp_url': text({ fault: smtpUrlFault }).optional.describe(
    'the mail server, `smtps://user:password@host:465`; absent: mails are files in `<data_dir>/outbox`, and responses to administrators contain the tokens',
  ),
  'mail.from': text({ fault: senderFault }).default(defaultSender).describe('the sender of mails'),
  'bootstrap.admin_email': text({ fault: optionalAddressFault })
    .default(defaultAdministrator)
    .describe('the address of the first administrator; empty: no administrator is invited'),
  'bootstrap.admin_password_file': text({ fault: emptyFault }).optional.describe(
    'a file whose first line is the password of the first administrator',
  ),
  'operations.kept_days': integer({
    min: minOperationsDays,
    max: 99_999,
    rule: `must be a number of days, ${minOperationsDays} to 99999`,
  })
    .default(minOperationsDays)
    .describe('the number of days that operations are kept after their end'),
} as const satisfies FixedDeclarations
