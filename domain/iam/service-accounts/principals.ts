import type { PrincipalHandlers } from '../../../output/iam/handlers.ts'
import type { GetPrincipalRequest, ListPrincipalsRequest, Principal } from '../../../output/iam/types.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import type { Answer } from '../../../runtime/json.ts'
import type { Page } from '../../../runtime/pagination.ts'
import { seenBy, type VisibleRows, platform } from '../../ports/access.ts'
import { findPrincipal, foundPrincipal } from '../grants/named-principals.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { principals } from '../collections/principals-store.ts'
import { homeOf } from '../values/home-scope.ts'

/** Serves the directory of users and service accounts (iam.md 1, 3). */
export class Principals implements PrincipalHandlers {
  readonly #parts: IamEnvironment

  constructor(parts: IamEnvironment) {
    this.#parts = parts
  }

  async listPrincipals(_request: ListPrincipalsRequest, context: ListContext): Promise<Page<Principal>> {
    const { access, store } = this.#parts
    const isOwn = { isOwn: true }
    const users = await access.visible(context, 'iam.users.list', isOwn)
    const programs = await access.visible(context, 'iam.serviceAccounts.list', isOwn)
    // A caller with neither of the two permissions at any scope is refused.
    if (isNothing(users) && isNothing(programs)) await access.visible(context, 'iam.users.list')
    return store.list(principals, context.query, [
      { kind: 'USER', ...seenBy(users, 'organisation_id') },
      { kind: 'SERVICE_ACCOUNT', ...seenBy(programs, 'workspace_id') },
      { id: context.principal?.id ?? '' },
    ])
  }

  async getPrincipal({ id }: GetPrincipalRequest, context: CallContext): Promise<Answer<Principal>> {
    const { store } = this.#parts
    const principal = await findPrincipal(store, id)
    if (!principal || !(await this.#isSeen(principal, context))) await this.#refuse(principal, context)
    return foundPrincipal(store, id)
  }

  async #isSeen(principal: Principal, context: CallContext): Promise<boolean> {
    if (principal.kind === 'SYSTEM' || principal.id === context.principal?.id) return true
    return this.#parts.access.holds(context, keyOf(principal), homeOf(principal))
  }

  /**
   * Throws the error for a hidden or absent principal. A hidden and an absent principal cause equal errors, except for
   * holders of iam.users.get at PLATFORM: for these, an absent principal causes no error here.
   */
  async #refuse(principal: Principal | undefined, context: CallContext): Promise<void> {
    const { access } = this.#parts
    await access.require(context, 'iam.users.get', platform)
    if (principal) await access.require(context, keyOf(principal), homeOf(principal))
  }
}

const isNothing = (seen: VisibleRows): boolean => typeof seen === 'object' && 'scopes' in seen && seen.scopes.size === 0

const keyOf = ({ kind }: Principal): string => (kind === 'USER' ? 'iam.users.get' : 'iam.serviceAccounts.get')
