import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { doctor } from '../../../../server/doctor/doctor.ts'
import { openStore, placeName } from '../../../../server/platform-store.ts'
import { databaseFault } from '../../../../server/store/postgres/database-fault.ts'
import { convertedError } from '../../../../server/store/postgres/errors.ts'
import { schemaOf, statement, testPlace } from '../harness.ts'

const password = 'hunter2'

/**
 * Returns the encoded error message with which PostgreSQL refuses a connection (postgresql.org/docs,
 * protocol-message-formats).
 */
function refusal(state: string, text: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${state}\0M${text}\0\0`)
  const message = Buffer.alloc(5)
  message.write('E')
  message.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([message, fields])
}

/** Starts a server that calls `answer` at the first message of a client, and returns the server's URL. */
async function answering(answer: (socket: Socket) => void, settings = ''): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined).once('data', () => answer(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return `postgres://u:${password}@127.0.0.1:${port}/n${settings}`
}

/** Returns the URL of an empty place with a password, changed by `change`. */
async function changed(change: (url: URL) => void): Promise<string> {
  const url = new URL(await testPlace())
  url.password = password
  change(url)
  return url.href
}

/** Creates a role with the USAGE privilege on a schema and no other privilege; returns the URL for this role. */
async function lowlyUser(): Promise<string> {
  const place = await testPlace()
  const user = `lowly_${schemaOf(place)}`
  await statement(place, `CREATE ROLE ${user} LOGIN; GRANT USAGE ON SCHEMA ${schemaOf(place)} TO ${user}`)
  onTestFinished(() => statement(place, `DROP OWNED BY ${user}; DROP ROLE ${user}`))
  const url = new URL(place)
  url.username = user
  url.password = password
  return url.href
}

const refusing = (state: string, text: string) => (): Promise<string> =>
  answering(socket => void socket.end(refusal(state, text)))

async function thrownBy(work: () => Promise<unknown>): Promise<Error> {
  const thrown: unknown = await work().then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(thrown instanceof Error)) throw new Error('nothing was thrown')
  return thrown
}

describe('an unusable database is reported with its address, the cause and the remedy', () => {
  it.each<[string, () => Promise<string>, string]>([
    ['where nothing listens', async () => `postgres://u:${password}@127.0.0.1:1/n`, 'nothing listens there; start the'],
    [
      'with another password',
      refusing('28P01', 'password authentication failed for user "u"'),
      'refuses the user or the password; set store.url (NINEFOLD_STORE_URL)',
    ],
    ['that refuses the user', refusing('28000', 'no pg_hba.conf entry for host'), 'refuses this user; allow'],
    ['that starts', refusing('57P03', 'the database system is starting up'), 'is about to start or to end'],
    ['that is full of others', refusing('53300', 'too many clients already'), 'has too many connections; raise'],
    ['that is not there', () => changed(url => (url.pathname = '/none_of_this_name')), 'has no database of this name'],
    ['without TLS', () => answering(socket => void socket.write('N'), '?sslmode=require'), 'has no TLS, which store'],
    ['that hangs up', () => answering(socket => void socket.destroy()), 'closes connections before it answers'],
  ])('%s', async (_name, address, fault) => {
    const storeUrl = await address()
    const place = { dataDir: 'none', storeUrl }
    for (const use of [
      () => openStore(place, []),
      () => doctor({ place, areas: [], isJson: false, print: () => undefined }),
    ]) {
      const error = await thrownBy(use)
      expect(error.message).toContain(`${placeName(place)} `)
      expect(error.message).toContain(fault)
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(password)
    }
  })

  it.each<[string, () => Promise<string>, string]>([
    ['that is read only', () => readOnly(), 'cannot be written: it is a replica or set to read only'],
    ['that lets this user make nothing', lowlyUser, 'refuses this user what it needs; allow the user to make tables'],
  ])('%s', async (_name, address, fault) => {
    const place = { dataDir: 'none', storeUrl: await address() }
    expect((await thrownBy(() => openStore(place, []))).message).toContain(`${placeName(place)} ${fault}`)
  })

  it('that never responds', async () => {
    const place = { dataDir: 'none', storeUrl: await answering(() => undefined) }
    expect((await thrownBy(() => openStore(place, []))).message).toContain('cannot be reached: it does not answer')
  })

  it.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
    'that shows a certificate with %s',
    code => {
      expect(databaseFault(convertedError(Object.assign(new Error('no'), { code })))).toContain('shows a certificate')
    },
  )

  it('except for a fault that is not in the place', () => {
    expect(databaseFault(new Error('the store has schema version 3'))).toBeUndefined()
  })
})

const readOnly = (): Promise<string> =>
  changed(url => {
    const options = url.searchParams.get('options') ?? ''
    url.searchParams.set('options', `${options} -c default_transaction_read_only=on`)
  })
