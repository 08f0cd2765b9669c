import type { IamArea } from '../../../output/iam/area.ts'
import type { Parts } from '../../ports/parts.ts'
import type { Catalogue } from './catalogue.ts'
import type { Decisions } from './decisions.ts'
import type { Feed } from './feed.ts'
import type { Mailer } from './mailer.ts'
import type { Passwords } from './passwords.ts'
import type { Sessions } from './sessions.ts'
import type { Throttle } from './throttle.ts'

/** Settings of the area, from the configuration of the server (conventions §19). */
export interface IamSettings {
  /** Where callers reach the server: the issuer of tokens, and the audience of assertions with the path behind it. */
  readonly baseUrl: string
  /** Where people set passwords; mails point there. */
  readonly consoleUrl: string
}

/** What the code of the area is given. */
export interface IamParts extends Parts<IamArea> {
  readonly settings: IamSettings
  /** Every permission of the nine documents. */
  readonly catalogue: Catalogue
  /** Tells every server what changed that decisions hang on. */
  readonly feed: Feed
  readonly decisions: Decisions
  readonly sessions: Sessions
  readonly passwords: Passwords
  readonly throttle: Throttle
  readonly mailer: Mailer
  /** Told of users who have become ACTIVE by their token, once that is committed. */
  readonly activated?: (user: string) => void
}
