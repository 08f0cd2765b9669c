import type { VaultArea } from '../../../output/vault/area.ts'
import type { CertificateAuthorityHandlers } from '../../../output/vault/handlers.ts'
import type { CertificateAuthority } from '../../../output/vault/types.ts'
import { requirePlace } from '../../resources/find-rows.ts'
import { Resources } from '../../resources/resources.ts'
import type { VaultEnvironment } from '../environment.ts'
import { byStateAt } from '../../resources/state-by-clock.ts'
import { activateAuthority } from './activate-authority.ts'
import { authorityCollection, type StoredAuthority } from './authorities-store.ts'
import { authorityKind } from './authority-kind.ts'
import { authorityStateAt, authorityStates } from './certificate-states.ts'
import { createAuthority } from './create-authority.ts'

/** The calls that create, activate and read authorities. */
export type AuthorityCalls = Pick<
  CertificateAuthorityHandlers,
  'createCertificateAuthority' | 'getCertificateAuthority' | 'listCertificateAuthorities'
>

/** Returns the calls that create, activate and read certificate authorities. */
export function authorityCalls(environment: VaultEnvironment): AuthorityCalls {
  const { store, taxonomy } = environment
  const resources = new Resources<StoredAuthority, VaultArea>(authorityKind, environment)
  return {
    async listCertificateAuthorities(request, { query }) {
      const { engine, workspace } = request
      const where = { workspace_id: workspace, engine }
      const page = await store.page(authorityCollection, byStateAt(query, authorityStates), where)
      if (page.items.length === 0) await requirePlace(store, taxonomy, authorityKind, { workspace, engine })
      return { ...page, items: page.items.map(({ value }) => shownAuthority(value, query.now)) }
    },
    async getCertificateAuthority(request, { now }) {
      return shownAuthority((await resources.read(request)).value, now)
    },
    createCertificateAuthority(request, context) {
      const { activation } = request.body
      if (activation !== undefined) return activateAuthority(environment, request, activation, context)
      return createAuthority(environment, resources, request, context)
    },
  }
}

/** Returns an authority as callers see it, with its state at a time. */
export function shownAuthority(authority: StoredAuthority, now: number): CertificateAuthority {
  const { crypto_key_version: _version, key_row_id: _row, operation_id: _work, ...shown } = authority
  return { ...shown, state: authorityStateAt(authority, now) }
}
