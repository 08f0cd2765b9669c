/**
 * An enforced format of texts, with sample texts. The formats share no code with the runtime, because the formats judge
 * the runtime's implementation.
 */
export interface Format {
  readonly isValid: (text: string) => boolean
  readonly valid: readonly string[]
  readonly broken: readonly string[]
}

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const host = new RegExp(`^${label}(?:\\.${label})*$`)
const dateTime =
  /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

const isIpv4 = (text: string): boolean =>
  /^\d{1,3}(\.\d{1,3}){3}$/.test(text) &&
  text.split('.').every(part => String(Number(part)) === part && Number(part) < 256)

const table = {
  'date-time': {
    isValid: text => isDay(dateTime.exec(text)?.[1] ?? ''),
    valid: ['2026-01-15T09:30:00.000Z', '2026-01-15T09:30:00Z'],
    broken: ['2026-13-01T00:00:00Z', 'yesterday'],
  },
  date: { isValid: isDay, valid: ['2026-01-15'], broken: ['2026-02-30', 'yesterday'] },
  uuid: {
    isValid: text => /^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/.test(text),
    valid: ['0199c5a4-0000-7000-8000-00000000c0de', '3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
    broken: ['0199c5a4-0000-7000-8000', 'no-uuid'],
  },
  email: {
    isValid: text =>
      text.length <= 254 && /^[^\s@]{1,64}@[^\s@]+$/.test(text) && host.test(text.slice(text.indexOf('@') + 1)),
    valid: ['someone@example.org'],
    broken: ['someone', 'a@b@c'],
  },
  byte: {
    isValid: text => Buffer.from(text, 'base64').toString('base64') === text,
    valid: ['bmluZWZvbGQ=', 'bmluZQ==', 'bmlu'],
    broken: ['bmluZWZvbGQ', '%'],
  },
  uri: {
    isValid: text => /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/.test(text) && URL.canParse(text),
    valid: ['https://example.org/a'],
    broken: ['no uri'],
  },
  hostname: {
    isValid: text => text.length <= 253 && host.test(text),
    valid: ['example.org'],
    broken: ['-example-.org'],
  },
  ipv4: { isValid: isIpv4, valid: ['192.0.2.1'], broken: ['192.0.2.256'] },
  ipv6: {
    isValid: text => /^[0-9A-Fa-f:.]+$/.test(text) && URL.canParse(`http://[${text}]/`),
    valid: ['2001:db8::1'],
    broken: ['2001:db8::1::2'],
  },
} as const satisfies Readonly<Record<string, Format>>

const formats: ReadonlyMap<string, Format> = new Map(Object.entries(table))

/** Returns the rules of a format; undefined for an absent format and for a format that is only documentation. */
export const formatOf = (name: string | undefined): Format | undefined =>
  name === undefined ? undefined : formats.get(name)
