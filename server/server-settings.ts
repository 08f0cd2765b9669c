import { proxyList } from './http/client-address.ts'
import { defaultHttpLimits } from './http/limits.ts'
import type { FixedDeclarations } from './settings/declarations.ts'
import { listOf } from './settings/lists.ts'
import { duration, flag, integer, text } from './settings/scalars.ts'
import {
  emptyFault,
  httpUrlFault,
  storeUrlFault,
  smtpUrlFault,
  senderFault,
  optionalAddressFault,
} from './settings/text-faults.ts'
import { defaultSender, defaultAdministrator } from './account-settings.ts'

/** The minimal and default number of days that operations are kept (conventions §5). */
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
    'where callers reach the server, when that is not where it listens; tokens name it, so it is the same for all servers',
  ),
  console_url: text({ fault: httpUrlFault })
    .otherwise('`base_url`')
    .describe('where people set passwords: mails and credential tokens point to `<console_url>/credential#<token>`'),
  data_dir: text({ fault: emptyFault }).default('./data').describe('the folder that holds everything'),
  'store.url': text({ fault: storeUrlFault }).optional.describe(
    'the PostgreSQL database that holds what is stored; absent: a file of SQLite in `data_dir`',
  ),
  'http.host': text({ fault: emptyFault }).default('127.0.0.1').describe('the address at which it listens'),
  'http.port': integer({ min: 0, max: 65_535, rule: 'must be a port, 0 to 65535' })
    .default(8080)
    .describe('where it listens; 0: any free port; when nobody chose the port, the next free one does'),
  'http.trusted_proxies': listOf(text(), { fault: proxyListFault })
    .otherwise('none')
    .describe('addresses and blocks (`10.0.0.0/8, ::1`) of proxies whose `X-Forwarded-For` is believed'),
  'http.max_in_flight': count
    .default(defaultHttpLimits.maxInFlight)
    .describe('calls that are worked on at a time; above it calls are answered 503'),
  'http.max_connections': count
    .default(defaultHttpLimits.maxConnections)
    .describe('open connections; above it connections are closed as they come'),
  'http.headers_timeout': duration()
    .default(defaultHttpLimits.headersMs)
    .describe('from the connection, or the first byte of a later request on it, to the last of the headers; then 408'),
  'http.request_timeout': duration()
    .default(defaultHttpLimits.requestMs)
    .describe(
      'from the last of the headers of a request to the last of its body; then 408. Data planes may go by a pace instead',
    ),
  'http.keep_alive_timeout': duration()
    .default(defaultHttpLimits.keepAliveMs)
    .describe('a connection without a request is closed; keep it above that of a proxy in front'),
  'http.write_timeout': duration()
    .default(defaultHttpLimits.writeMs)
    .describe(
      'an answer, or the next piece of a stream, waits so long for its caller to take it; then the connection is cut',
    ),
  'http.drain_timeout': duration()
    .default(defaultHttpLimits.drainMs)
    .describe('how long calls may take to end when the server is to end'),
  'metrics.public': flag().default(false).describe('`/metrics` is answered to everybody'),
  'mail.smtp_url': text({ fault: smtpUrlFault }).optional.describe(
    'the mail server, `smtps://user:password@host:465`; absent: mails are files in `<data_dir>/outbox`, and tokens are answered to administrators',
  ),
  'mail.from': text({ fault: senderFault }).default(defaultSender).describe('the sender of mails'),
  'bootstrap.admin_email': text({ fault: optionalAddressFault })
    .default(defaultAdministrator)
    .describe('the first administrator; empty: nobody'),
  'bootstrap.admin_password_file': text({ fault: emptyFault }).optional.describe(
    "a file whose first line is the first administrator's password",
  ),
  'operations.kept_days': integer({
    min: minOperationsDays,
    max: 99_999,
    rule: `must be a number of days, ${minOperationsDays} to 99999`,
  })
    .default(minOperationsDays)
    .describe('how many days operations are kept after their end'),
} as const satisfies FixedDeclarations
