import { caNotEnabled, issuerNotUsable, storedDataCorrupt } from '../../../output/vault/errors.ts'
import type { Reader, Stored, Transaction } from '../../ports/store.ts'
import { authorityCollection, authorityState, type StoredAuthority } from './authorities-store.ts'
import { authorityStateAt } from './certificate-states.ts'
import type { CertifiedName } from './names/certified-names.ts'
import { isAllowedBy, rulesOf } from './names/name-constraints.ts'
import { readCertificate, type ReadCertificate } from './read-certificate.ts'

/** An authority that signs, with the authorities of the platform above it and its chain of certificates. */
export interface Issuer {
  readonly authority: StoredAuthority
  /** The authorities above, the parent first. */
  readonly ancestors: readonly StoredAuthority[]
  /** The certificates of the chain, its own first and the root last. */
  readonly chain: readonly ReadCertificate[]
}

/** The maximal number of authorities above another; deeper rows are corrupt. */
const maxAncestors = 10

/** Returns an authority as an issuer. The state is not checked, and the chain of an authority without certificate is empty. */
export async function readIssuer(reader: Reader, authority: StoredAuthority): Promise<Issuer> {
  const ancestors: StoredAuthority[] = []
  for (let id = authority.parent_certificate_authority_id; id !== '';) {
    const above = await reader.get(authorityCollection, id)
    if (!above || ancestors.length === maxAncestors) throw corrupt(authority.id)
    ancestors.push(above.value)
    id = above.value.parent_certificate_authority_id
  }
  const chain = authority.pem_certificate_chain.map(pem => readCertificate(pem) ?? refuseCorrupt(authority.id))
  return { authority, ancestors, chain }
}

/**
 * Holds an authority and those above it, from the root downwards. `how` is the lock on the authority itself. Returns
 * undefined if the authority does not exist.
 */
export async function holdIssuer(
  tx: Transaction,
  id: string,
  how: 'lock' | 'share',
): Promise<{ readonly stored: Stored<StoredAuthority>; readonly ancestors: readonly StoredAuthority[] } | undefined> {
  const seen = await tx.get(authorityCollection, id)
  if (!seen) return undefined
  const { ancestors } = await readAncestors(tx, seen.value)
  const held: StoredAuthority[] = []
  for (const above of ancestors.toReversed()) {
    const stored = await tx.share(authorityCollection, above)
    if (!stored) throw corrupt(id)
    held.unshift(stored.value)
  }
  const stored = await tx[how](authorityCollection, id)
  return stored && { stored, ancestors: held }
}

/** Returns the ids of the authorities above, the parent first. No call changes them. */
async function readAncestors(reader: Reader, authority: StoredAuthority) {
  const { ancestors } = await readIssuer(reader, { ...authority, pem_certificate_chain: [] })
  return { ancestors: ancestors.map(({ id }) => id) }
}

/** Step 11: throws CA_NOT_ENABLED, or ISSUER_NOT_USABLE if an authority above is not ENABLED at a time. */
export function requireIssuing(authority: StoredAuthority, ancestors: readonly StoredAuthority[], now: number): void {
  const state = authorityStateAt(authority, now)
  if (state !== authorityState('ENABLED'))
    throw caNotEnabled(
      `certificate authority ${authority.id} is ${state}; only an ENABLED authority issues`,
      { state },
      {
        resource: { type: 'vault.certificateAuthorities', name: authority.id },
        precondition: [{ type: 'STATE', subject: authority.id, description: 'the authority must be ENABLED' }],
      },
    )
  for (const above of ancestors) {
    const stateAbove = authorityStateAt(above, now)
    if (stateAbove !== authorityState('ENABLED')) refuseIssuer(above.id, `it is ${stateAbove}`)
  }
}

/** Step 11: throws ISSUER_NOT_USABLE if a certificate of the chain has ended, for authorities outside of the platform. */
export function requireValidChain({ authority, chain }: Issuer, now: number): void {
  if (chain.some(({ notAfter }) => notAfter <= now))
    refuseIssuer(authority.id, 'a certificate of its chain has expired')
}

function refuseIssuer(id: string, reason: string): never {
  throw issuerNotUsable(`certificate authority ${id} of the chain cannot be used: ${reason}`, {
    resource: { type: 'vault.certificateAuthorities', name: id },
    precondition: [{ type: 'STATE', subject: id, description: 'the whole chain must be ENABLED and valid' }],
  })
}

/** Returns the earliest end of a chain, in milliseconds since 1970. */
export const endOfChain = ({ chain }: Pick<Issuer, 'chain'>): number =>
  Math.min(...chain.map(({ notAfter }) => notAfter))

/** Whether the name constraints of every authority of a chain allow a name. */
export function isAllowedByChain({ ancestors, authority, chain }: Issuer, name: CertifiedName): boolean {
  const rows = [authority, ...ancestors].flatMap(({ name_constraints }) =>
    name_constraints === undefined ? [] : [rulesOf(name_constraints)],
  )
  return [...rows, ...chain.map(({ rules }) => rules)].every(rules => rules !== undefined && isAllowedBy(rules, name))
}

const corrupt = (id: string) =>
  storedDataCorrupt(`the chain of certificate authority ${id} cannot be read; ask the operator to run the doctor`, {
    resource: { type: 'vault.certificateAuthorities', name: id },
  })

function refuseCorrupt(id: string): never {
  throw corrupt(id)
}
