import { absentId } from '../../areas/members.ts'

const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) })

/** Values that few members of a body accept. */
export const values: readonly unknown[] = [
  ['', ' ', '\0', '\ud800', 'ünïcødé', '\u202e', '__proto__', 'constructor', 'toString', 'a'.repeat(100_000)],
  ["'; DROP TABLE compute_vms; --", '../../etc/passwd', '%00', '${7*7}', 'local1-a', 'target', 'web-1\n', absentId],
  [0, -0, -1, 1, 1.5, 1e-7, 127, 128, 256, 257, 65_536, 65_537, 16_777_216, 2 ** 31, 2 ** 53, 1e308, null, true],
  [[], {}, [[]], [null], [{}], deep(60), Array.from({ length: 10_000 }, () => 'x')],
  [
    { nodes: [] },
    { nodes: [{ vcpus: 1, memory_mib: 128, host_node: 0 }] },
    { nodes: Array.from({ length: 9 }, () => ({ vcpus: 1 })) },
  ],
  [{ image: 'tiny', source_object: { bucket_id: absentId, object: '\0' } }, { image: '__proto__' }, { image: null }],
  [
    [{ name: 'a', size_gib: 1 }],
    [{ name: '__proto__', size_gib: 65_536 }],
    Array.from({ length: 16 }, () => ({ name: 'a', size_gib: 1 })),
  ],
  [
    [{ subnet_id: absentId }],
    [{ subnet_id: absentId, ip_address: '::1' }],
    Array.from({ length: 9 }, () => ({ subnet_id: absentId })),
  ],
  [{ 'Not a key': 'x' }, { a: '\u0007' }, { a: 'ü'.repeat(32_769) }, { a: 'x'.repeat(65_537) }, { toString: 'x' }],
  [Object.fromEntries([0, 1, 2, 3].map(i => [`k${i}`, 'x'.repeat(65_534)]))],
  [Object.fromEntries([0, 1, 2, 3, 4].map(i => [`k${i}`, 'x'.repeat(65_534)]))],
  [Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, '']))],
  [{ 'sim.crash-after-ms': '-1', 'sim.fail': '__proto__', 'sim.guest-shutdown-after-ms': '9'.repeat(400) }],
].flat()

/** Returns the JSON of a body whose member at `path` is `given`. `__proto__` is an own member, as in parsed JSON. */
export function replaced(value: unknown, path: readonly string[], given: unknown): string {
  const [name, ...rest] = path
  if (name === undefined) return JSON.stringify(given) ?? 'null'
  if (Array.isArray(value))
    return `[${value.map((each, i) => replaced(each, i === Number(name) ? rest : [], i === Number(name) ? given : each)).join()}]`
  const members: object = typeof value === 'object' && value !== null ? value : {}
  const others = Object.entries(members).filter(([key]) => key !== name)
  const own: unknown = Object.hasOwn(members, name) ? Reflect.get(members, name) : undefined
  const parts = others.map(([key, each]) => `${JSON.stringify(key)}: ${JSON.stringify(each)}`)
  return `{${[...parts, `${JSON.stringify(name)}: ${replaced(own, rest, given)}`].join()}}`
}
