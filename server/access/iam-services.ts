import type { AccessTokens } from '../../domain/iam/sessions/access-tokens.ts'
import type { IamEnvironment } from '../../domain/iam/interfaces/iam-environment.ts'
import type { IamArea } from '../../output/iam/area.ts'
import type { Parts } from '../../domain/ports/area-parts.ts'

/** The parts that only the area of iam gets. */
export interface IamServices extends Omit<IamEnvironment, keyof Parts<IamArea>> {
  readonly accessTokens: AccessTokens
  /** Receives the parts of the area when the area is mounted; the functions of iam for other areas use these parts. */
  mounted(parts: IamEnvironment): void
}
