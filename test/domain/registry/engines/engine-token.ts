import { decodeJwt } from 'jose'
import { isRecord } from '../../../../runtime/validation.ts'

/** A question for a token of the registry. */
export interface TokenQuestion {
  /** The address of the platform. */
  readonly url: string
  /** The name of the registry in tokens. */
  readonly service: string
  /** The password of HTTP Basic; undefined for an anonymous caller. */
  readonly password: string | undefined
}

/** Returns a token for scopes of a registry. */
export async function engineToken(
  { password, service, url }: TokenQuestion,
  ...scopes: readonly string[]
): Promise<string> {
  const query = new URLSearchParams([['service', service], ...scopes.map(scope => ['scope', scope])])
  const basic = Buffer.from(`token:${password}`).toString('base64')
  const headers: Record<string, string> = password === undefined ? {} : { authorization: `Basic ${basic}` }
  const answer: unknown = await (await fetch(`${url}/v2/_token?${query}`, { headers })).json()
  return isRecord(answer) ? String(answer['token']) : ''
}

/** Returns what a token grants: `acme/web/app:pull,push`. */
export function grantsOf(token: string): readonly string[] {
  const { access } = decodeJwt<{
    readonly access: readonly { readonly name: string; readonly actions: readonly string[] }[]
  }>(token)
  return access.map(({ actions, name }) => `${name}:${actions.join()}`)
}
