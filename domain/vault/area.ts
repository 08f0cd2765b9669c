import type {
  CertificateAuthorityHandlers,
  CertificateHandlers,
  CryptoKeyHandlers,
} from '../../output/vault/handlers.ts'
import type { VaultEnvironment } from './environment.ts'
import { inspectVault } from './inspect.ts'
import type { FormRules } from '../../runtime/form-rules.ts'
import { capsuleForm } from './capsules/capsule-form.ts'
import { capsuleKind } from './capsules/capsule-kind.ts'
import { capsulePayloads } from './capsules/capsules-store.ts'
import { capsules } from './capsules/capsules.ts'
import { capsuleWork } from './capsules/capsule-work.ts'
import { authorityCalls } from './certificates/authorities.ts'
import { authorityForm } from './certificates/authority-form.ts'
import { authorityKind } from './certificates/authority-kind.ts'
import { certificateKind } from './certificates/certificate-kind.ts'
import { certificateWork } from './certificates/certificate-work.ts'
import { certificateCalls } from './certificates/certificates.ts'
import { liveCollection } from './certificates/live-certificates.ts'
import { makeAuthority } from './certificates/make-authority.ts'
import { certificateForm } from './certificates/requested-certificate.ts'
import { newTemplateRule, templateForm } from './certificates/template-form.ts'
import { templateKind } from './certificates/template-kind.ts'
import { templates } from './certificates/templates.ts'
import { cryptoKeyKind } from './keys/crypto-key-kind.ts'
import { keyCalls } from './keys/crypto-keys.ts'
import { additionalRule, encryptionCalls } from './keys/encryption.ts'
import { generateKey } from './keys/generate-key.ts'
import { keyForm, newKeyRule } from './keys/key-form.ts'
import { keyVersionCollection, materialCollection } from './keys/key-versions-store.ts'
import { keyVersions } from './keys/key-versions.ts'
import { keyWork } from './keys/key-work.ts'
import { randomBytesCall } from './keys/random-bytes.ts'
import { signForm, verifyForm } from './keys/signed-input.ts'
import { signingCalls } from './keys/signing.ts'
import { needsKeys } from './seal/sealed-operations.ts'
import { getList } from './revocation/get-list.ts'
import { listCollection, partCollection, revocationCollection } from './revoked/lists-store.ts'
import { revokeAuthority } from './revocation/revoke-authority.ts'
import { revokeCertificate } from './revocation/revoke-certificate.ts'
import { sealCollections } from './seal/seal-store.ts'
import { secretForm } from './secrets/secret-form.ts'
import { secretKind } from './secrets/secret-kind.ts'
import { secretVersions } from './secrets/secret-versions.ts'
import { payloadCollection, secretVersionCollection } from './secrets/secret-versions-store.ts'
import { secretWork } from './secrets/secret-work.ts'
import { secrets } from './secrets/secrets.ts'
import { snapshotMarks } from './snapshots/snapshot-marks.ts'
import { snapshots } from './snapshots/snapshots.ts'
import { takeSnapshot } from './snapshots/take-snapshot.ts'
import { agenda, type AgendaHandlers } from './work/agenda.ts'

/** The parts of the area of vault that need no setting. */
export const vault = {
  kinds: [capsuleKind, secretKind, certificateKind, templateKind, authorityKind, cryptoKeyKind],
  needs: { optional: ['iam'] },
  collections: [
    ...sealCollections,
    agenda,
    capsulePayloads,
    keyVersionCollection,
    listCollection,
    liveCollection,
    materialCollection,
    partCollection,
    payloadCollection,
    revocationCollection,
    secretVersionCollection,
    snapshotMarks,
  ],
  inspect: inspectVault,
} as const

/** The calls of crypto keys. */
const cryptoKeys = (environment: VaultEnvironment): CryptoKeyHandlers => ({
  ...keyCalls(environment),
  ...encryptionCalls(environment),
  ...signingCalls(environment),
  ...randomBytesCall(environment),
})

/** The calls of certificate authorities. */
const certificateAuthorities = (environment: VaultEnvironment): CertificateAuthorityHandlers => ({
  ...authorityCalls(environment),
  revokeCertificateAuthority: (request, context) => revokeAuthority(environment, request, context),
  getCertificateRevocationList: request => getList(environment, request),
})

/** The calls of certificates. */
const certificates = (environment: VaultEnvironment): CertificateHandlers => ({
  ...certificateCalls(environment),
  revokeCertificate: (request, context) => revokeCertificate(environment, request, context),
})

/** The built resources of the area. */
export const vaultResources = {
  capsules,
  certificateAuthorities,
  certificates,
  certificateTemplates: templates,
  cryptoKeys,
  cryptoKeyVersions: keyVersions,
  secrets,
  secretVersions,
  snapshots,
} as const

/** Returns the rules for bodies beyond their schemas. */
export const vaultForms = (minWindowMs: number): FormRules => ({
  createCapsule: capsuleForm,
  createCertificate: certificateForm,
  createCertificateAuthority: authorityForm,
  createCertificateTemplate: [...templateForm, newTemplateRule],
  updateCertificateTemplate: templateForm,
  createSecret: secretForm,
  updateSecret: secretForm,
  createCryptoKey: [...keyForm(minWindowMs), newKeyRule],
  updateCryptoKey: keyForm(minWindowMs),
  encrypt: [additionalRule],
  decrypt: [additionalRule],
  reEncrypt: [additionalRule],
  generateDataEncryptionKey: [additionalRule],
  sign: signForm,
  verify: verifyForm,
})

/** The durable work of the area. */
export const vaultProcedures = (environment: VaultEnvironment) => [
  generateKey(environment),
  makeAuthority(environment),
  takeSnapshot(environment),
]

/** Returns the due work of all resources. */
export const vaultWork = (environment: VaultEnvironment): AgendaHandlers => ({
  ...capsuleWork(environment),
  ...certificateWork(environment),
  ...keyWork(environment),
  ...secretWork(environment),
})

/**
 * Throws VAULT_SEALED for a call that needs keys while the vault is sealed (conventions §4, step 4). `given` is the
 * parsed and unchecked request; undefined before the request is parsed.
 */
export function admitCall(
  { keyring }: Pick<VaultEnvironment, 'keyring'>,
  operationId: string,
  given: Readonly<Record<string, unknown>> | undefined,
): void {
  if (needsKeys(operationId, given)) keyring.requireUnsealed()
}
