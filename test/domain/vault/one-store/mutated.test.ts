import { publicEncrypt } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Collection } from '../../../../domain/ports/store.ts'
import { capsulePayloads } from '../../../../domain/vault/capsules/capsules-store.ts'
import { materialCollection } from '../../../../domain/vault/keys/key-versions-store.ts'
import { workspaceKeys } from '../../../../domain/vault/seal/seal-store.ts'
import { payloadCollection } from '../../../../domain/vault/secrets/secret-versions-store.ts'
import { areas } from '../../../../server/areas.ts'
import { openStore } from '../../../../server/platform-store.ts'
import { seeded } from '../../../areas/random.ts'
import { absentId } from '../../../areas/members.ts'
import { secretCalls } from '../tenant-secrets.ts'
import { base64, tenantKeys, type Short, type TenantKeys } from '../keys/tenant-keys.ts'
import { mutatedBytes, mutatedText } from './mutated-text.ts'
import { afterTests } from '../../../undo.ts'

/**
 * The number of mutated requests, of which each test makes its share.
 * `NINEFOLD_VAULT_MUTATED=10000 npx vitest run test/domain/vault/one-store/mutated.test.ts`
 */
const requests = Number(process.env['NINEFOLD_VAULT_MUTATED'] ?? 500)
const share = (percent: number): number => Math.ceil((requests * percent) / 100)
const timeout = 60_000 + requests * 60

let tenant: TenantKeys

beforeAll(async () => {
  tenant = await tenantKeys({ later: afterTests })
})

interface Answered {
  readonly status: number
  /** The body without the parts that name the call. */
  readonly text: string
}

/** The answers that differ. One answer for all causes tells a caller nothing. */
class Answers {
  readonly #seen = new Set<string>()

  add({ status, text }: Answered): void {
    this.#seen.add(`${status} ${text}`)
  }

  get all(): readonly string[] {
    return [...this.#seen].toSorted()
  }
}

async function post(path: string, body: object, client: { readonly address?: string; readonly token?: string } = {}) {
  const { address = '192.0.2.7', token } = client
  const response = await tenant.platform.from(address)(`http://platform.test/vault/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  return answered(response)
}

async function answered(response: Response): Promise<Answered> {
  const requestId = response.headers.get('x-request-id') ?? ''
  return { status: response.status, text: (await response.text()).replaceAll(requestId, 'REQUEST') }
}

const ofKey = (key: string, verb: string, body: object): Promise<Answered> =>
  post(`alpha/workspaces/${tenant.workspace}/engines/native/cryptoKeys/${key}:${verb}`, body, {
    token: tenant.admin.token,
  })

async function made(key: string, verb: string, body: object, member: string): Promise<string> {
  const { status, text } = await ofKey(key, verb, body)
  expect(status).toBe(200)
  return String(JSON.parse(text)[member])
}

const data = base64('additional')

/** Expects one answer for all mutations: `reason`, with its code and details. */
function expectOne(answers: Answers, reason: string, status: number, code: number): void {
  const [answer = ''] = answers.all
  expect(answers.all).toEqual([answer])
  expect(answer.slice(0, 3)).toBe(String(status))
  const body = JSON.parse(answer.slice(4))
  expect(body.details[0]).toMatchObject({ reason, metadata: { code: String(code) } })
}

describe('mutated ciphertexts', () => {
  test.each([
    ['AES_256_GCM', 'encrypt', 14],
    ['CHACHA20_POLY1305', 'encrypt', 13],
    ['AES_256_GCM', 'generateDataEncryptionKey', 13],
  ] as const)(
    'of %s, made by %s, have one answer from decrypt and reEncrypt',
    { timeout },
    async (algorithm, verb, percent) => {
      const random = seeded(percent)
      const names = `${algorithm}-${verb}`.toLowerCase().replaceAll('_', '-')
      const [key, foreign] = [
        await tenant.create(`key-${names}`, algorithm),
        await tenant.create(`foreign-${names}`, algorithm),
      ]
      const body = {
        additional_authenticated_data: data,
        ...(verb === 'encrypt' ? { plaintext: base64('a plaintext of some length') } : { key_size_bytes: 32 }),
      }
      const text = await made(key, verb, body, 'ciphertext')
      const others = [
        await made(foreign, verb, body, 'ciphertext'),
        await made(key, 'encrypt', { plaintext: '' }, 'ciphertext'),
      ]
      const bytesOf = (ciphertext: string): Buffer => Buffer.from(ciphertext.slice('vault:v1:'.length), 'base64')
      const answers = new Answers()
      for (let i = 0; i < share(percent); i += 1) {
        const isText = random.percent(30)
        const isData = !isText && random.percent(15)
        const ciphertext = isText
          ? mutatedText(random, text)
          : `vault:v1:${mutatedBytes(random, bytesOf(text), others.map(bytesOf)).toString('base64')}`
        const additional = isData
          ? mutatedBytes(random, Buffer.from('additional'), [Buffer.from('other')]).toString('base64')
          : data
        answers.add(
          await ofKey(key, random.oneOf(['decrypt', 'reEncrypt']), {
            ciphertext: isData ? text : ciphertext,
            additional_authenticated_data: additional,
          }),
        )
      }
      for (const other of others.slice(0, 1)) answers.add(await ofKey(key, 'decrypt', { ciphertext: other }))
      expectOne(answers, 'DECRYPTION_FAILED', 400, 9_003_007)
      expect((await ofKey(key, 'decrypt', { ciphertext: text, additional_authenticated_data: data })).status).toBe(200)
    },
  )

  test('of RSA-OAEP have one answer', { timeout }, async () => {
    const random = seeded(3)
    const key = await tenant.create('oaep', 'RSA_OAEP_2048_SHA256')
    const { public_key_pem: pem = '' } = await tenant.admin.api.vault.getCryptoKeyVersion({
      ...tenant.at,
      cryptokey: key,
      id: '1',
    })
    const encrypt = (text: string): Buffer => publicEncrypt({ key: pem, oaepHash: 'sha256' }, Buffer.from(text))
    const bytes = encrypt('a key')
    const answers = new Answers()
    for (let i = 0; i < share(10); i += 1) {
      const ciphertext = random.percent(30)
        ? mutatedText(random, bytes.toString('base64'))
        : mutatedBytes(random, bytes, [Buffer.alloc(256, 1)]).toString('base64')
      answers.add(await ofKey(key, 'decrypt', { ciphertext, key_version: '1' }))
    }
    expectOne(answers, 'DECRYPTION_FAILED', 400, 9_003_007)
    const opened = await ofKey(key, 'decrypt', { ciphertext: bytes.toString('base64'), key_version: '1' })
    expect(JSON.parse(opened.text)).toMatchObject({ plaintext: base64('a key') })
  })
})

describe('mutated proofs', () => {
  test.each<[Short, 'mac' | 'signature']>([
    ['HMAC_SHA256', 'mac'],
    ['HMAC_SHA512', 'mac'],
    ['EC_P256_SHA256', 'signature'],
    ['ED25519', 'signature'],
    ['RSA_PSS_2048_SHA256', 'signature'],
  ])(
    'of %s are not valid, and base64 that is loose is refused at its field',
    { timeout },
    async (algorithm, member) => {
      const random = seeded(algorithm.length)
      const verb = member === 'mac' ? 'hmac' : 'sign'
      const key = await tenant.create(`proof-${algorithm.toLowerCase().replaceAll('_', '-')}`, algorithm)
      const body = { data: base64('the data') }
      const proof = Buffer.from(await made(key, verb, body, member), 'base64')
      const others = [Buffer.from(await made(key, verb, { data: base64('other data') }, member), 'base64')]
      const answers = new Answers()
      const refusals = new Answers()
      for (let i = 0; i < share(5); i += 1) {
        const text = random.percent(30)
          ? mutatedText(random, proof.toString('base64'))
          : mutatedBytes(random, proof, others).toString('base64')
        const isStrict = Buffer.from(text, 'base64').toString('base64') === text
        const answer = await ofKey(key, 'verify', { ...body, [member]: text })
        ;(isStrict ? answers : refusals).add(answer)
      }
      const verdict = { valid: false, key_version: '1', algorithm: `VAULT_CRYPTO_KEY_ALGORITHM_${algorithm}` }
      expect(answers.all.map(answer => JSON.parse(answer.slice(4)))).toEqual([verdict])
      for (const refusal of refusals.all) expect(refusal).toMatch(/^400 .*"FIELD_INVALID"/)
      const right = await ofKey(key, 'verify', { ...body, [member]: proof.toString('base64') })
      expect(JSON.parse(right.text)).toEqual({ ...verdict, valid: true })
    },
  )
})

/** Returns another address in a network of its own, because wrong tokens are limited for each network. */
const addressOf = (i: number): string => `10.${(i >> 8) % 256}.${i % 256}.9`

test('mutated tokens of capsules, and tokens of other capsules, have one answer', { timeout }, async () => {
  const random = seeded(7)
  const { at, admin } = tenant
  const create = async (more: object) => {
    const body = { payload: { data: base64('delivered') }, ...more }
    const { credential, resource_id: id } = await admin.api.vault.createCapsule({ ...at, body })
    return { id, token: credential?.token ?? '' }
  }
  const capsules = [await create({}), await create({ passphrase: 'blue-otter-27' })]
  const answers = new Answers()
  for (let i = 0; i < share(10); i += 1) {
    const { id, token } = random.oneOf(capsules)
    const bytes = Buffer.from(token.slice(5), 'base64url')
    const text = random.percent(50)
      ? mutatedText(random, token)
      : `cap1.${mutatedBytes(random, bytes, [Buffer.alloc(32)]).toString('base64url')}`
    const isOther = random.percent(10)
    const other = capsules.find(capsule => capsule.id !== id)?.id ?? id
    const sent = { token: isOther ? token : text, passphrase: 'blue-otter-27' }
    const path = random.percent(10) ? absentId : isOther ? other : id
    answers.add(await post(`alpha/capsules/${path}:redeem`, sent, { address: addressOf(i) }))
  }
  expectOne(answers, 'CAPSULE_TOKEN_INVALID', 403, 9_005_002)
  for (const { id, token } of capsules) {
    const answer = await post(`alpha/capsules/${id}:redeem`, { token, passphrase: 'blue-otter-27' })
    expect(JSON.parse(answer.text)).toMatchObject({ payload: { data: base64('delivered') } })
  }
})

describe('mutated stored items', () => {
  /** Changes a row repeatedly, and reads after each change; each read must find the item corrupt. */
  async function spoil<Row extends object>(
    collection: Collection<Row>,
    id: string,
    {
      count,
      member,
      read,
    }: { readonly count: number; readonly member: keyof Row; readonly read: () => Promise<unknown> },
  ): Promise<void> {
    const random = seeded(count)
    const store = await openStore(tenant.platform.config, areas)
    try {
      const row = await store.get(collection, id)
      if (!row) throw new Error(`${collection.name} has no row ${id}`)
      const bytes = Buffer.from(String(row.value[member]), 'base64')
      const write = (text: string) =>
        store.tx(async tx => {
          const locked = await tx.lock(collection, id)
          if (locked) await tx.update(collection, id, { ...locked.value, [member]: text }, locked.version)
        })
      for (let i = 0; i < count; i += 1) {
        await write(mutatedBytes(random, bytes, [Buffer.alloc(bytes.length, 1)]).toString('base64'))
        await expect(read()).rejects.toMatchObject({ reason: 'STORED_DATA_CORRUPT', code: 9_000_102 })
      }
      await write(bytes.toString('base64'))
      await read()
    } finally {
      await store.close()
    }
  }

  test(
    'are never read: payloads, keyed payloads, keys of workspaces, key material, payloads of capsules',
    { timeout },
    async () => {
      const { admin, at, workspace } = tenant
      const { vault } = admin.api
      const { add, create, read } = secretCalls(admin, workspace)
      const key = await tenant.create('wrapping', 'AES_256_GCM')
      for (const [name, more] of [
        ['bare', {}],
        ['keyed', { crypto_key_id: key }],
      ] as const) {
        const secret = await create(name, more)
        await add(secret, 'a payload of some length')
        const path = { count: share(5), member: 'wrapped', read: () => read(secret, '1') } as const
        await spoil(payloadCollection, `${secret}/versions/1`, path)
        if (name === 'bare') await spoil(workspaceKeys, workspace, path)
      }
      const used = await tenant.create('spoiled', 'HMAC_SHA256')
      const disabled = (value: boolean) =>
        vault.disableCryptoKeyVersion({ ...at, cryptokey: used, id: '1', body: { disabled: value } })
      await spoil(materialCollection, `${used}/versions/1`, {
        count: share(3),
        member: 'wrapped',
        async read() {
          // A disabled version leaves the memory of the server.
          await disabled(true)
          await disabled(false)
          return vault.hmac({ ...at, id: used, body: { data: '' } })
        },
      })
      const { credential, resource_id: id } = await vault.createCapsule({ ...at, body: { payload: { data } } })
      const redeem = () => vault.redeemCapsule({ id, body: { token: credential?.token ?? '' } })
      await spoil(capsulePayloads, id, { count: share(2), member: 'sealed', read: redeem })
    },
  )
})
