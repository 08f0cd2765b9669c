import { createPrivateKey } from 'node:crypto'
import type { VaultArea } from '../../../output/vault/area.ts'
import { csrInvalid, templateNotFound, templateRequired } from '../../../output/vault/errors.ts'
import type { CertificateTemplate, ParsedCreateCertificateRequest } from '../../../output/vault/types.ts'
import { engineUnavailable } from '../../../output/shared/errors.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { ApiError, atField, faultAt } from '../../../runtime/errors.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { requireFound } from '../../resources/find-rows.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { Standard } from '../../resources/mutation-rules.ts'
import type { Resources } from '../../resources/resources.ts'
import type { VaultEnvironment } from '../environment.ts'
import { createFilledSecret } from '../secrets/new-secret.ts'
import { setAgenda } from '../work/agenda.ts'
import { authorityCollection, type StoredAuthority } from './authorities-store.ts'
import { authorityKind } from './authority-kind.ts'
import { requireWithin, validityOf } from './authority-certificate.ts'
import { signAs, signSchemeOf } from './authority-signer.ts'
import { allowedLifetime, allowedNames, requireAlgorithm, usagesOf } from './certificate-policy.ts'
import { newCertificate, nextNotice } from './certificate-row.ts'
import { certificateCollection, type StoredCertificate } from './certificates-store.ts'
import { holdIssuer, readIssuer, requireIssuing, requireValidChain, type Issuer } from './issuer.ts'
import { leafContent } from './leaf-certificate.ts'
import { addLive } from './live-certificates.ts'
import { isPairMade, requestedCertificate, type RequestedCertificate } from './requested-certificate.ts'
import { templateCollection } from './templates-store.ts'
import { signedCertificate } from './x509/certificate-der.ts'

/** The number of times that a certificate is signed again because its template changed in between. */
const maxAttempts = 5

/** The template changed between the signature and the transaction. */
class StaleTemplate extends Error {
  override readonly name = 'StaleTemplate'
}

/** A signed certificate that is not stored yet, and the template by which it was issued. */
interface Signed {
  readonly row: StoredCertificate
  readonly template: CertificateTemplate | undefined
}

/**
 * Issues a certificate. The certificate is signed before the transaction, which checks the authority, its chain and the
 * template again under their locks.
 */
export async function issueCertificate(
  environment: VaultEnvironment,
  resources: Resources<StoredCertificate, VaultArea>,
  request: ParsedCreateCertificateRequest,
  context: CallContext,
) {
  if (isPairMade(request.body))
    await environment.access.require(context, 'vault.secrets.create', workspaceScope(request.workspace))
  const requested = await requestedCertificate(request.body)
  const standards = { row: resources.standard(request, context), secret: resources.standard(request, context) }
  try {
    return await attempts(environment, { request, context, requested, standards })
  } finally {
    requested.material?.secret.fill(0)
  }
}

/** The parts of one call. */
interface Call {
  readonly request: ParsedCreateCertificateRequest
  readonly context: CallContext
  readonly requested: RequestedCertificate
  readonly standards: { readonly row: Standard; readonly secret: Standard }
}

async function attempts(environment: VaultEnvironment, call: Call) {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const signed = await signOrFault(environment, call)
    try {
      return await environment.operations.mutate(call.context, call.request, tx =>
        record(tx, environment, call, signed),
      )
    } catch (error) {
      if (!(error instanceof StaleTemplate)) throw error
    }
  }
  throw engineUnavailable('the template of the certificate changes all the time; retry', { retryAfterSeconds: 1 })
}

/** Signs the certificate, or returns the fault that the transaction throws at its step. */
async function signOrFault(environment: VaultEnvironment, call: Call): Promise<Signed | { readonly fault: ApiError }> {
  try {
    return await sign(environment, call)
  } catch (fault) {
    if (fault instanceof ApiError) return { fault }
    throw fault
  }
}

async function sign(environment: VaultEnvironment, call: Call): Promise<Signed> {
  const { context, request, requested, standards } = call
  const { store } = environment
  const found = await store.get(authorityCollection, request.certificate_authority)
  const path = { ...request, id: request.certificate_authority }
  const { value: authority } = await requireFound(store, environment.taxonomy, authorityKind, path, found)
  const issuer = await readIssuer(store, authority)
  requireIssuing(authority, issuer.ancestors, context.now)
  requireValidChain(issuer, context.now)
  const template = await templateOf(environment, request, authority)
  requireOtherKey(requested, issuer)
  requireAlgorithm(requested.certified, template, requested.field)
  const names = allowedNames(requested, template, issuer)
  const lifetime = allowedLifetime(request.body.lifetime, template, authority)
  requireWithin(issuer, validityOf(lifetime, context.now).notAfter)
  const usages = usagesOf(template, requested.certified, requested.field)
  const content = leafContent({ ...requested, issuer, names, usages, lifetime, now: context.now, template })
  const der = await signedCertificate(content, signSchemeOf(authority), bytes => signAs(environment, authority, bytes))
  const secretId = requested.material ? standards.secret.id : ''
  const row = newCertificate(
    { call: request, context, der, issuer, lifetime, names, requested, secretId, template },
    standards.row,
  )
  return { row, template }
}

/** Returns the template that the body names. Throws TEMPLATE_REQUIRED or TEMPLATE_NOT_FOUND at the field. */
async function templateOf(
  { store }: VaultEnvironment,
  { body }: ParsedCreateCertificateRequest,
  authority: StoredAuthority,
): Promise<CertificateTemplate | undefined> {
  const field = 'certificate_template_id'
  const id = body.certificate_template_id
  if (id === '' && authority.require_template)
    throw faultAt(templateRequired, field, `certificate authority ${authority.id} issues by templates only`)
  if (id === '') return undefined
  const template = (await store.get(templateCollection, id))?.value
  if (template?.certificate_authority_id === authority.id) return template
  const message = `certificate authority ${authority.id} has no certificate template ${id}`
  throw atField(templateNotFound(message, { resource: { type: 'vault.certificateTemplates', name: id } }), field)
}

/** Throws CSR_INVALID if the key is that of an authority of the chain. */
function requireOtherKey({ certified, field }: RequestedCertificate, { chain }: Issuer): void {
  const isTaken = chain.some(({ publicKey }) => publicKey.equals(certified.key))
  if (isTaken) throw faultAt(csrInvalid, field, 'the key is that of an authority of the chain; use a key of its own')
}

/** Stores the certificate, with the checks of conventions §4 in their order. */
async function record(
  tx: Transaction,
  environment: VaultEnvironment,
  { context, request, requested, standards }: Call,
  signed: Signed | { readonly fault: ApiError },
) {
  const { taxonomy } = environment
  const scope = workspaceScope(request.workspace)
  await taxonomy.share(tx, scope)
  const path = { ...request, id: request.certificate_authority }
  const held = await holdIssuer(tx, path.id, 'lock')
  const { value: authority } = await requireFound(tx, taxonomy, authorityKind, path, held?.stored)
  await taxonomy.requireActive(tx, request.workspace)
  if ('fault' in signed) throw signed.fault
  requireIssuing(authority, held?.ancestors ?? [], context.now)
  await requireSame(tx, signed.template)
  const { row } = signed
  await tx.insert(certificateCollection, row)
  if (requested.material) await storeKey(tx, environment, requested, { request, context, standards })
  await addLive(tx, row)
  await setAgenda(tx, 'certificates.end', row, nextNotice(row, context.now))
  return { type: 'CREATE', resourceType: 'vault.certificates', resourceId: row.id, scope } as const
}

/** Throws `StaleTemplate` unless the template is still as it was when the certificate was signed. */
async function requireSame(tx: Transaction, template: CertificateTemplate | undefined): Promise<void> {
  if (template === undefined) return
  const stored: Stored<CertificateTemplate> | undefined = await tx.share(templateCollection, template.id)
  if (stored?.value.etag !== template.etag) throw new StaleTemplate()
}

/** Stores the private key, PKCS#8 in PEM, as the first version of a new secret. */
async function storeKey(
  tx: Transaction,
  environment: VaultEnvironment,
  { material }: RequestedCertificate,
  { context, request, standards }: Pick<Call, 'context' | 'request' | 'standards'>,
): Promise<void> {
  if (material === undefined) return
  const key = createPrivateKey({ key: material.secret, format: 'der', type: 'pkcs8' })
  const payload = Buffer.from(key.export({ format: 'pem', type: 'pkcs8' }).toString())
  const name = request.body.private_key_secret_name ?? ''
  await createFilledSecret(tx, environment, { ...standards.secret, name, payload }, context.now)
  payload.fill(0)
}
