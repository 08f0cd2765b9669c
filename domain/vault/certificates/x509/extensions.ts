import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import * as asn from '@peculiar/asn1-x509'
import type { KeyUsageInput, NameConstraints, SubjectAltNames } from '../../../../output/vault/types.ts'

/** Returns an extension in DER. */
export function extension(id: string, value: object, critical = false): asn.Extension {
  return new asn.Extension({ extnID: id, critical, extnValue: new OctetString(AsnConvert.serialize(value)) })
}

/** The bits of the usages of a key in certificates (RFC 5280, 4.2.1.3). */
export const usageFlags: Readonly<Record<KeyUsageInput, number>> = {
  VAULT_KEY_USAGE_DIGITAL_SIGNATURE: asn.KeyUsageFlags.digitalSignature,
  VAULT_KEY_USAGE_CONTENT_COMMITMENT: asn.KeyUsageFlags.nonRepudiation,
  VAULT_KEY_USAGE_KEY_ENCIPHERMENT: asn.KeyUsageFlags.keyEncipherment,
  VAULT_KEY_USAGE_DATA_ENCIPHERMENT: asn.KeyUsageFlags.dataEncipherment,
  VAULT_KEY_USAGE_KEY_AGREEMENT: asn.KeyUsageFlags.keyAgreement,
  VAULT_KEY_USAGE_CERT_SIGN: asn.KeyUsageFlags.keyCertSign,
  VAULT_KEY_USAGE_CRL_SIGN: asn.KeyUsageFlags.cRLSign,
}

const purposes: ReadonlyMap<string, string> = new Map([
  ['VAULT_EXTENDED_KEY_USAGE_SERVER_AUTH', asn.id_kp_serverAuth],
  ['VAULT_EXTENDED_KEY_USAGE_CLIENT_AUTH', asn.id_kp_clientAuth],
  ['VAULT_EXTENDED_KEY_USAGE_CODE_SIGNING', asn.id_kp_codeSigning],
  ['VAULT_EXTENDED_KEY_USAGE_EMAIL_PROTECTION', asn.id_kp_emailProtection],
  ['VAULT_EXTENDED_KEY_USAGE_TIME_STAMPING', asn.id_kp_timeStamping],
  ['VAULT_EXTENDED_KEY_USAGE_OCSP_SIGNING', asn.id_kp_OCSPSigning],
])

/** Returns whether a text is an object identifier whose numbers the encoder can write. */
export function isObjectIdentifier(text: string): boolean {
  if (!/^[0-2](?:\.(?:0|[1-9]\d{0,9}))+$/.test(text)) return false
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  return (first === 2 || second < 40) && [second, ...rest].every(arc => arc < 2 ** 31)
}

/** The basic constraints of an authority with a path length, or of a leaf. */
export const basicConstraints = (pathLength?: number): asn.Extension =>
  extension(
    asn.id_ce_basicConstraints,
    new asn.BasicConstraints(pathLength === undefined ? { cA: false } : { cA: true, pathLenConstraint: pathLength }),
    true,
  )

/** The usages of the certified key. */
export function keyUsage(usages: readonly KeyUsageInput[]): asn.Extension {
  const flags = usages.reduce((sum, usage) => sum | usageFlags[usage], 0)
  return extension(asn.id_ce_keyUsage, new asn.KeyUsage(flags), true)
}

/** The purposes of a leaf, named or as object identifiers. Critical only for time stamping alone (RFC 3161, 2.3). */
export function extendedKeyUsage(usages: readonly string[]): asn.Extension {
  const ids = [...new Set(usages.map(usage => purposes.get(usage) ?? usage))]
  const isCritical = ids.length === 1 && ids[0] === asn.id_kp_timeStamping
  return extension(asn.id_ce_extKeyUsage, new asn.ExtendedKeyUsage(ids), isCritical)
}

/** The identifier of the certified key. */
export const subjectKeyIdentifier = (id: Uint8Array): asn.Extension =>
  extension(asn.id_ce_subjectKeyIdentifier, new asn.SubjectKeyIdentifier(id))

/** The identifier of the key of the issuer. */
export const authorityKeyIdentifier = (id: Uint8Array): asn.Extension =>
  extension(
    asn.id_ce_authorityKeyIdentifier,
    new asn.AuthorityKeyIdentifier({ keyIdentifier: new asn.KeyIdentifier(id) }),
  )

/** The names of a leaf; critical if its subject is empty. */
export function subjectAltNames(names: SubjectAltNames, isCritical: boolean): asn.Extension {
  const all = [
    ...names.dns_names.map(dNSName => new asn.GeneralName({ dNSName })),
    ...names.ip_addresses.map(iPAddress => new asn.GeneralName({ iPAddress })),
    ...names.uris.map(uniformResourceIdentifier => new asn.GeneralName({ uniformResourceIdentifier })),
    ...names.email_addresses.map(rfc822Name => new asn.GeneralName({ rfc822Name })),
  ]
  return extension(asn.id_ce_subjectAltName, new asn.SubjectAlternativeName(all), isCritical)
}

const uriName = (url: string): asn.GeneralName => new asn.GeneralName({ uniformResourceIdentifier: url })

/** The addresses of the revocation list of the issuer; nothing without addresses. */
export function distributionPoints(urls: readonly string[]): readonly asn.Extension[] {
  if (urls.length === 0) return []
  const distributionPoint = new asn.DistributionPointName({ fullName: urls.map(uriName) })
  const points = new asn.CRLDistributionPoints([new asn.DistributionPoint({ distributionPoint })])
  return [extension(asn.id_ce_cRLDistributionPoints, points)]
}

/** The addresses of the certificate of the issuer; nothing without addresses. */
export function issuerAddresses(urls: readonly string[]): readonly asn.Extension[] {
  if (urls.length === 0) return []
  const accessMethod = '1.3.6.1.5.5.7.48.2'
  const entries = urls.map(url => new asn.AccessDescription({ accessMethod, accessLocation: uriName(url) }))
  return [extension(asn.id_pe_authorityInfoAccess, new asn.AuthorityInfoAccessSyntax(entries))]
}

/** The policies of a certificate; nothing without policies. */
export function policies(ids: readonly string[]): readonly asn.Extension[] {
  if (ids.length === 0) return []
  const unique = [...new Set(ids)]
  const entries = unique.map(policyIdentifier => new asn.PolicyInformation({ policyIdentifier }))
  return [extension(asn.id_ce_certificatePolicies, new asn.CertificatePolicies(entries))]
}

const subtrees = (names: readonly asn.GeneralName[]): asn.GeneralSubtrees | undefined =>
  names.length === 0
    ? undefined
    : new asn.GeneralSubtrees(names.map(base => new asn.GeneralSubtree({ base, minimum: 0 })))

/** The names that certificates below an authority may have; nothing without constraints. */
export function nameConstraints(given: NameConstraints | undefined): readonly asn.Extension[] {
  if (given === undefined) return []
  const dns = (dNSName: string): asn.GeneralName => new asn.GeneralName({ dNSName })
  const range = (iPAddress: string): asn.GeneralName => new asn.GeneralName({ iPAddress })
  const permitted = subtrees([
    ...given.permitted_dns_names.map(dns),
    ...given.permitted_ip_ranges.map(range),
    ...given.permitted_email_domains.map(rfc822Name => new asn.GeneralName({ rfc822Name })),
  ])
  const excluded = subtrees([...given.excluded_dns_names.map(dns), ...given.excluded_ip_ranges.map(range)])
  if (!permitted && !excluded) return []
  const value = new asn.NameConstraints({
    ...(permitted && { permittedSubtrees: permitted }),
    ...(excluded && { excludedSubtrees: excluded }),
  })
  return [extension(asn.id_ce_nameConstraints, value, true)]
}
