/**
 * A fault of a value. `serverCheck` reports the faults of a server as a careful person writes the check for this single
 * schema: without functions for rules that occur once, and with paths only for faults. The patterns are those of the
 * document.
 */
export interface Fault {
  readonly field: string
  readonly description: string
}

/** The format checks of the runtime, so that the measurement compares only the surrounding code. */
export interface Formats {
  readonly isUuid: (text: string) => boolean
  readonly isDateTime: (text: string) => boolean
}

const namePattern = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/u
const zonePattern = /^[a-z]+-[a-z]+-[0-9]$/u
const addressPattern = /^[0-9a-f.:]+$/u
const states = new Set(['STATE_STARTING', 'STATE_RUNNING', 'STATE_STOPPING', 'STATE_STOPPED', 'STATE_FAILED'])
const serverMembers = new Set(
  (
    'id name display_name description labels zone state cpu_count memory_mib image_id owner created updated ' +
    'expire_time preemptible priority tags disks network_interfaces etag'
  ).split(' '),
)
const diskMembers = new Set(['name', 'size_gib', 'kind', 'boot'])
const interfaceMembers = new Set(['subnet_id', 'address', 'public'])

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the check of a server; the check returns all faults of a value, or none for a valid server. */
export function serverCheck({ isUuid, isDateTime }: Formats): (value: unknown) => readonly Fault[] {
  return value => {
    const faults: Fault[] = []
    if (!isObject(value)) return [{ field: '', description: 'must be an object' }]
    for (const name in value) if (!serverMembers.has(name)) add(faults, name, 'is not a known field')
    format(faults, value['id'], 'id', isUuid, 'uuid')
    text(faults, value['name'], 'name', 1, 63, namePattern)
    if (value['display_name'] !== undefined) text(faults, value['display_name'], 'display_name', 0, 128)
    if (value['description'] !== undefined) text(faults, value['description'], 'description', 0, 1024)
    if (value['labels'] !== undefined) labels(faults, value['labels'])
    text(faults, value['zone'], 'zone', 1, 63, zonePattern)
    if (typeof value['state'] !== 'string' || !states.has(value['state'])) {
      add(faults, 'state', value['state'] === undefined ? 'is required' : `must be one of ${[...states].join(', ')}`)
    }
    whole(faults, value['cpu_count'], 'cpu_count', 1, 256)
    if (whole(faults, value['memory_mib'], 'memory_mib', 128, 16777216) && Number(value['memory_mib']) % 128 !== 0) {
      add(faults, 'memory_mib', 'must be a multiple of 128')
    }
    format(faults, value['image_id'], 'image_id', isUuid, 'uuid')
    format(faults, value['owner'], 'owner', isUuid, 'uuid')
    format(faults, value['created'], 'created', isDateTime, 'date-time')
    format(faults, value['updated'], 'updated', isDateTime, 'date-time')
    if (value['expire_time'] !== undefined) format(faults, value['expire_time'], 'expire_time', isDateTime, 'date-time')
    if (value['preemptible'] !== undefined) flag(faults, value['preemptible'], 'preemptible')
    const priority = value['priority']
    if (priority !== undefined && !(typeof priority === 'number' && priority >= 0 && priority <= 1)) {
      add(faults, 'priority', 'must be a number from 0 to 1')
    }
    if (value['tags'] !== undefined) tags(faults, value['tags'])
    list(faults, value['disks'], 'disks', 0, 16, disk)
    list(faults, value['network_interfaces'], 'network_interfaces', 1, 8, (all, item, i) => {
      networkInterface(all, item, i, isUuid)
    })
    if (value['etag'] !== undefined) text(faults, value['etag'], 'etag', 0, 64)
    return faults
  }
}

function disk(faults: Fault[], value: unknown, i: number): void {
  if (!isObject(value)) return add(faults, `disks[${i}]`, 'must be an object')
  for (const name in value) if (!diskMembers.has(name)) add(faults, `disks[${i}].${name}`, 'is not a known field')
  const inner: Fault[] = []
  text(inner, value['name'], 'name', 1, 63, namePattern)
  whole(inner, value['size_gib'], 'size_gib', 1, 65536)
  if (value['kind'] !== 'SSD' && value['kind'] !== 'HDD') {
    add(inner, 'kind', value['kind'] === undefined ? 'is required' : 'must be one of SSD, HDD')
  }
  if (value['boot'] !== undefined) flag(inner, value['boot'], 'boot')
  for (const { field, description } of inner) add(faults, `disks[${i}].${field}`, description)
}

function networkInterface(faults: Fault[], value: unknown, i: number, isUuid: Formats['isUuid']): void {
  if (!isObject(value)) return add(faults, `network_interfaces[${i}]`, 'must be an object')
  const inner: Fault[] = []
  for (const name in value) if (!interfaceMembers.has(name)) add(inner, name, 'is not a known field')
  format(inner, value['subnet_id'], 'subnet_id', isUuid, 'uuid')
  if (value['address'] !== undefined) text(inner, value['address'], 'address', 0, 45, addressPattern)
  if (value['public'] !== undefined) flag(inner, value['public'], 'public')
  for (const { field, description } of inner) add(faults, `network_interfaces[${i}].${field}`, description)
}

function labels(faults: Fault[], value: unknown): void {
  if (!isObject(value)) return add(faults, 'labels', 'must be an object')
  let count = 0
  for (const name in value) {
    count += 1
    const label = value[name]
    if (typeof label !== 'string') add(faults, `labels.${name}`, 'must be a string')
    else if (label.length > 63 && [...label].length > 63)
      add(faults, `labels.${name}`, 'must have at most 63 characters')
  }
  if (count > 64) add(faults, 'labels', 'must have at most 64 members')
}

function tags(faults: Fault[], value: unknown): void {
  list(faults, value, 'tags', 0, 16, (all, item, i) => {
    if (typeof item !== 'string') add(all, `tags[${i}]`, 'must be a string')
    else if (item.length > 63 && [...item].length > 63) add(all, `tags[${i}]`, 'must have at most 63 characters')
  })
}

function list(
  faults: Fault[],
  value: unknown,
  field: string,
  min: number,
  max: number,
  check: (faults: Fault[], item: unknown, i: number) => void,
): void {
  if (value === undefined) return add(faults, field, 'is required')
  if (!Array.isArray(value)) return add(faults, field, 'must be a list')
  if (value.length < min || value.length > max) return add(faults, field, `must have ${min} to ${max} items`)
  for (let i = 0; i < value.length; i += 1) check(faults, value[i], i)
}

function text(faults: Fault[], value: unknown, field: string, min: number, max: number, pattern?: RegExp): void {
  if (value === undefined) return add(faults, field, 'is required')
  if (typeof value !== 'string') return add(faults, field, 'must be a string')
  const isPlain = value.length >= 2 * min && value.length <= max
  const count = isPlain ? min : [...value].length
  if (count < min || count > max) return add(faults, field, `must have ${min} to ${max} characters`)
  if (pattern && !pattern.test(value)) add(faults, field, `must match ${pattern.source}`)
}

function format(faults: Fault[], value: unknown, field: string, is: (text: string) => boolean, name: string): void {
  if (value === undefined) return add(faults, field, 'is required')
  if (typeof value !== 'string') return add(faults, field, 'must be a string')
  if (!is(value)) add(faults, field, `must be a valid ${name}`)
}

function whole(faults: Fault[], value: unknown, field: string, min: number, max: number): boolean {
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return true
  add(faults, field, value === undefined ? 'is required' : `must be an integer from ${min} to ${max}`)
  return false
}

function flag(faults: Fault[], value: unknown, field: string): void {
  if (typeof value !== 'boolean') add(faults, field, 'must be true or false')
}

function add(faults: Fault[], field: string, description: string): void {
  faults.push({ field, description })
}
