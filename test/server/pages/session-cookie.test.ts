import { describe, expect, it } from 'vitest'
import { cookieOf, noCookie, tokenIn } from '../../../server/pages/session-cookie.ts'

describe('the cookie of a session', () => {
  it.each([
    ['none', undefined, undefined],
    ['an empty header', '', undefined],
    ['cookies of other programs on the host, whatever they hold', 'a=%zz; b; =c; ninefold=x', undefined],
    ['an empty token', 'ninefold_session=', undefined],
    ['a token between others', 'a=1; ninefold_session=e.y.J; b=2', 'e.y.J'],
    ['two tokens, of which the first counts', 'ninefold_session=one;ninefold_session=two', 'one'],
    ['a name that only ends like it', 'my_ninefold_session=e', undefined],
  ])('is read from %s', (_, header, token) => expect(tokenIn(header)).toBe(token))

  it('is out of reach of scripts and of requests from other sites', () => {
    expect(cookieOf('e.y.J', false)).toBe('ninefold_session=e.y.J; Path=/; HttpOnly; SameSite=Lax')
    expect(cookieOf('e.y.J', true)).toBe('ninefold_session=e.y.J; Path=/; HttpOnly; SameSite=Lax; Secure')
  })

  it('is removed by an empty cookie of the same path', () => {
    expect(noCookie(true)).toBe('ninefold_session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0')
  })
})
