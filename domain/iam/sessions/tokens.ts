import type { TokenHandlers } from '../../../output/iam/handlers.ts'
import type {
  IamOperation,
  ListTokensRequest,
  RefreshTokenRequest,
  RevokeTokenRequest,
  Token,
  TokenResponse,
} from '../../../output/iam/types.ts'
import { rulesOf, type FormRule, type FormRules } from '../../../runtime/form-rules.ts'
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
    if (assertion !== undefined) return exchangeAssertion(this.#parts, assertion, context)
    return refreshSession(this.#parts, refresh_token ?? '', context)
  }

  async revokeToken(request: RevokeTokenRequest, context: CallContext): Promise<Answer<IamOperation>> {
    const { principal_id, token, token_id } = request.body
    if (token !== undefined) return revokePossessed(this.#parts, token, request, context)
    if (token_id !== undefined) return revokeById(this.#parts, token_id, request, context)
    return revokeAllOf(this.#parts, principal_id ?? '', request, context)
  }
}

/** The rules for the bodies of the calls, keyed by operationId. */
export const tokenForms: FormRules = {
  refreshToken: [oneOf<RefreshTokenRequest['body']>()(['refresh_token', 'assertion'])],
  revokeToken: [oneOf<RevokeTokenRequest['body']>()(['token', 'token_id', 'principal_id'])],
}

/** Returns a function that makes the rule that exactly one of the members is present. */
function oneOf<Body extends object>() {
  return <const Name extends keyof Body & string>(names: readonly Name[]): FormRule =>
    rulesOf<Body>()(names, body => {
      const given = names.filter(name => body[name] !== undefined)
      if (given.length === 1) return []
      const description = `give exactly one of ${names.join(', ')}`
      return (given.length === 0 ? names.slice(0, 1) : given.slice(1)).map(field => ({ field, description }))
    })
}
