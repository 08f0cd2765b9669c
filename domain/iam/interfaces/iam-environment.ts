import type { IamArea } from '../../../output/iam/area.ts'
import type { Parts } from '../../ports/area-parts.ts'
import type { Catalogue } from './catalogue.ts'
import type { Decisions } from './decisions.ts'
import type { Feed } from './feed.ts'
import type { Mailer } from '../../ports/mailer.ts'
import type { Passwords } from './passwords.ts'
import type { Sessions } from './sessions.ts'
import type { Throttle } from './throttle.ts'

/** The settings of the area, from the configuration of the server (conventions §19). */
export interface IamSettings {
  /** The base URL of the server: the issuer of tokens, and with a path the audience of assertions. */
  readonly baseUrl: string
  /** The page on which users set passwords; mails link to it. */
  readonly consoleUrl: string
}

/** The parts that the code of the area uses. */
export interface IamEnvironment extends Parts<IamArea> {
  readonly settings: IamSettings
  /** The permissions of the nine documents. */
  readonly catalogue: Catalogue
  /** Informs every server of changes that affect decisions. */
  readonly feed: Feed
  readonly decisions: Decisions
  readonly sessions: Sessions
  readonly passwords: Passwords
  readonly throttle: Throttle
  readonly mailer: Mailer
  /** Receives the id of a user that a token has made ACTIVE, after the commit. */
  readonly activated?: (user: string) => void
  /** Counts a token that a caller revoked and that is unknown or has ended. */
  readonly unknownToken?: () => void
}
