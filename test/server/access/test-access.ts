import { createHash, timingSafeEqual } from 'node:crypto'
import type { Principal } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { platform } from '../../../domain/ports/access.ts'
import { doorReasons } from '../../../server/door-reasons.ts'
import type { OpenAccess, PlatformAccess } from '../../../server/access/platform-access.ts'
import { permissionDenied } from '../../../domain/resources/permission-denied.ts'

/** The principal of a test platform's token. */
export const testAdministrator: Principal = { id: '00000000-0000-7000-8000-00000000000a', kind: 'user' }

/** The token of every test platform, so that several servers over one store admit the same caller. */
export const testToken = 'test-administrator-of-the-platform-0123456789'

/**
 * Opens an access that grants one administrator every permission everywhere, even permissions of made areas, which the
 * catalogue of iam lacks. Routes without `x-access` refuse every caller.
 */
export const testAccess: OpenAccess = async () => testGuard

/** The access that `testAccess` opens. */
export const testGuard: PlatformAccess = {
  functions: {
    iam: {
      async authenticateToken(token) {
        if (token !== testToken) throw tokenInvalid()
        return testAdministrator
      },
      async accountOfAssertion() {
        throw tokenInvalid()
      },
      findPrincipal: async (_reader, id) =>
        id === testAdministrator.id ? { kind: 'user', status: 'ACTIVE' } : undefined,
      grantCreator: async () => {},
      ensureServiceAccount: async () => '',
      scopeChanged: async () => {},
    },
  },
  doors: {
    async authenticate({ headers: { authorization } }, access) {
      if (access?.kind === 'public') return undefined
      if (authorization === undefined) throw new ApiError(doorReasons.tokenMissing, 'this call needs a token')
      if (!timingSafeEqual(digest(authorization), digest(`Bearer ${testToken}`))) throw tokenInvalid()
      return testAdministrator
    },
    async authorize(_context, { access }) {
      if (access === undefined) throw permissionDenied('', platform)
    },
  },
  access: { require: async () => {}, holds: async () => true, visible: async () => 'everything' },
  routes: [],
  periodic: [],
  begin: async () => () => ['sign in with the token of the tests'],
  end: () => {},
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const tokenInvalid = (): ApiError => new ApiError(doorReasons.tokenInvalid, 'the token is not valid')
