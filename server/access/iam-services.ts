import type { AccessTokens } from '../../domain/iam/sessions/access-tokens.ts'
import type { IamParts } from '../../domain/iam/interfaces/iam-parts.ts'
import type { IamArea } from '../../output/iam/area.ts'
import type { Parts } from '../../domain/ports/parts.ts'

/** What the area of iam is given beyond what every area is. */
export interface IamServices extends Omit<IamParts, keyof Parts<IamArea>> {
  readonly accessTokens: AccessTokens
  /** Called with the parts of the area when it is mounted: what iam does for others is done with them. */
  mounted(parts: IamParts): void
}
