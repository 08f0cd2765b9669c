import type { TokenHandlers } from '../../../output/iam/handlers.ts'
import type {
  IamOperation,
  ListTokensRequest,
  RefreshTokenRequest,
  RevokeTokenRequest,
  Token,
  TokenResponse,
} from '../../../output/iam/types.ts'
import { fieldInvalid } from '../../../output/shared/errors.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import type { Answer } from '../../../runtime/json.ts'
import type { Page } from '../../../runtime/pagination.ts'
import type { AccessTokens } from './access-tokens.ts'
import { exchangeAssertion } from './exchange-assertion.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { refreshSession } from './refresh.ts'
import { revokeAllOf, revokeById, revokePossessed } from './revoke-token.ts'
import { seenTokens } from './visible-tokens.ts'
import { withStoredStatus } from './token-status-filter.ts'
import { tokenAnswer, tokens } from '../collections/tokens-store.ts'

/** Serves sessions of users and token families of service accounts (iam.md 1, 4.7). */
export class Tokens implements TokenHandlers {
  readonly #parts: IamEnvironment & { readonly accessTokens: AccessTokens }

  constructor(parts: IamEnvironment, accessTokens: AccessTokens) {
    this.#parts = { ...parts, accessTokens }
  }

  async listTokens(_request: ListTokensRequest, context: ListContext): Promise<Page<Token>> {
    const { access, store } = this.#parts
    const { principal, query } = context
    const visible = await access.visible(context, 'iam.tokens.list', { isOwn: true })
    const filter = query.filter && withStoredStatus(query.filter, query.now)
    const where = seenTokens(visible, principal?.id ?? '')
    const page = await store.page(tokens, { ...query, filter }, where)
    return { ...page, items: page.items.map(({ value }) => tokenAnswer(value, query.now, principal?.sessionId)) }
  }

  async refreshToken({ body }: RefreshTokenRequest, context: CallContext): Promise<Answer<TokenResponse>> {
    const { assertion, refresh_token } = body
    requireOne({ refresh_token, assertion })
    if (assertion !== undefined) return exchangeAssertion(this.#parts, assertion, context)
    return refreshSession(this.#parts, refresh_token ?? '', context)
  }

  async revokeToken(request: RevokeTokenRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const { principal_id, token, token_id } = request.body
    requireOne({ token, token_id, principal_id })
    if (token !== undefined) return revokePossessed(this.#parts, token, request, context)
    if (token_id !== undefined) return revokeById(this.#parts, token_id, request, context)
    return revokeAllOf(this.#parts, principal_id ?? '', request, context)
  }
}

/** Throws FIELD_INVALID unless exactly one of the members is present. */
function requireOne(members: Readonly<Record<string, string | undefined>>): void {
  const given = Object.keys(members).filter(name => members[name] !== undefined)
  if (given.length === 1) return
  const names = Object.keys(members)
  const description = `give exactly one of ${names.join(', ')}`
  const fields = given.length === 0 ? names.slice(0, 1) : given.slice(1)
  throw fieldInvalid(`the body is invalid: ${description}`, {
    badRequest: fields.map(field => ({ field, description })),
  })
}
