import { activationChainInvalid, caNotAwaitingActivation, caNotFound } from '../../../output/vault/errors.ts'
import type {
  CertificateAuthorityActivation,
  ParsedCreateCertificateAuthorityRequest,
} from '../../../output/vault/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { atField, faultAt } from '../../../runtime/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { isAt } from '../../resources/find-rows.ts'
import { nextEtag } from '../../resources/etag.ts'
import { requireWorkspace } from '../../resources/find-rows.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { VaultEnvironment } from '../environment.ts'
import { startList } from '../revoked/mark-revoked.ts'
import { setAgenda } from '../work/agenda.ts'
import { authorityCollection, authorityState, type StoredAuthority } from './authorities-store.ts'
import { certifiedMembers, subjectDer } from './authority-certificate.ts'
import { readSigningRequest } from './x509/signing-request.ts'
import { readCertificate, type ReadCertificate } from './read-certificate.ts'

const chainField = 'activation.pem_certificate_chain'

/** The time by which the clocks of two authorities may differ, in milliseconds. */
const skewMs = 300_000

/**
 * Activates an authority with a certificate that was signed elsewhere. Throws CA_NOT_FOUND at the field,
 * CA_NOT_AWAITING_ACTIVATION and ACTIVATION_CHAIN_INVALID.
 */
export async function activateAuthority(
  { operations, taxonomy }: VaultEnvironment,
  request: ParsedCreateCertificateAuthorityRequest,
  activation: CertificateAuthorityActivation,
  context: CallContext,
) {
  const chain = readChain(activation.pem_certificate_chain)
  requireChain(chain, context.now)
  const { engine, workspace } = request
  const id = activation.certificate_authority_id
  return operations.mutate(context, request, async tx => {
    await taxonomy.share(tx, workspaceScope(workspace))
    await requireWorkspace(tx, taxonomy, workspace)
    await taxonomy.requireActive(tx, workspace)
    const stored = await tx.lock(authorityCollection, id)
    if (!stored || !isAt(stored.value, { workspace, engine })) throw absentAuthority(workspace, id)
    requireAwaiting(stored.value)
    requireOwn(stored.value, chain[0])
    requirePathLengths(stored.value, chain)
    const next = {
      ...stored.value,
      ...certifiedMembers(chain),
      etag: nextEtag(stored.value.etag),
      update_time: formatMillis(context.now),
    }
    await tx.update(authorityCollection, id, next, stored.version)
    await setAgenda(tx, 'certificateAuthorities.expire', next, next.not_after_time)
    await startList(tx, next, context.now)
    const resource = { resourceType: 'vault.certificateAuthorities', resourceId: id } as const
    return { type: 'ACTIVATE', ...resource, scope: workspaceScope(workspace) }
  })
}

const absentAuthority = (workspace: string, id: string) =>
  atField(
    caNotFound(`workspace ${workspace} has no certificate authority ${id}`, {
      resource: { type: 'vault.certificateAuthorities', name: id },
    }),
    'activation.certificate_authority_id',
  )

function requireAwaiting({ id, state }: StoredAuthority): void {
  if (state === authorityState('AWAITING_ACTIVATION')) return
  throw caNotAwaitingActivation(`certificate authority ${id} is ${state}, and waits for no certificate`, {
    resource: { type: 'vault.certificateAuthorities', name: id },
    precondition: [{ type: 'STATE', subject: id, description: 'the authority must be AWAITING_ACTIVATION' }],
  })
}

type Chain = readonly [ReadCertificate, ...ReadCertificate[]]

function readChain(pems: readonly string[]): Chain {
  const [own, ...above] = pems.map(
    (pem, i) => readCertificate(pem) ?? refuse('is no certificate of version 3 in PEM', i),
  )
  return own ? [own, ...above] : refuse('is empty', 0)
}

/** Requires that the certificates are those of authorities, hold now, and certify each other up to a root. */
function requireChain(chain: Chain, now: number): void {
  for (const [i, certificate] of chain.entries()) {
    const { isAuthority, notAfter, notBefore, rules, unknownCritical } = certificate
    const issuer = chain[i + 1] ?? certificate
    if (!isAuthority) refuse('is not the certificate of an authority that signs certificates', i)
    if (notBefore > now + skewMs || notAfter <= now) refuse('does not hold now', i)
    if (rules === undefined) refuse('has name constraints that the platform cannot check', i)
    if (unknownCritical[0] !== undefined)
      refuse(`has the critical extension ${unknownCritical[0]}, which clients do not know`, i)
    if (!certificate.issuer.equals(issuer.subject)) refuse(issuerFault(i, chain), i)
    if (!certificate.x509.verify(issuer.publicKey)) refuse('is not signed by the next certificate', i)
  }
}

const issuerFault = (i: number, { length }: Chain): string =>
  i === length - 1 ? 'is the last, and does not certify itself' : 'is not issued by the subject of the next certificate'

/**
 * Requires that each certificate allows the authorities below it: those of the chain and as many more as the authority
 * may have. A certificate that is issued by its own subject does not count (RFC 5280, 4.2.1.9).
 */
function requirePathLengths({ max_path_length: more = 0 }: StoredAuthority, chain: Chain): void {
  let below = more
  for (const [i, { issuer, pathLength, subject }] of chain.entries()) {
    if (pathLength !== undefined && pathLength < below)
      refuse(`has the path length ${pathLength}, and ${below} authorities may follow below it`, i)
    if (!issuer.equals(subject)) below += 1
  }
}

/** Requires that a certificate is for the authority: its key and its subject. */
function requireOwn(authority: StoredAuthority, own: ReadCertificate): void {
  const { certified } = readSigningRequest(authority.pem_csr, chainField)
  if (!certified.der.equals(own.publicKey.export({ format: 'der', type: 'spki' })))
    refuse('has another public key than the request of the authority', 0)
  if (!own.subject.equals(subjectDer(authority))) refuse('has another subject than the request of the authority', 0)
}

function refuse(reason: string, i: number): never {
  throw faultAt(activationChainInvalid, `${chainField}[${i}]`, `certificate ${i} of the chain ${reason}`)
}
