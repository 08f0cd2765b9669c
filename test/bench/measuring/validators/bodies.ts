const id = '0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'
const time = '2026-01-31T12:00:00.123Z'

const server = {
  id,
  name: 'db-17',
  display_name: 'Database 17',
  description: 'Keeps the orders of the shop.',
  labels: { env: 'prod', team: 'core', cost_center: '4711' },
  zone: 'eu-west-1',
  state: 'STATE_RUNNING',
  cpu_count: 8,
  memory_mib: 32768,
  image_id: id,
  owner: id,
  created: time,
  updated: time,
  expire_time: '2027-01-31T12:00:00Z',
  preemptible: false,
  priority: 0.5,
  tags: ['blue', 'green', 'canary'],
  disks: [
    { name: 'boot', size_gib: 40, kind: 'SSD', boot: true },
    { name: 'data-1', size_gib: 2048, kind: 'HDD', boot: false },
    { name: 'data-2', size_gib: 2048, kind: 'HDD', boot: false },
  ],
  network_interfaces: [
    { subnet_id: id, address: '10.0.0.17', public: false },
    { subnet_id: id, address: '2001:db8::17', public: true },
  ],
  etag: 'W/17',
}

/** A body with four faults: a name of capitals, an unknown state, a disk that is too small, and an unknown member. */
const faulty = {
  ...server,
  name: 'DB 17',
  state: 'STATE_BROKEN',
  disks: server.disks.map((disk, i) => (i === 1 ? { ...disk, size_gib: 0 } : disk)),
  colour: 'red',
}

/**
 * Returns a body as parsed JSON. `n` rotates the order of the members, so that engines see objects of several shapes.
 */
const parsed = (value: object, n = 0): unknown => {
  const members = Object.entries(value)
  return JSON.parse(JSON.stringify(Object.fromEntries([...members.slice(n), ...members.slice(0, n)])))
}

/**
 * The bodies that the contenders check, keyed by the title of their table; a contender checks all bodies of a list in
 * turn.
 */
export const bodies = {
  valid: [parsed(server)],
  'valid, in 8 orders of members': Array.from({ length: 8 }, (_, n) => parsed(server, n * 2)),
  'with 4 faults': [parsed(faulty)],
} as const
