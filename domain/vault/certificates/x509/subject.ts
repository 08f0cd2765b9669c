import { AsnConvert } from '@peculiar/asn1-schema'
import { AttributeTypeAndValue, AttributeValue, Name, RelativeDistinguishedName } from '@peculiar/asn1-x509'
import type { CertificateSubject } from '../../../../output/vault/types.ts'

/** The members of a subject, with the types and the maximal lengths of their attributes, in the order of the name. */
const attributes = [
  { member: 'country_code', type: '2.5.4.6', max: 2 },
  { member: 'province', type: '2.5.4.8', max: 128 },
  { member: 'locality', type: '2.5.4.7', max: 128 },
  { member: 'organization', type: '2.5.4.10', max: 64 },
  { member: 'organizational_unit', type: '2.5.4.11', max: 64 },
  { member: 'common_name', type: '2.5.4.3', max: 64 },
] as const satisfies readonly { member: keyof CertificateSubject; type: string; max: number }[]

/** The subject without members. */
export const emptySubject: CertificateSubject = {
  common_name: '',
  organization: '',
  organizational_unit: '',
  country_code: '',
  province: '',
  locality: '',
}

/** Returns the name of a subject in DER: the members that are not empty, each as a name of its own. */
export function nameDer(subject: CertificateSubject): Buffer {
  const present = attributes.filter(({ member }) => subject[member] !== '')
  const names = present.map(({ member, type }) => {
    const text = subject[member]
    const value = new AttributeValue(member === 'country_code' ? { printableString: text } : { utf8String: text })
    return new RelativeDistinguishedName([new AttributeTypeAndValue({ type, value })])
  })
  return Buffer.from(AsnConvert.serialize(new Name(names)))
}

/** Whether a subject has a member that is not empty. */
export const isNamed = (subject: CertificateSubject): boolean => attributes.some(({ member }) => subject[member] !== '')

/** The subject that a signing request asks for. */
export interface RequestedSubject {
  readonly subject: CertificateSubject
  /** The types of the attributes that a subject of the platform cannot have. */
  readonly others: readonly string[]
}

/**
 * Returns the subject of a decoded name; undefined for a name with an attribute twice, with control characters, or with
 * a value that the members of a subject cannot have.
 */
export function subjectOf(name: Name): RequestedSubject | undefined {
  const subject = { ...emptySubject }
  const others: string[] = []
  const seen = new Set<string>()
  for (const { type, value } of [...name].flatMap(part => [...part])) {
    const known = attributes.find(attribute => attribute.type === type)
    if (known === undefined) {
      others.push(type)
      continue
    }
    const text = value.anyValue === undefined ? value.toString() : ''
    if (seen.has(type) || !isMember(known, text)) return undefined
    seen.add(type)
    subject[known.member] = text
  }
  return { subject, others }
}

/** Whether a text can be a member of a subject, by the rules of the schema. */
function isMember({ max, member }: (typeof attributes)[number], text: string): boolean {
  if (member === 'country_code') return /^[A-Z]{2}$/.test(text)
  return text !== '' && [...text].length <= max && !/[\p{Cc}\p{Cs}]/u.test(text) && text.isWellFormed()
}
