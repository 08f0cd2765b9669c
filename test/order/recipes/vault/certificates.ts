import { authorityCollection, authorityState } from '../../../../domain/vault/certificates/authorities-store.ts'
import { certificateCollection, certificateState } from '../../../../domain/vault/certificates/certificates-store.ts'
import { absentId } from '../../../areas/members.ts'
import { withBody, type Aim } from '../../aim.ts'
import type { AreaRecipes, Fault } from '../../recipe.ts'
import { resourceRecipes, type Resource } from '../../resource-recipes.ts'
import { noRoomIn } from '../../taxonomy-quota.ts'
import type { World } from '../../world.ts'

const unsealed = 'the vault of the test is unsealed'

const root = ({ newName }: World) => ({
  name: newName(),
  type: 'VAULT_CERTIFICATE_AUTHORITY_TYPE_ROOT',
  subject: { common_name: 'Acme Root CA' },
  lifetime: '315360000s',
})

const shortLife: Fault = { reason: 'FIELD_INVALID', apply: aim => withBody(aim, { lifetime: '1s' }) }

const noParent: Fault = {
  reason: 'CA_NOT_FOUND',
  apply: aim =>
    withBody(aim, {
      type: 'VAULT_CERTIFICATE_AUTHORITY_TYPE_SUBORDINATE',
      parent_certificate_authority_id: absentId,
    }),
}

const reason = { reason: 'VAULT_REVOCATION_REASON_SUPERSEDED' }

/** The authority has failed. The fault writes to the store, because it is made for suspended workspaces too. */
const failed: Fault = {
  reason: 'CA_NOT_ENABLED',
  async apply(aim, { store }) {
    await store.tx(async tx => {
      const found = await tx.lock(authorityCollection, aim.path['id'] ?? '')
      if (!found) return
      await tx.update(authorityCollection, found.id, { ...found.value, state: authorityState('FAILED') }, found.version)
    })
    return aim
  },
}

/** The certificate is revoked. The fault writes to the store, because it is made for suspended workspaces too. */
const revoked: Fault = {
  reason: 'CERTIFICATE_ALREADY_REVOKED',
  async apply(aim, { store }) {
    await store.tx(async tx => {
      const found = await tx.lock(certificateCollection, aim.path['id'] ?? '')
      if (!found) return
      const row = { ...found.value, state: certificateState('REVOKED') }
      await tx.update(certificateCollection, found.id, row, found.version)
    })
    return aim
  },
}

const authority: Resource = {
  noun: 'CertificateAuthority',
  body: root,
  calls: {
    create: {
      faults: { rule: shortLife, reference: noParent, quota: noRoomIn('WORKSPACE', 'vault.certificateAuthorities') },
      unmade: { seal: unsealed },
    },
    revoke: { body: reason, faults: { state: failed } },
  },
}

/** Creates an authority in a new workspace; returns the path of its collections. */
async function newAuthority(world: World): Promise<Aim['path']> {
  const place = { workspace: (await world.newPlace()).workspace, engine: 'native' }
  const certificate_authority = await world.run('createCertificateAuthority', { path: place, body: root(world) })
  return { ...place, certificate_authority }
}

/** The authority has failed. The fault writes to the store, because no call leads there. */
const notEnabled: Fault = {
  reason: 'CA_NOT_ENABLED',
  async apply(aim, { store }) {
    await store.tx(async tx => {
      const found = await tx.lock(authorityCollection, aim.path['certificate_authority'] ?? '')
      if (!found) return
      await tx.update(authorityCollection, found.id, { ...found.value, state: authorityState('FAILED') }, found.version)
    })
    return aim
  },
}

const noTemplate: Fault = {
  reason: 'TEMPLATE_NOT_FOUND',
  apply: aim => withBody(aim, { certificate_template_id: absentId }),
}

const certificate: Resource = {
  noun: 'Certificate',
  at: newAuthority,
  body: ({ newName }) => ({
    name: newName(),
    private_key_secret_name: newName(),
    config: { subject: { common_name: 'web.acme.example' } },
  }),
  calls: {
    create: {
      faults: {
        rule: shortLife,
        state: notEnabled,
        reference: noTemplate,
        quota: noRoomIn('WORKSPACE', 'vault.secrets'),
      },
      unmade: { seal: unsealed },
    },
    revoke: { body: reason, faults: { state: revoked } },
  },
}

const signs: Fault = {
  reason: 'TEMPLATE_USAGE_NOT_ALLOWED',
  apply: aim => withBody(aim, { key_usages: ['VAULT_KEY_USAGE_CERT_SIGN'] }),
}

const template: Resource = {
  noun: 'CertificateTemplate',
  at: newAuthority,
  body: ({ newName }) => ({ name: newName() }),
  calls: {
    create: { faults: { rule: signs } },
    update: { body: { display_name: 'another' }, faults: { rule: signs } },
    delete: {},
  },
}

/** The recipes of authorities, templates and certificates. */
export const certificateRecipes: AreaRecipes = {
  operations: { ...resourceRecipes(authority), ...resourceRecipes(certificate), ...resourceRecipes(template) },
  reasons: {
    // These errors judge the crypto key, the parent and the authority that the body names.
    'createCertificateAuthority.CRYPTO_KEY_DELETE_SCHEDULED': 'reference',
    'createCertificateAuthority.KEY_PURPOSE_MISMATCH': 'reference',
    'createCertificateAuthority.KEY_VERSION_DISABLED': 'reference',
    'createCertificateAuthority.KEY_VERSION_DESTROYED': 'reference',
    'createCertificateAuthority.KEY_VERSION_NOT_READY': 'reference',
    'createCertificateAuthority.CRYPTO_KEY_IN_USE': 'uniqueness',
    'createCertificateAuthority.CA_NOT_ENABLED': 'reference',
    'createCertificateAuthority.CA_NOT_FOUND': 'reference',
    'createCertificateAuthority.ISSUER_NOT_USABLE': 'reference',
    'createCertificateAuthority.PATH_LENGTH_EXCEEDED': 'reference',
    'createCertificateAuthority.LIFETIME_EXCEEDS_ISSUER': 'reference',
    'createCertificateAuthority.CA_NOT_AWAITING_ACTIVATION': 'reference',
    // These errors judge the body together with the template and the chain of the authority.
    'createCertificate.TEMPLATE_REQUIRED': 'reference',
    'createCertificate.TEMPLATE_NOT_FOUND': 'reference',
    'createCertificate.ALGORITHM_NOT_ALLOWED': 'reference',
    'createCertificate.NAME_NOT_ALLOWED': 'reference',
    'createCertificate.LIFETIME_EXCEEDS_ISSUER': 'reference',
    'createCertificate.LIFETIME_EXCEEDS_TEMPLATE': 'reference',
  },
}
