import type { CallContext } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { Scope } from '../../ports/scope.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'

/** The reasons of the rules E1, E4 and E5 of iam.md 4.5, which depend on the rights that principals have. */
const rightsReasons: ReadonlySet<string> = new Set(['ESCALATION_DENIED', 'LAST_ADMINISTRATOR'])

/**
 * Runs a mutation that was authorized at `scope` and returns its result. If a rule about rights refuses the mutation,
 * and the caller has lost the permission since the authorization, throws IAM_PERMISSION_DENIED. So of two administrators
 * who remove each other, the loser is always denied, whether its call is authorized before or after the winner commits.
 * `scope` is called after the refusal, and returns undefined if the mutation has not found its scope.
 */
export async function deniedFirst<T>(
  { access, feed }: Pick<IamEnvironment, 'access' | 'feed'>,
  context: CallContext,
  scope: () => Scope | undefined,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const at = scope()
    const { permission = '' } = context.operation ?? {}
    if (error instanceof ApiError && rightsReasons.has(error.reason) && at !== undefined && permission !== '') {
      // The change of the winner may have been committed by another server.
      await feed.catchUp()
      await access.require(context, permission, at)
    }
    throw error
  }
}
